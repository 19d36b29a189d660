#include "sim/broker/transactions.h"

#include <gtest/gtest.h>

namespace ktrial::sim {
namespace {

using std::chrono::seconds;
using wire::ErrorCode;
using Status = TransactionStatus;

constexpr std::string_view kId = "t";
const TopicPartition kPartition{.topic = "orders", .partition = PartitionIndex(0)};
const TopicPartition kOther{.topic = "orders", .partition = PartitionIndex(1)};

ProducerIdAndEpoch Identity(std::int64_t id, std::int16_t epoch) { return {ProducerId(id), ProducerEpoch(epoch)}; }

class TransactionsTest : public ::testing::Test {
 protected:
  Transactions::InitResult Init(std::optional<ProducerIdAndEpoch> expected = std::nullopt) {
    const auto next = [this] { return ProducerId(next_id_++); };
    return transactions_.Init(kId, seconds(10), expected, next);
  }
  ErrorCode Add(ProducerIdAndEpoch producer, const TopicPartition& partition = kPartition) {
    return transactions_.AddPartitions(kId, producer, std::span(&partition, 1), now_);
  }
  Transactions::EndResult End(ProducerIdAndEpoch producer, bool commit, EndRules rules = EndRules::kSameEpoch) {
    const auto next = [this] { return ProducerId(next_id_++); };
    return transactions_.End(kId, producer, commit, rules, next);
  }
  const Transaction& transaction() const { return *transactions_.Find(kId); }
  // A producer of which `status` is true; its identity.
  ProducerIdAndEpoch Reach(Status status) {
    transactions_ = {};
    const ProducerIdAndEpoch producer = Init().producer;
    if (status == Status::kEmpty) return producer;
    EXPECT_EQ(Add(producer), ErrorCode::kNone);
    if (status == Status::kOngoing) return producer;
    const bool commit = status == Status::kPrepareCommit || status == Status::kCompleteCommit;
    EXPECT_EQ(End(producer, commit).code, ErrorCode::kNone);
    if (status == Status::kCompleteCommit || status == Status::kCompleteAbort) {
      transactions_.MarkerWritten(kId, kPartition);
    }
    EXPECT_EQ(transaction().status, status);
    return producer;
  }

  Transactions transactions_;
  std::int64_t next_id_ = 100;
  Instant now_ = Instant::FromNanos(1'000'000'000);
};

TEST_F(TransactionsTest, FirstProducerGetsAnIdAndEpochZero) {
  EXPECT_EQ(Init().producer, Identity(100, 0));
  EXPECT_EQ(transaction().status, Status::kEmpty);
}

TEST_F(TransactionsTest, NextProducerOfTheIdFencesTheOneBefore) {
  const ProducerIdAndEpoch first = Init().producer;
  const ProducerIdAndEpoch second = Init().producer;
  EXPECT_EQ(second, Identity(100, 1));
  EXPECT_EQ(Add(first), ErrorCode::kProducerFenced);
  EXPECT_EQ(End(first, true).code, ErrorCode::kProducerFenced);
  EXPECT_EQ(Init(first).code, ErrorCode::kProducerFenced);
  EXPECT_EQ(Add(second), ErrorCode::kNone);
}

TEST_F(TransactionsTest, UnknownIdAndForeignProducerAreNotMapped) {
  EXPECT_EQ(Add(Identity(100, 0)), ErrorCode::kInvalidProducerIdMapping);
  EXPECT_EQ(End(Identity(100, 0), true).code, ErrorCode::kInvalidProducerIdMapping);
  Init();
  EXPECT_EQ(Add(Identity(7, 0)), ErrorCode::kInvalidProducerIdMapping);
}

// KIP-360
TEST_F(TransactionsTest, ProducerThatNamesItselfGetsTheNextEpochOnceOnly) {
  const ProducerIdAndEpoch first = Init().producer;
  EXPECT_EQ(Init(first).producer, Identity(100, 1));
  EXPECT_EQ(Init(first).producer, Identity(100, 1)) << "it has not heard the answer";
  EXPECT_EQ(Init(Identity(100, 1)).producer, Identity(100, 2));
  EXPECT_EQ(Init(first).code, ErrorCode::kProducerFenced);
  EXPECT_EQ(Init(Identity(7, 2)).code, ErrorCode::kProducerFenced);
}

TEST_F(TransactionsTest, InitAbortsWhatIsOngoingAndLetsTheClientAskAgain) {
  const ProducerIdAndEpoch first = Reach(Status::kOngoing);
  Transactions::InitResult result = Init();
  EXPECT_EQ(result.code, ErrorCode::kConcurrentTransactions);
  EXPECT_TRUE(result.write_markers);
  EXPECT_EQ(transaction().status, Status::kPrepareAbort);
  EXPECT_GT(transaction().producer.epoch, first.epoch) << "the marker fences";
  result = Init();
  EXPECT_EQ(result.code, ErrorCode::kConcurrentTransactions);
  EXPECT_FALSE(result.write_markers) << "once";
  transactions_.MarkerWritten(kId, kPartition);
  EXPECT_EQ(Init().producer, Identity(first.id.value(), 2));
}

TEST_F(TransactionsTest, UsedUpEpochsGiveANewId) {
  ProducerIdAndEpoch producer = Init().producer;
  while (producer.epoch.value() < 32766) producer = Init(producer).producer;
  ASSERT_EQ(producer.id, ProducerId(100));
  const ProducerIdAndEpoch next = Init(producer).producer;
  EXPECT_EQ(next, Identity(101, 0));
  EXPECT_EQ(Init(producer).code, ErrorCode::kNone) << "it has not heard the answer";
}

TEST_F(TransactionsTest, TransactionOfTwoPartitionsIsCompleteWithTheSecondMarker) {
  const ProducerIdAndEpoch producer = Reach(Status::kOngoing);
  ASSERT_EQ(Add(producer, kOther), ErrorCode::kNone);
  EXPECT_TRUE(transactions_.IsOngoing(kId, producer, kOther));
  EXPECT_TRUE(End(producer, true).write_markers);
  EXPECT_FALSE(transactions_.IsOngoing(kId, producer, kOther));
  transactions_.MarkerWritten(kId, kOther);
  EXPECT_EQ(transaction().status, Status::kPrepareCommit);
  transactions_.MarkerWritten(kId, kPartition);
  EXPECT_EQ(transaction().status, Status::kCompleteCommit);
}

struct EndCase {
  Status status;
  ErrorCode commit;
  ErrorCode abort;
};

TEST_F(TransactionsTest, EndIsJudgedByTheStatus) {
  const EndCase cases[] = {
      {Status::kEmpty, ErrorCode::kInvalidTxnState, ErrorCode::kInvalidTxnState},
      {Status::kOngoing, ErrorCode::kNone, ErrorCode::kNone},
      {Status::kPrepareCommit, ErrorCode::kConcurrentTransactions, ErrorCode::kInvalidTxnState},
      {Status::kPrepareAbort, ErrorCode::kInvalidTxnState, ErrorCode::kConcurrentTransactions},
      {Status::kCompleteCommit, ErrorCode::kNone, ErrorCode::kInvalidTxnState},
      {Status::kCompleteAbort, ErrorCode::kInvalidTxnState, ErrorCode::kNone},
  };
  for (const EndCase& c : cases) {
    for (const bool commit : {true, false}) {
      const ProducerIdAndEpoch producer = Reach(c.status);
      const Transactions::EndResult result = End(producer, commit);
      EXPECT_EQ(result.code, commit ? c.commit : c.abort) << static_cast<int>(c.status) << commit;
      EXPECT_EQ(result.write_markers, c.status == Status::kOngoing);
    }
  }
}

TEST_F(TransactionsTest, PartitionsAreNotAddedWhileItEnds) {
  for (const Status status : {Status::kPrepareCommit, Status::kPrepareAbort}) {
    EXPECT_EQ(Add(Reach(status)), ErrorCode::kConcurrentTransactions);
  }
  for (const Status status : {Status::kEmpty, Status::kOngoing, Status::kCompleteCommit, Status::kCompleteAbort}) {
    EXPECT_EQ(Add(Reach(status)), ErrorCode::kNone);
  }
}

TEST_F(TransactionsTest, TimeoutAbortsAndFences) {
  const ProducerIdAndEpoch producer = Reach(Status::kOngoing);
  EXPECT_EQ(transactions_.NextTimeout(), now_ + seconds(10));
  EXPECT_TRUE(transactions_.AbortTimedOut(now_ + seconds(9)).empty());
  EXPECT_EQ(transactions_.AbortTimedOut(now_ + seconds(10)), std::vector<std::string>{std::string(kId)});
  EXPECT_EQ(transactions_.NextTimeout(), Instant::Never());
  EXPECT_EQ(End(producer, true).code, ErrorCode::kProducerFenced);
  EXPECT_EQ(Add(producer), ErrorCode::kProducerFenced);
}

TEST_F(TransactionsTest, TimeoutCountsFromTheFirstPartition) {
  const ProducerIdAndEpoch producer = Reach(Status::kOngoing);
  const Instant begun = now_;
  now_ = now_ + seconds(5);
  ASSERT_EQ(Add(producer, kOther), ErrorCode::kNone);
  EXPECT_EQ(transactions_.NextTimeout(), begun + seconds(10));
}

// KIP-890
TEST_F(TransactionsTest, EachEndRaisesTheEpoch) {
  const ProducerIdAndEpoch first = Reach(Status::kOngoing);
  const ProducerIdAndEpoch second = End(first, true, EndRules::kRaiseEpoch).producer;
  EXPECT_EQ(second, Identity(first.id.value(), 1));
  EXPECT_EQ(End(first, true, EndRules::kRaiseEpoch).code, ErrorCode::kConcurrentTransactions);
  transactions_.MarkerWritten(kId, kPartition);
  const Transactions::EndResult again = End(first, true, EndRules::kRaiseEpoch);
  EXPECT_EQ(again.code, ErrorCode::kNone) << "it has not heard the answer";
  EXPECT_EQ(again.producer, second);
  EXPECT_FALSE(again.write_markers);
  EXPECT_EQ(End(first, false, EndRules::kRaiseEpoch).code, ErrorCode::kInvalidTxnState);
  EXPECT_EQ(Add(first), ErrorCode::kProducerFenced);
  EXPECT_EQ(Add(second), ErrorCode::kNone);
  EXPECT_EQ(End(first, true, EndRules::kRaiseEpoch).code, ErrorCode::kProducerFenced) << "the next one has begun";
}

TEST_F(TransactionsTest, AbortOfNothingIsGoodWhereItRaisesTheEpoch) {
  const ProducerIdAndEpoch first = Reach(Status::kEmpty);
  EXPECT_EQ(End(first, true, EndRules::kRaiseEpoch).code, ErrorCode::kInvalidTxnState);
  const Transactions::EndResult result = End(first, false, EndRules::kRaiseEpoch);
  EXPECT_EQ(result.code, ErrorCode::kNone);
  EXPECT_FALSE(result.write_markers);
  EXPECT_EQ(result.producer, Identity(first.id.value(), 1));
  EXPECT_EQ(transaction().status, Status::kCompleteAbort);
}

TEST_F(TransactionsTest, EndWithTheLastEpochGoesOnUnderAnotherId) {
  ProducerIdAndEpoch producer = Init().producer;
  while (producer.epoch.value() < 32766) producer = Init(producer).producer;
  ASSERT_EQ(Add(producer), ErrorCode::kNone);
  const Transactions::EndResult result = End(producer, true, EndRules::kRaiseEpoch);
  EXPECT_EQ(result.producer, Identity(101, 0));
  EXPECT_EQ(transaction().producer, Identity(100, 32767)) << "of the markers";
  transactions_.MarkerWritten(kId, kPartition);
  EXPECT_EQ(transaction().producer, result.producer);
  EXPECT_EQ(End(producer, true, EndRules::kRaiseEpoch).producer, result.producer) << "it has not heard the answer";
}

}  // namespace
}  // namespace ktrial::sim
