#include "sim/broker/request_hook.h"

#include <gtest/gtest.h>

#include "core/wire/messages.h"
#include "core/wire/transaction_messages.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

TEST(RequestViewTest, NamesWhatAProduceRequestCarries) {
  wire::ProduceRequest produce;
  produce.topics.push_back({.name = "orders", .partitions = {{.index = 2}}});
  RequestView view;
  view.produce = &produce;
  EXPECT_TRUE(view.Names("orders"));
  EXPECT_TRUE(view.Names("orders", PartitionIndex(2)));
  EXPECT_FALSE(view.Names("orders", PartitionIndex(1)));
  EXPECT_FALSE(view.Names("audit"));
}

TEST(RequestViewTest, NamesTopicsOfAMetadataRequestButNotAllOfThem) {
  wire::MetadataRequest metadata;
  metadata.topics->push_back({.name = "orders"});
  RequestView view;
  view.metadata = &metadata;
  EXPECT_TRUE(view.Names("orders"));
  EXPECT_FALSE(view.Names("audit"));
  metadata.topics.reset();
  EXPECT_FALSE(view.Names("orders"));
}

TEST(RequestViewTest, NamesWhatIsAddedToATransaction) {
  wire::AddPartitionsToTxnRequest request{.topics = {{.name = "orders", .partitions = {2}}}};
  RequestView view;
  view.added = &request;
  EXPECT_TRUE(view.Names("orders"));
  EXPECT_TRUE(view.Names("orders", PartitionIndex(2)));
  EXPECT_FALSE(view.Names("orders", PartitionIndex(1)));
  EXPECT_FALSE(view.Names("audit"));
  // Since version 4 they stand in the transactions of the request.
  request.transactions.push_back({.topics = std::move(request.topics)});
  request.topics.clear();
  EXPECT_TRUE(view.Names("orders", PartitionIndex(2)));
  EXPECT_FALSE(view.Names("orders", PartitionIndex(1)));
}

TEST(RequestViewTest, NamesThePartitionsOfCommittedOffsets) {
  const wire::TxnOffsetCommitRequest request{.topics = {{.name = "in", .partitions = {{.index = 2}}}}};
  RequestView view;
  view.offsets = &request;
  EXPECT_TRUE(view.Names("in"));
  EXPECT_TRUE(view.Names("in", PartitionIndex(2)));
  EXPECT_FALSE(view.Names("in", PartitionIndex(1)));
  EXPECT_FALSE(view.Names("orders"));
}

TEST(RequestViewTest, FourApisNameTopics) {
  EXPECT_TRUE(NamesTopics(wire::ApiKey::kProduce));
  EXPECT_TRUE(NamesTopics(wire::ApiKey::kMetadata));
  EXPECT_TRUE(NamesTopics(wire::ApiKey::kAddPartitionsToTxn));
  EXPECT_TRUE(NamesTopics(wire::ApiKey::kTxnOffsetCommit));
  EXPECT_FALSE(NamesTopics(wire::ApiKey::kEndTxn));
  EXPECT_FALSE(NamesTopics(wire::ApiKey::kAddOffsetsToTxn));
}

TEST(RequestControlTest, ErrorsHoldWhereTheySay) {
  RequestControl control;
  EXPECT_EQ(control.ErrorFor("orders", PartitionIndex(0)), ErrorCode::kNone);
  control.Fail(ErrorCode::kKafkaStorageError, "orders", PartitionIndex(1));
  EXPECT_EQ(control.ErrorFor("orders", PartitionIndex(1)), ErrorCode::kKafkaStorageError);
  EXPECT_EQ(control.ErrorFor("orders", PartitionIndex(0)), ErrorCode::kNone);
  EXPECT_EQ(control.ErrorFor("orders"), ErrorCode::kNone);
  control.Fail(ErrorCode::kTopicAuthorizationFailed, "orders");
  EXPECT_EQ(control.ErrorFor("orders", PartitionIndex(1)), ErrorCode::kTopicAuthorizationFailed);
  EXPECT_EQ(control.ErrorFor("audit"), ErrorCode::kNone);
  EXPECT_EQ(control.ErrorFor(), ErrorCode::kNone);
  control.Fail(ErrorCode::kUnknownServerError);
  EXPECT_EQ(control.ErrorFor("audit", PartitionIndex(5)), ErrorCode::kUnknownServerError);
  EXPECT_EQ(control.ErrorFor(), ErrorCode::kUnknownServerError);
}

TEST(RequestControlTest, DelaysAddUp) {
  RequestControl control;
  control.Delay(std::chrono::milliseconds(2));
  control.Delay(std::chrono::milliseconds(3));
  EXPECT_EQ(control.delay(), std::chrono::milliseconds(5));
}

}  // namespace
}  // namespace ktrial::sim
