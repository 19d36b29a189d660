import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** What the Java client makes of record batches, of the ends of transactions in them, and of message sets. */
public final class KafkaRecordsJudge implements KafkaJudge.RecordsJudge {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HexFormat HEX = HexFormat.of();

  @Override
  public JsonNode read(String kind, ByteBuffer bytes) {
    return kind.equals("batch") ? readBatch(bytes) : kind.equals("set") ? readSet(bytes) : readMarker(bytes);
  }

  @Override
  public ByteBuffer write(String kind, JsonNode json) {
    return kind.equals("batch") ? writeBatch(json) : kind.equals("set") ? writeSet(json) : writeMarker(json);
  }

  private static JsonNode readSet(ByteBuffer bytes) {
    ObjectNode understood = JSON.createObjectNode();
    ArrayNode records = JSON.createArrayNode();
    int size = 0;
    for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
      batch.ensureValid();
      size += batch.sizeInBytes();
      understood.put("magic", batch.magic());
      understood.put("codec", batch.compressionType().name);
      for (Record record : batch) {
        record.ensureValid();
        ObjectNode node = records.addObject();
        node.put("offset", record.offset());
        node.put("timestamp", record.timestamp());
        putHex(node, "key", record.key());
        putHex(node, "value", record.value());
      }
    }
    if (size != bytes.limit()) throw new IllegalStateException("bytes after the set");
    understood.set("records", records);
    return understood;
  }

  private static ByteBuffer writeSet(JsonNode json) {
    List<SimpleRecord> records = new ArrayList<>();
    for (JsonNode node : json.get("records")) {
      records.add(new SimpleRecord(node.get("timestamp").longValue(), hexOrNull(node.get("key")), hexOrNull(node.get("value"))));
    }
    return MemoryRecords.withRecords((byte) json.get("magic").intValue(), 0L, Compression.of(json.get("codec").asText()).build(),
        TimestampType.CREATE_TIME, records.toArray(new SimpleRecord[0])).buffer();
  }

  private static void putHex(ObjectNode node, String name, ByteBuffer bytes) {
    if (bytes == null) {
      node.putNull(name);
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    node.put(name, HEX.formatHex(copy));
  }

  private static MutableRecordBatch onlyBatch(ByteBuffer bytes) {
    MutableRecordBatch batch = null;
    for (MutableRecordBatch each : MemoryRecords.readableRecords(bytes).batches()) {
      if (batch != null) throw new IllegalStateException("more than one batch");
      batch = each;
    }
    if (batch.sizeInBytes() != bytes.limit()) throw new IllegalStateException("bytes after the batch");
    batch.ensureValid();
    return batch;
  }

  private static JsonNode readMarker(ByteBuffer bytes) {
    MutableRecordBatch batch = onlyBatch(bytes);
    if (!batch.isControlBatch() || !batch.isTransactional()) throw new IllegalStateException("not a control batch of a transaction");
    if (batch.hasProducerId() && batch.baseSequence() != RecordBatch.NO_SEQUENCE) throw new IllegalStateException("it has a sequence");
    EndTransactionMarker marker = EndTransactionMarker.deserialize(batch.iterator().next());
    ObjectNode understood = JSON.createObjectNode();
    understood.put("producerId", batch.producerId());
    understood.put("producerEpoch", batch.producerEpoch());
    understood.put("type", marker.controlType().name());
    understood.put("coordinatorEpoch", marker.coordinatorEpoch());
    understood.put("timestamp", batch.maxTimestamp());
    return understood;
  }

  private static ByteBuffer writeMarker(JsonNode json) {
    EndTransactionMarker marker =
        new EndTransactionMarker(ControlRecordType.valueOf(json.get("type").asText()), json.get("coordinatorEpoch").intValue());
    return MemoryRecords.withEndTransactionMarker(0L, json.get("timestamp").longValue(), RecordBatch.NO_PARTITION_LEADER_EPOCH,
        json.get("producerId").longValue(), json.get("producerEpoch").shortValue(), marker).buffer();
  }

  private static JsonNode readBatch(ByteBuffer bytes) {
    MutableRecordBatch batch = onlyBatch(bytes);
    ObjectNode understood = JSON.createObjectNode();
    understood.put("producerId", batch.producerId());
    understood.put("producerEpoch", batch.producerEpoch());
    understood.put("baseSequence", batch.baseSequence());
    understood.put("transactional", batch.isTransactional());
    understood.put("maxTimestamp", batch.maxTimestamp());
    understood.put("codec", batch.compressionType().name);
    ArrayNode records = understood.putArray("records");
    for (Record record : batch) {
      record.ensureValid();
      ObjectNode node = records.addObject();
      node.put("offset", record.offset());
      node.put("timestamp", record.timestamp());
      putHex(node, "key", record.key());
      putHex(node, "value", record.value());
      ArrayNode headers = node.putArray("headers");
      for (Header header : record.headers()) {
        ObjectNode pair = headers.addObject();
        pair.put("key", header.key());
        putHex(pair, "value", header.value() == null ? null : ByteBuffer.wrap(header.value()));
      }
    }
    return understood;
  }

  private static byte[] hexOrNull(JsonNode node) {
    return node.isNull() ? null : HEX.parseHex(node.asText());
  }

  private static ByteBuffer writeBatch(JsonNode json) {
    List<SimpleRecord> records = new ArrayList<>();
    for (JsonNode node : json.get("records")) {
      List<Header> headers = new ArrayList<>();
      for (JsonNode pair : node.get("headers")) {
        headers.add(new RecordHeader(pair.get("key").asText(), hexOrNull(pair.get("value"))));
      }
      records.add(new SimpleRecord(node.get("timestamp").longValue(), hexOrNull(node.get("key")), hexOrNull(node.get("value")),
          headers.toArray(new Header[0])));
    }
    return MemoryRecords.withRecords(RecordBatch.MAGIC_VALUE_V2, 0L, Compression.of(json.get("codec").asText()).build(), TimestampType.CREATE_TIME,
        json.get("producerId").longValue(), json.get("producerEpoch").shortValue(), json.get("baseSequence").intValue(),
        RecordBatch.NO_PARTITION_LEADER_EPOCH, json.get("transactional").booleanValue(), records.toArray(new SimpleRecord[0])).buffer();
  }
}
