#!/usr/bin/env python3
"""tshark as a judge of our wire code.

    tshark_judge.py CASES       CASES is what `wire_cases emit-plain` wrote

Puts our frames into a capture file, one TCP connection for each API and version, request and response in turn, and compares what tshark's
Kafka dissector sees with what we say the frames mean. Prints "ok ..." or "FAIL ..." for each frame.

tshark 4.0 knows the versions of LIMITS. Field tables here are in the order of the wire and name tshark's own fields: a second description of
the protocol, which owes nothing to core/wire/schema.h.
"""

import datetime
import json
import os
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

LIMITS = {
    "Produce": (3, 8), "Metadata": (0, 9), "ApiVersions": (0, 3), "InitProducerId": (0, 3), "FindCoordinator": (0, 3),
    "AddPartitionsToTxn": (0, 2), "AddOffsetsToTxn": (0, 2), "EndTxn": (0, 2), "TxnOffsetCommit": (0, 3)}

# (our name, tshark's field) or (our name, [fields of each element]); None where tshark shows nothing. "NAME vN" where it has another
# field in that version.
FIELDS = {
    "ProduceRequest": [
        ("transactionalId", "kafka.transactional_id"), ("acks", "kafka.required_acks"), ("timeoutMs", "kafka.timeout"),
        ("topicData", [
            ("name", "kafka.topic_name"),
            ("partitionData", [("index", "kafka.partition_id"), ("records", "batch")])])],
    "ProduceResponse": [
        ("responses", [
            ("name", "kafka.topic_name"),
            ("partitionResponses", [
                ("index", "kafka.partition_id"), ("errorCode", "kafka.error"), ("baseOffset", "kafka.offset"),
                ("logAppendTimeMs", "kafka.offset_time"), ("logStartOffset", "kafka.log_start_offset"),
                ("recordErrors", [("batchIndex", "kafka.batch_index"), ("batchIndexErrorMessage", "kafka.batch_index_error_message")]),
                ("errorMessage", "kafka.error_message")])]),
        ("throttleTimeMs", "kafka.throttle_time")],
    "MetadataRequest": [
        ("topics", [("name", "kafka.topic_name")]),
        ("allowAutoTopicCreation", "kafka.allow_auto_topic_creation"),
        ("includeClusterAuthorizedOperations", "kafka.include_cluster_authorized_ops"),
        ("includeTopicAuthorizedOperations", "kafka.include_topic_authorized_ops")],
    "MetadataResponse": [
        ("throttleTimeMs", "kafka.throttle_time"),
        ("brokers", [("nodeId", "kafka.node_id"), ("host", "kafka.host"), ("port", "kafka.port"), ("rack", "kafka.rack")]),
        ("clusterId", "kafka.cluster_id"),
        ("controllerId", "kafka.node_id"),
        ("topics", [
            ("errorCode", "kafka.error"), ("name", "kafka.topic_name"), ("isInternal", "kafka.is_internal"),
            ("partitions", [
                ("errorCode", "kafka.error"), ("partitionIndex", "kafka.partition_id"), ("leaderId", "kafka.leader_id"),
                ("leaderEpoch", "kafka.leader_epoch"), ("replicaNodes", "kafka.replica_id"), ("isrNodes", "kafka.isr_id"),
                ("offlineReplicas", "kafka.offline_id")]),
            ("topicAuthorizedOperations", "kafka.topic_authorized_ops")]),
        ("clusterAuthorizedOperations", "kafka.cluster_authorized_ops")],
    "ApiVersionsRequest": [
        ("clientSoftwareName", "kafka.client_software_name"), ("clientSoftwareVersion", "kafka.client_software_version")],
    "ApiVersionsResponse": [
        ("errorCode", "kafka.error"),
        ("apiKeys", [
            ("apiKey", "kafka.api_versions.api_key"), ("minVersion", "kafka.api_versions.min_version"),
            ("maxVersion", "kafka.api_versions.max_version")]),
        ("throttleTimeMs", "kafka.throttle_time")],
    "InitProducerIdRequest": [
        ("transactionalId", "kafka.transactional_id"), ("transactionTimeoutMs", "kafka.transaction_timeout"),
        ("producerId", "kafka.producer_id"), ("producerEpoch", "kafka.producer_epoch")],
    "InitProducerIdResponse": [
        ("throttleTimeMs", "kafka.throttle_time"), ("errorCode", "kafka.error"), ("producerId", "kafka.producer_id"),
        ("producerEpoch", "kafka.producer_epoch")],
    "FindCoordinatorRequest v0": [("key", "kafka.consumer_group")],
    "FindCoordinatorRequest": [("key", "kafka.coordinator_key"), ("keyType", "kafka.coordinator_type")],
    "FindCoordinatorResponse": [
        ("throttleTimeMs", "kafka.throttle_time"), ("errorCode", "kafka.error"), ("errorMessage", "kafka.error_message"),
        ("nodeId", "kafka.node_id"), ("host", "kafka.host"), ("port", "kafka.port")],
    "AddPartitionsToTxnRequest": [
        ("v3AndBelowTransactionalId", "kafka.transactional_id"), ("v3AndBelowProducerId", "kafka.producer_id"),
        ("v3AndBelowProducerEpoch", "kafka.producer_epoch"),
        ("v3AndBelowTopics", [("name", "kafka.topic_name"), ("partitions", "kafka.partition_id")])],
    "AddPartitionsToTxnResponse": [
        ("throttleTimeMs", "kafka.throttle_time"),
        ("resultsByTopicV3AndBelow", [
            ("name", "kafka.topic_name"),
            ("resultsByPartition", [("partitionIndex", "kafka.partition_id"), ("partitionErrorCode", "kafka.error")])])],
    "AddOffsetsToTxnRequest": [
        ("transactionalId", "kafka.transactional_id"), ("producerId", "kafka.producer_id"), ("producerEpoch", "kafka.producer_epoch"),
        ("groupId", "kafka.consumer_group")],
    "AddOffsetsToTxnResponse": [("throttleTimeMs", "kafka.throttle_time"), ("errorCode", "kafka.error")],
    "EndTxnRequest": [
        ("transactionalId", "kafka.transactional_id"), ("producerId", "kafka.producer_id"), ("producerEpoch", "kafka.producer_epoch"),
        ("committed", "kafka.transaction_result")],
    "EndTxnResponse": [("throttleTimeMs", "kafka.throttle_time"), ("errorCode", "kafka.error")],
    "TxnOffsetCommitRequest": [
        ("transactionalId", "kafka.transactional_id"), ("groupId", "kafka.consumer_group"), ("producerId", "kafka.producer_id"),
        ("producerEpoch", "kafka.producer_epoch"), ("generationIdOrMemberEpoch", "kafka.generation_id"), ("memberId", "kafka.member_id"),
        ("groupInstanceId", "kafka.consumer_group_instance"),
        ("topics", [
            ("name", "kafka.topic_name"),
            ("partitions", [
                ("partitionIndex", "kafka.partition_id"), ("committedOffset", "kafka.offset"),
                ("committedLeaderEpoch", "kafka.leader_epoch"), ("committedMetadata", "kafka.metadata")])])],
    "TxnOffsetCommitResponse": [
        ("throttleTimeMs", "kafka.throttle_time"),
        ("topics", [
            ("name", "kafka.topic_name"),
            ("partitions", [("partitionIndex", "kafka.partition_id"), ("errorCode", "kafka.error")])])],
}
BATCH_FIELDS = ("kafka.batch_base_sequence", "kafka.batch_transactional", "kafka.batch_size", "kafka.message_timestamp", "kafka.message_key",
                "kafka.message_value", "kafka.header_key", "kafka.header_value")
HEADER_FIELDS = ("kafka.correlation_id", "kafka.client_id", "kafka.request_key", "kafka.request.version")
# What tshark says of the APIs in an ApiVersions response, which are any numbers here, is no complaint.
HARMLESS = ("kafka.unknown_api_key", "kafka.unsupported_api_version")


# --- The capture ---


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


class Capture:
    """A pcap file of TCP connections between two loopback addresses."""

    CLIENT, BROKER, BROKER_PORT = bytes([127, 0, 0, 1]), bytes([127, 0, 0, 2]), 9092

    def __init__(self, path):
        self.out = open(path, "wb")
        self.out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        self.packets = 0
        self.port = 20000

    def packet(self, from_client, sequence, acknowledged, flags, data):
        ports = (self.port, self.BROKER_PORT) if from_client else (self.BROKER_PORT, self.port)
        addresses = (self.CLIENT, self.BROKER) if from_client else (self.BROKER, self.CLIENT)
        tcp = struct.pack("!HHIIBBHHH", *ports, sequence, acknowledged, 0x50, flags, 65535, 0, 0)
        pseudo = addresses[0] + addresses[1] + struct.pack("!BBH", 0, 6, len(tcp) + len(data))
        tcp = tcp[:16] + struct.pack("!H", checksum(pseudo + tcp + data)) + tcp[18:]
        ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(tcp) + len(data), 0, 0, 64, 6, 0, *addresses)
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
        frame = b"\0" * 12 + b"\x08\x00" + ip + tcp + data
        self.packets += 1
        self.out.write(struct.pack("<IIII", 1_700_000_000, self.packets, len(frame), len(frame)) + frame)

    def connection(self, exchanges):
        """exchanges: (request, response) bytes."""
        self.port += 1
        ours, theirs = 1, 1
        self.packet(True, 0, 0, 0x02, b"")
        self.packet(False, 0, 1, 0x12, b"")
        self.packet(True, 1, 1, 0x10, b"")
        for request, response in exchanges:
            assert len(request) < 65000 and len(response) < 65000
            self.packet(True, ours, theirs, 0x18, request)
            ours += len(request)
            self.packet(False, theirs, ours, 0x18, response)
            theirs += len(response)


# --- What we say ---


def read_batch(encoded, cases):
    """The meaning of a batch, from the case that has the same bytes."""
    import base64

    return cases[base64.b64decode(encoded).hex()]


def timestamp(milliseconds):
    time = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f"{time:%b} {time.day:2d}, {time:%Y %H:%M:%S}.{milliseconds % 1000:03d}000000 UTC"


def expected_batch(batch):
    yield "kafka.offset", 0  # the base offset
    yield "kafka.leader_epoch", -1
    yield "kafka.batch_transactional", int(batch["transactional"])
    yield "kafka.producer_id", batch["producerId"]
    yield "kafka.producer_epoch", batch["producerEpoch"]
    yield "kafka.batch_base_sequence", batch["baseSequence"]
    yield "kafka.batch_size", len(batch["records"])
    for record in batch["records"]:
        yield "kafka.message_timestamp", timestamp(record["timestamp"])
        yield "kafka.offset", record["offset"]
        yield "kafka.message_key", record["key"]
        yield "kafka.message_value", record["value"]
        for header in record["headers"]:
            yield "kafka.header_key", header["key"]
            yield "kafka.header_value", header["value"]


def expected(fields, value, batches):
    for name, field in fields:
        if name not in value:
            continue
        item = value[name]
        if field == "batch":
            yield from expected_batch(read_batch(item, batches))
        elif isinstance(field, list):
            for element in item or []:
                yield from expected(field, element, batches)
        elif isinstance(item, list):
            for element in item:
                yield field, element
        else:
            yield field, item


def expected_frame(case, batches):
    header = case["json"]["header"]
    if case["kind"] == "request":
        yield "kafka.request_key", header["apiKey"]
        yield "kafka.request.version", header["apiVersion"]
        yield "kafka.correlation_id", header["correlationId"]
        yield "kafka.client_id", header["clientId"]
    else:
        yield "kafka.correlation_id", header["correlationId"]
    name = case["name"]
    yield from expected(FIELDS.get(f"{name} v{case['version']}", FIELDS[name]), case["json"]["body"], batches)


# --- What tshark sees ---

BYTES = ("kafka.message_key", "kafka.message_value", "kafka.header_value")
TEXTS = ("kafka.message_timestamp",)


def seen_value(field):
    name, show = field.get("name"), field.get("show")
    label = field.get("showname", "").partition(": ")[2]
    if name in BYTES:
        return None if label == "<NULL>" else "" if label == "<EMPTY>" else field.get("value")
    if name == "kafka.header_key":
        return "" if label == "<EMPTY>" else show
    if name in TEXTS:
        return show
    return None if show == "[ Null ]" else show


def same(wanted, seen):
    if isinstance(wanted, (bool, int)) and seen is not None:
        # Shown signed, unsigned or in hexadecimal, as the field's type has it.
        return (int(wanted) - int(seen, 0)) % (1 << 32) == 0 if "0x" in seen or abs(wanted) < 1 << 32 else int(seen) == wanted
    return wanted == seen


def all_fields(fields):
    for _, field in fields:
        if isinstance(field, list):
            yield from all_fields(field)
        else:
            yield field


KNOWN = {field for fields in FIELDS.values() for field in all_fields(fields)} | set(BATCH_FIELDS) | set(HEADER_FIELDS)


def seen_frames(pcap):
    """For each Kafka packet: (fields, complaints)."""
    command = ["tshark", "-r", pcap, "-d", "tcp.port==9092,kafka", "-Y", "kafka", "-T", "pdml"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for packet in xml.etree.ElementTree.fromstring(text).iter("packet"):
        fields, complaints = [], []
        for proto in packet.iter("proto"):
            if proto.get("name") == "_ws.malformed":
                complaints.append("malformed packet")
            if proto.get("name") != "kafka":
                continue
            for field in proto.iter("field"):
                name = field.get("name")
                # tshark repeats in the response, without bytes, what it remembers of the request.
                if name in KNOWN and not (field.get("size") == "0" and name in HEADER_FIELDS):
                    fields.append((name, seen_value(field)))
                elif field.get("size") == "0" and field.get("showname") and field.get("show") == "" and name.startswith("kafka."):
                    if name not in HARMLESS:
                        complaints.append(field.get("showname"))
        yield fields, complaints


def difference(wanted, seen):
    for at in range(max(len(wanted), len(seen))):
        left = wanted[at] if at < len(wanted) else None
        right = seen[at] if at < len(seen) else None
        if left is None or right is None or left[0] != right[0] or not same(left[1], right[1]):
            return f"field {at}: wanted {left}, tshark sees {right}"
    return None


def main():
    cases = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    batches = {case["hex"]: case["json"] for case in cases if case["kind"] == "batch"}
    frames = {(case["name"], case["version"], case["seed"]): case for case in cases}
    seeds = sorted({case["seed"] for case in cases if case["kind"] == "request"})
    order = []
    with tempfile.TemporaryDirectory() as folder:
        pcap = os.path.join(folder, "frames.pcap")
        capture = Capture(pcap)
        for api, (first, last) in LIMITS.items():
            for version in range(first, last + 1):
                pairs = [(frames[api + "Request", version, seed], frames[api + "Response", version, seed]) for seed in seeds]
                capture.connection([(bytes.fromhex(a["hex"]), bytes.fromhex(b["hex"])) for a, b in pairs])
                order.extend(case for pair in pairs for case in pair)
        capture.out.close()
        seen = list(seen_frames(pcap))
    failed = False
    if len(seen) != len(order):
        print(f"FAIL tshark sees {len(seen)} frames of {len(order)}")
        failed = True
    for case, (fields, complaints) in zip(order, seen):
        label = f"{case['name']} v{case['version']} seed {case['seed']}"
        wrong = "; ".join(complaints) or difference(list(expected_frame(case, batches)), fields)
        print(f"FAIL {label}: {wrong}" if wrong else f"ok {label}")
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
