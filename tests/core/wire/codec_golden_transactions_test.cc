// The bytes of the messages of transactions, worked out by hand from the tables of the protocol.
#include <gtest/gtest.h>

#include "core/wire/transaction_messages.h"
#include "tests/core/wire/expect_bytes.h"

namespace ktrial::wire {
namespace {

TopicId Id(std::uint8_t last) {
  TopicId id{};
  id[15] = last;
  return id;
}
constexpr char kIdFive[] = "00000000000000000000000000000005";

// WP-21
TEST(CodecGoldenTransactionsTest, FindCoordinatorRequest) {
  ExpectBytes(FindCoordinatorRequest{.key = "g"}, 0, "000167");
  ExpectBytes(FindCoordinatorRequest{.key = "x", .key_type = kTransactionCoordinator}, 1, "000178 01");
  ExpectBytes(FindCoordinatorRequest{.key = "x", .key_type = kTransactionCoordinator}, 3, "0278 01 00");
  ExpectBytes(FindCoordinatorRequest{.key_type = kTransactionCoordinator, .coordinator_keys = {"x", "y"}}, 4,
              "01 03 0278 0279 00");
}

TEST(CodecGoldenTransactionsTest, FindCoordinatorResponse) {
  FindCoordinatorResponse one{.error = ErrorCode::kNotCoordinator, .node_id = 2, .host = "h", .port = 9092};
  ExpectBytes(one, 0, "0010 00000002 000168 00002384");
  one.throttle_time_ms = 7;
  one.error_message = "e";
  ExpectBytes(one, 1, "00000007 0010 000165 00000002 000168 00002384");
  ExpectBytes(one, 3, "00000007 0010 0265 00000002 0268 00002384 00");
  const FindCoordinatorResponse several{.throttle_time_ms = 7,
                                        .coordinators = {{.key = "x", .node_id = 2, .host = "h", .port = 9092}}};
  ExpectBytes(several, 4, "00000007 02 0278 00000002 0268 00002384 0000 00 00 00");
}

TEST(CodecGoldenTransactionsTest, AddPartitionsToTxnRequest) {
  const std::vector<AddPartitionsToTxnTopic> topics = {{.name = "t", .partitions = {1, 2}}};
  const AddPartitionsToTxnRequest request{
      .transactional_id = "x", .producer_id = 5, .producer_epoch = 6, .topics = topics};
  ExpectBytes(request, 0, "000178 0000000000000005 0006 00000001 000174 00000002 00000001 00000002");
  ExpectBytes(request, 3, "0278 0000000000000005 0006 02 0274 03 00000001 00000002 00 00");
  const AddPartitionsToTxnRequest batched{
      .transactions = {
          {.transactional_id = "x", .producer_id = 5, .producer_epoch = 6, .verify_only = true, .topics = topics}}};
  ExpectBytes(batched, 4, "02 0278 0000000000000005 0006 01 02 0274 03 00000001 00000002 00 00 00");
}

TEST(CodecGoldenTransactionsTest, AddPartitionsToTxnResponse) {
  const std::vector<AddPartitionsToTxnTopicResult> topics = {
      {.name = "t", .partitions = {{.index = 1, .error = ErrorCode::kOperationNotAttempted}}}};
  const AddPartitionsToTxnResponse one{.throttle_time_ms = 7, .topics = topics};
  ExpectBytes(one, 0, "00000007 00000001 000174 00000001 00000001 0037");
  ExpectBytes(one, 3, "00000007 02 0274 02 00000001 0037 00 00 00");
  const AddPartitionsToTxnResponse batched{.throttle_time_ms = 7,
                                           .error = ErrorCode::kClusterAuthorizationFailed,
                                           .transactions = {{.transactional_id = "x", .topics = topics}}};
  ExpectBytes(batched, 4, "00000007 001f 02 0278 02 0274 02 00000001 0037 00 00 00 00");
}

TEST(CodecGoldenTransactionsTest, AddOffsetsToTxn) {
  const AddOffsetsToTxnRequest request{.transactional_id = "x", .producer_id = 5, .producer_epoch = 6, .group_id = "g"};
  ExpectBytes(request, 0, "000178 0000000000000005 0006 000167");
  ExpectBytes(request, 4, "0278 0000000000000005 0006 0267 00");
  const AddOffsetsToTxnResponse response{.throttle_time_ms = 7, .error = ErrorCode::kTransactionAbortable};
  ExpectBytes(response, 2, "00000007 0078");
  ExpectBytes(response, 3, "00000007 0078 00");
}

TEST(CodecGoldenTransactionsTest, TxnOffsetCommitRequest) {
  TxnOffsetCommitRequest request{
      .transactional_id = "x",
      .group_id = "g",
      .producer_id = 5,
      .producer_epoch = 6,
      .topics = {{.name = "t", .partitions = {{.index = 1, .committed_offset = 9, .committed_metadata = "m"}}}}};
  ExpectBytes(request, 0,
              "000178 000167 0000000000000005 0006 00000001 000174 00000001 00000001 0000000000000009 00016d");
  request.topics[0].partitions[0].committed_leader_epoch = 3;
  request.topics[0].partitions[0].committed_metadata.reset();
  ExpectBytes(request, 2,
              "000178 000167 0000000000000005 0006 00000001 000174 00000001 00000001 0000000000000009 00000003 ffff");
  request.generation_id = 4;
  request.member_id = "c";
  ExpectBytes(
      request, 3,
      "0278 0267 0000000000000005 0006 00000004 0263 00 02 0274 02 00000001 0000000000000009 00000003 00 00 00 00");
  request.topics[0].name.clear();
  request.topics[0].topic_id = Id(5);
  ExpectBytes(request, 6,
              std::string("0278 0267 0000000000000005 0006 00000004 0263 00 02") + kIdFive +
                  "02 00000001 0000000000000009 00000003 00 00 00 00");
}

TEST(CodecGoldenTransactionsTest, TxnOffsetCommitResponse) {
  TxnOffsetCommitResponse response{
      .throttle_time_ms = 7,
      .topics = {{.name = "t", .partitions = {{.index = 1, .error = ErrorCode::kIllegalGeneration}}}}};
  ExpectBytes(response, 0, "00000007 00000001 000174 00000001 00000001 0016");
  ExpectBytes(response, 5, "00000007 02 0274 02 00000001 0016 00 00 00");
  response.topics[0].name.clear();
  response.topics[0].topic_id = Id(5);
  ExpectBytes(response, 6, std::string("00000007 02") + kIdFive + "02 00000001 0016 00 00 00");
}

TEST(CodecGoldenTransactionsTest, EndTxn) {
  const EndTxnRequest request{.transactional_id = "x", .producer_id = 5, .producer_epoch = 6, .committed = true};
  ExpectBytes(request, 0, "000178 0000000000000005 0006 01");
  ExpectBytes(request, 5, "0278 0000000000000005 0006 01 00");
  EndTxnResponse response{.throttle_time_ms = 7, .error = ErrorCode::kProducerFenced};
  ExpectBytes(response, 2, "00000007 005a");
  ExpectBytes(response, 4, "00000007 005a 00");
  response.producer_id = 5;
  response.producer_epoch = 7;
  ExpectBytes(response, 5, "00000007 005a 0000000000000005 0007 00");
}

// WP-02: the epoch of the next transaction must not be taken for a default when an old broker leaves it out.
TEST(CodecGoldenTransactionsTest, EndTxnBefore5NamesNoProducer) {
  const auto response = Decode<EndTxnResponse>(FromHex("00000000 0000 00"), 4);
  ASSERT_EQ(response.status(), absl::OkStatus());
  EXPECT_EQ(response->producer_id, -1);
  EXPECT_EQ(response->producer_epoch, -1);
}

}  // namespace
}  // namespace ktrial::wire
