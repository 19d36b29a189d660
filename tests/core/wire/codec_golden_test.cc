// The bytes of messages, worked out by hand from the tables of the protocol.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/wire/codec.h"
#include "tests/core/wire/expect_bytes.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

MetadataRequest ForTopic(const char* name) {
  MetadataRequest request;
  request.topics->push_back({.name = name});
  return request;
}

// WP-08
TEST(CodecGoldenTest, MetadataRequestForAllTopicsIsEmptyIn0AndNullLater) {
  MetadataRequest all;
  all.topics.reset();
  ExpectBytes(all, 0, "00000000");
  ExpectBytes(all, 1, "ffffffff");
  ExpectBytes(all, 9, "00 01 00 00 00");
}

// WP-08
TEST(CodecGoldenTest, MetadataRequestForNoTopicIsEmptyFrom1On) {
  ExpectBytes(MetadataRequest(), 1, "00000000");
  ExpectBytes(MetadataRequest(), 9, "01 01 00 00 00");
}

// WP-08, WP-02
TEST(CodecGoldenTest, MetadataRequestForOneTopic) {
  ExpectBytes(ForTopic("t"), 1, "00000001 000174");
  MetadataRequest request = ForTopic("t");
  request.allow_auto_topic_creation = false;
  ExpectBytes(request, 4, "00000001 000174 00");
  request.include_topic_authorized_operations = true;
  ExpectBytes(request, 8, "00000001 000174 00 00 01");
  ExpectBytes(request, 9, "02 0274 00 00 00 01 00");
  ExpectBytes(request, 11, "02 00000000000000000000000000000000 0274 00 00 01 00");
}

// WP-08
TEST(CodecGoldenTest, MetadataRequestByTopicId) {
  MetadataRequest request;
  request.topics->push_back({.topic_id = {1, 2, 3}, .name = std::nullopt});
  ExpectBytes(request, 12, "02 01020300000000000000000000000000 00 00 01 00 00");
}

MetadataResponse OneTopicResponse() {
  MetadataResponse response;
  response.brokers.push_back({.node_id = 1, .host = "h", .port = 9092});
  response.topics.push_back({.name = "t",
                             .partitions = {{.error = ErrorCode::kLeaderNotAvailable,
                                             .index = 3,
                                             .leader_id = -1,
                                             .replicas = {1},
                                             .in_sync_replicas = {}}}});
  return response;
}

// WP-09
TEST(CodecGoldenTest, MetadataResponse0) {
  ExpectBytes(OneTopicResponse(), 0,
              "00000001 00000001 000168 00002384"
              "00000001 0000 000174 00000001 0005 00000003 ffffffff 00000001 00000001 00000000");
}

// WP-09: rack, controller, internal; cluster id before the controller; throttle first.
TEST(CodecGoldenTest, MetadataResponse1To3) {
  MetadataResponse response = OneTopicResponse();
  response.controller_id = 1;
  response.brokers[0].rack = "r";
  response.topics[0].is_internal = true;
  const std::string topic = "0000 000174 01 00000001 0005 00000003 ffffffff 00000001 00000001 00000000";
  ExpectBytes(response, 1, "00000001 00000001 000168 00002384 000172 00000001 00000001" + topic);
  response.cluster_id = "c";
  ExpectBytes(response, 2, "00000001 00000001 000168 00002384 000172 000163 00000001 00000001" + topic);
  response.throttle_time_ms = 9;
  ExpectBytes(response, 3, "00000009 00000001 00000001 000168 00002384 000172 000163 00000001 00000001" + topic);
}

// WP-09: offline replicas come with 5, the leader epoch with 7.
TEST(CodecGoldenTest, MetadataResponse4To7) {
  const std::string head =
      "00000000 00000001 00000001 000168 00002384 ffff ffff ffffffff 00000001 0000 000174 00 00000001";
  MetadataResponse response = OneTopicResponse();
  ExpectBytes(response, 4, head + "0005 00000003 ffffffff 00000001 00000001 00000000");
  response.topics[0].partitions[0].offline_replicas = {1};
  for (const std::int16_t version : {5, 6}) {
    ExpectBytes(response, version, head + "0005 00000003 ffffffff 00000001 00000001 00000000 00000001 00000001");
  }
  response.topics[0].partitions[0].leader_epoch = 5;
  ExpectBytes(response, 7, head + "0005 00000003 ffffffff 00000005 00000001 00000001 00000000 00000001 00000001");
}

// WP-09: leader epoch after the leader, offline replicas last, authorized operations, tags.
TEST(CodecGoldenTest, MetadataResponse8And9) {
  MetadataResponse response = OneTopicResponse();
  response.topics[0].partitions[0].leader_epoch = 5;
  response.topics[0].partitions[0].offline_replicas = {1};
  response.topics[0].authorized_operations = 7;
  response.authorized_operations = 8;
  ExpectBytes(response, 8,
              "00000000 00000001 00000001 000168 00002384 ffff ffff ffffffff"
              "00000001 0000 000174 00 00000001"
              "0005 00000003 ffffffff 00000005 00000001 00000001 00000000 00000001 00000001"
              "00000007 00000008");
  ExpectBytes(response, 9,
              "00000000 02 00000001 0268 00002384 00 00 00 ffffffff"
              "02 0000 0274 00 02"
              "0005 00000003 ffffffff 00000005 02 00000001 01 02 00000001 00"
              "00000007 00 00000008 00");
}

// WP-09: topic id after the name, null name, the error at the end.
TEST(CodecGoldenTest, MetadataResponse13) {
  MetadataResponse response;
  response.topics.push_back({.error = ErrorCode::kUnknownTopicId, .name = std::nullopt, .topic_id = {0xff}});
  response.error = ErrorCode::kRebootstrapRequired;
  ExpectBytes(response, 13,
              "00000000 01 00 ffffffff"
              "02 0064 00 ff000000000000000000000000000000 00 01 80000000 00"
              "0081 00");
}

ProduceRequest OneBatch() {
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30000;
  request.topics = {{.name = "t", .partitions = {{.index = 2, .records = "RECORDS"}}}};
  return request;
}

// WP-10
TEST(CodecGoldenTest, ProduceRequest) {
  for (const std::int16_t version : {0, 1, 2}) {
    ExpectBytes(OneBatch(), version, "ffff 00007530 00000001 000174 00000001 00000002 00000007 5245434f524453");
  }
  ExpectBytes(OneBatch(), 3, "ffff ffff 00007530 00000001 000174 00000001 00000002 00000007 5245434f524453");
  ExpectBytes(OneBatch(), 9, "00 ffff 00007530 02 0274 02 00000002 08 5245434f524453 00 00 00");
}

// WP-10: topics have ids, and no names.
TEST(CodecGoldenTest, ProduceRequest13) {
  ProduceRequest request = OneBatch();
  request.topics[0].name = {};
  request.topics[0].topic_id[15] = 5;
  ExpectBytes(request, 13,
              "00 ffff 00007530 02 00000000000000000000000000000005 02 00000002 08 5245434f524453 00 00 00");
}

// WP-11
TEST(CodecGoldenTest, ProduceResponse0To2) {
  ProduceResponse response;
  response.topics = {{.name = "t", .partitions = {{.index = 2, .base_offset = 9}}}};
  ExpectBytes(response, 0, "00000001 000174 00000001 00000002 0000 0000000000000009");
  response.throttle_time_ms = 6;
  ExpectBytes(response, 1, "00000001 000174 00000001 00000002 0000 0000000000000009 00000006");
  response.topics[0].partitions[0].log_append_time_ms = 4;
  ExpectBytes(response, 2, "00000001 000174 00000001 00000002 0000 0000000000000009 0000000000000004 00000006");
}

TEST(CodecGoldenTest, ProduceResponse13) {
  ProduceResponse response;
  response.topics = {{.partitions = {{.index = 2, .error = ErrorCode::kUnknownTopicId, .base_offset = -1}}}};
  response.topics[0].topic_id[15] = 5;
  ExpectBytes(response, 13,
              "02 00000000000000000000000000000005 02 00000002 0064 ffffffffffffffff ffffffffffffffff ffffffffffffffff"
              "01 00 00 00 00000000 00");
}

// WP-11
TEST(CodecGoldenTest, ProduceResponse3To8) {
  ProduceResponse response;
  response.topics = {
      {.name = "t",
       .partitions = {
           {.index = 2, .error = ErrorCode::kNotLeaderOrFollower, .base_offset = -1, .log_append_time_ms = 4}}}};
  response.throttle_time_ms = 6;
  ExpectBytes(response, 3, "00000001 000174 00000001 00000002 0006 ffffffffffffffff 0000000000000004 00000006");
  response.topics[0].partitions[0].log_start_offset = 5;
  ExpectBytes(response, 5,
              "00000001 000174 00000001 00000002 0006 ffffffffffffffff 0000000000000004 0000000000000005 00000006");
  response.topics[0].partitions[0].record_errors = {{.batch_index = 1, .message = "m"}, {.batch_index = 2}};
  response.topics[0].partitions[0].error_message = "e";
  ExpectBytes(response, 8,
              "00000001 000174 00000001 00000002 0006 ffffffffffffffff 0000000000000004 0000000000000005"
              "00000002 00000001 00016d 00000002 ffff 000165 00000006");
}

// WP-11, WP-02: hints are tagged fields, absent while they are the default.
TEST(CodecGoldenTest, ProduceResponse10) {
  ProduceResponse response;
  response.topics = {{.name = "t", .partitions = {{.index = 2, .error = ErrorCode::kNotLeaderOrFollower}}}};
  ExpectBytes(response, 10,
              "02 0274 02 00000002 0006 0000000000000000 ffffffffffffffff ffffffffffffffff 01 00 00 00 00000000 00");
  response.topics[0].partitions[0].current_leader = {.leader_id = 1, .leader_epoch = 8};
  response.node_endpoints = {{.node_id = 1, .host = "h", .port = 9}};
  ExpectBytes(response, 10,
              "02 0274 02 00000002 0006 0000000000000000 ffffffffffffffff ffffffffffffffff 01 00"
              "01 00 09 00000001 00000008 00"
              "00 00000000"
              "01 00 0d 02 00000001 0268 00000009 00 00");
}

// WP-06
TEST(CodecGoldenTest, ApiVersionsRequest) {
  ExpectBytes(ApiVersionsRequest(), 0, "");
  ExpectBytes(ApiVersionsRequest(), 2, "");
  ExpectBytes(ApiVersionsRequest{"kt", "1.0"}, 3, "036b74 04312e30 00");
  ExpectBytes(ApiVersionsRequest{"kt", "1.0"}, 4, "036b74 04312e30 00");
  ExpectBytes(ApiVersionsRequest{"kt", "1.0"}, 5, "036b74 04312e30 00 ffffffff 00");
  ExpectBytes(ApiVersionsRequest{"kt", "1.0", "abc", 7}, 5, "036b74 04312e30 04616263 00000007 00");
}

// WP-07
TEST(CodecGoldenTest, ApiVersionsResponse) {
  ApiVersionsResponse response;
  response.api_keys = {{.api_key = 3, .min_version = 0, .max_version = 13}};
  ExpectBytes(response, 0, "0000 00000001 0003 0000 000d");
  response.throttle_time_ms = 1;
  ExpectBytes(response, 1, "0000 00000001 0003 0000 000d 00000001");
  ExpectBytes(response, 3, "0000 02 0003 0000 000d 00 00000001 00");
  response.supported_features = {{.name = "f", .min_version = 0, .max_version = 2}};
  response.finalized_features_epoch = 0;
  response.finalized_features = {{.name = "f", .max_version_level = 2, .min_version_level = 1}};
  response.zk_migration_ready = true;
  ExpectBytes(response, 4,
              "0000 02 0003 0000 000d 00 00000001"
              "04 00 08 02 0266 0000 0002 00"
              "01 08 0000000000000000"
              "02 08 02 0266 0002 0001 00"
              "03 01 01");
}

// WP-12
TEST(CodecGoldenTest, InitProducerId) {
  ExpectBytes(InitProducerIdRequest{.transaction_timeout_ms = 60000}, 0, "ffff 0000ea60");
  ExpectBytes(InitProducerIdRequest{.transactional_id = "x"}, 2, "0278 00000000 00");
  ExpectBytes(InitProducerIdRequest{.transactional_id = "x", .producer_id = 5, .producer_epoch = 6}, 3,
              "0278 00000000 0000000000000005 0006 00");
  const InitProducerIdResponse response{.error = ErrorCode::kProducerFenced, .producer_id = 5, .producer_epoch = 6};
  ExpectBytes(response, 1, "00000000 005a 0000000000000005 0006");
  ExpectBytes(response, 4, "00000000 005a 0000000000000005 0006 00");
}

// WP-01, WP-10: batches are referred to where they lie.
TEST(CodecGoldenTest, ProduceFrameRefersToItsBatches) {
  const std::string batch = "RECORDS";
  ProduceRequest request = OneBatch();
  request.topics[0].partitions = {{.index = 2, .records = batch}, {.index = 3, .records = batch}};
  GatherBytes frame;
  EncodeRequestFrame(request, 3, /*correlation_id=*/7, "me", frame);
  ASSERT_EQ(frame.pieces().size(), 4U);
  EXPECT_EQ(frame.pieces()[1].data(), batch.data());
  EXPECT_EQ(frame.pieces()[3].data(), batch.data());
  EXPECT_EQ(ToHex(frame.Flatten()), ToHex(FromHex("0000003d 0000 0003 00000007 00026d65"
                                                  "ffff ffff 00007530 00000001 000174 00000002"
                                                  "00000002 00000007 5245434f524453"
                                                  "00000003 00000007 5245434f524453")));
}

// WP-01, WP-04
TEST(CodecGoldenTest, ResponseFramesFollowEachOther) {
  std::string out = "x";
  EncodeResponseFrame(InitProducerIdResponse{}, 2, /*correlation_id=*/7, out);
  EXPECT_EQ(ToHex(out), ToHex("x" + FromHex("00000016 00000007 00 00000000 0000 ffffffffffffffff 0000 00")));
}

// WP-07
TEST(CodecGoldenTest, UnsupportedVersionIsAnsweredInVersion0) {
  ApiVersionsResponse response;
  response.error = ErrorCode::kUnsupportedVersion;
  response.api_keys = {{.api_key = 18, .min_version = 0, .max_version = 4}};
  std::string out;
  EncodeResponseFrame(response, /*version=*/99, /*correlation_id=*/7, out);
  EXPECT_EQ(ToHex(out), ToHex(FromHex("00000010 00000007 0023 00000001 0012 0000 0004")));
}

// WP-07
TEST(CodecGoldenTest, Version0AnswerIsUnderstoodWhateverWasAsked) {
  ApiVersionsResponse response;
  response.error = ErrorCode::kUnsupportedVersion;
  response.api_keys = {{.api_key = 18, .min_version = 0, .max_version = 2}};
  std::string body;
  Encode(response, 0, body);
  for (std::int16_t asked = 0; asked <= 4; ++asked) {
    const auto decoded = DecodeApiVersionsResponse(body, asked);
    ASSERT_EQ(decoded.status(), absl::OkStatus()) << asked;
    EXPECT_EQ(*decoded, response);
  }
}

// WP-07: only that error has the old form; other damage is reported as what was asked.
TEST(CodecGoldenTest, OtherAnswersAreNotReadAsVersion0) {
  std::string body;
  Encode(ApiVersionsResponse(), 0, body);
  const auto decoded = DecodeApiVersionsResponse(body, 3);
  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::string(decoded.status().message()),
            "ApiVersions response v3, apiKeys: byte 2: null where this version has none");
}

// WP-06
TEST(CodecGoldenTest, ClientSoftwareNamesThatBrokersTake) {
  for (const char* good : {"a", "ktrial", "1.0.2-rc1"}) EXPECT_TRUE(IsValidClientSoftware(good)) << good;
  for (const char* bad : {"", "-a", "a.", "a b", "a_b", "\xc3\xa4"}) EXPECT_FALSE(IsValidClientSoftware(bad)) << bad;
}

}  // namespace
}  // namespace ktrial::wire
