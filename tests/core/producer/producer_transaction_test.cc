// Transactions as an application sees them: the calls of Producer, with brokers in a simulated world.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/producer/producer.h"
#include "core/producer/transaction.h"
#include "core/wire/status.h"
#include "sim/broker/transaction_coordinator.h"
#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::ErrorCode;
using enum TransactionState;

constexpr PartitionIndex kFirst{0};

class ProducerTransactionTest : public ::testing::Test {
 protected:
  std::unique_ptr<Producer> Make(std::map<std::string, std::string> values = {}) {
    values.emplace("transactional.id", "tid");
    values.emplace("max.block.ms", "5000");
    return world.MakeProducer(std::move(values));
  }
  std::unique_ptr<Producer> Ready(std::map<std::string, std::string> values = {}) {
    std::unique_ptr<Producer> producer = Make(std::move(values));
    EXPECT_TRUE(producer->InitTransactions().ok());
    return producer;
  }
  std::unique_ptr<Producer> InTransaction(std::map<std::string, std::string> values = {}) {
    std::unique_ptr<Producer> producer = Ready(std::move(values));
    EXPECT_TRUE(producer->BeginTransaction().ok());
    return producer;
  }
  static ErrorCode CodeOf(const absl::Status& status) { return wire::KafkaCode(status); }
  void Run(absl::AnyInvocable<void()> body) {
    const sim::KernelResult end = world.Run(std::move(body));
    EXPECT_EQ(end.end, sim::KernelEnd::kIdle) << end.text;
  }
  // What readers of committed records see of t-0, in its order.
  std::vector<std::string> Committed() {
    std::vector<std::string> seen;
    std::vector<std::string> open;
    const sim::PartitionLog& log = world.cluster().FindPartition("t", kFirst)->log();
    const std::vector<std::string> values = world.Values("t", 0);
    std::size_t next = 0;
    for (const sim::LogBatch& batch : log.batches()) {
      if (batch.kind == sim::BatchKind::kRecords) {
        for (std::int32_t i = 0; i < batch.record_count; ++i) open.push_back(values.at(next++));
      } else {
        ++next;  // A marker is a record, too, of a kind.
        if (batch.kind == sim::BatchKind::kCommitMarker) seen.insert(seen.end(), open.begin(), open.end());
        open.clear();
      }
    }
    return seen;
  }

  ProducerWorld world;
};

TEST_F(ProducerTransactionTest, ReadersSeeWhatWasCommitted) {
  Run([&] {
    auto producer = InTransaction();
    producer->Send({.topic = "t", .partition = kFirst, .value = "a"});
    producer->Send({.topic = "t", .partition = kFirst, .value = "b"});
    EXPECT_TRUE(producer->CommitTransaction().ok());
    EXPECT_TRUE(producer->Close().ok());
  });
  EXPECT_THAT(Committed(), ElementsAre("a", "b"));
}

TEST_F(ProducerTransactionTest, ReadersDoNotSeeWhatWasAborted) {
  Run([&] {
    auto producer = InTransaction();
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "a"}).Get().ok());
    EXPECT_TRUE(producer->AbortTransaction().ok());
    EXPECT_TRUE(producer->BeginTransaction().ok());
    producer->Send({.topic = "t", .partition = kFirst, .value = "b"});
    EXPECT_TRUE(producer->CommitTransaction().ok());
    EXPECT_TRUE(producer->Close().ok());
  });
  EXPECT_THAT(Committed(), ElementsAre("b"));
}

// PR-01: the partition becomes part of the transaction by the record.
TEST_F(ProducerTransactionTest, EveryTopicAndPartitionMayBePartOfIt) {
  Run([&] {
    auto producer = InTransaction();
    std::vector<Future> futures;
    for (std::int32_t i = 0; i < 3; ++i) {
      futures.push_back(producer->Send({.topic = "t", .partition = PartitionIndex(i), .value = "x"}));
    }
    EXPECT_TRUE(producer->CommitTransaction().ok());
    for (const Future& future : futures) EXPECT_TRUE(future.Done());
  });
}

TEST_F(ProducerTransactionTest, OffsetsAreCommittedWithTheRecords) {
  Run([&] {
    auto producer = InTransaction();
    EXPECT_TRUE(producer
                    ->SendOffsetsToTransaction({{.topic = "t", .partition = kFirst, .offset = Offset(41)}},
                                               {.group_id = "readers"})
                    .ok());
    EXPECT_TRUE(producer->CommitTransaction().ok());
    world.Sleep(seconds(1));  // The markers come after the answer.
    EXPECT_EQ(world.host().transactions().OffsetOf("readers", {.topic = "t", .partition = kFirst}), Offset(41));
  });
}

TEST_F(ProducerTransactionTest, OffsetsOfAnAbortedTransactionDoNotCount) {
  Run([&] {
    auto producer = InTransaction();
    EXPECT_TRUE(producer
                    ->SendOffsetsToTransaction({{.topic = "t", .partition = kFirst, .offset = Offset(41)}},
                                               {.group_id = "readers"})
                    .ok());
    EXPECT_TRUE(producer->AbortTransaction().ok());
    world.Sleep(seconds(1));
    EXPECT_EQ(world.host().transactions().OffsetOf("readers", {.topic = "t", .partition = kFirst}), kUnknownOffset);
  });
}

// PR-24
TEST_F(ProducerTransactionTest, MetricsTellHowLongTheCallsTook) {
  Run([&] {
    auto producer = Ready();
    EXPECT_GT(producer->Metrics().Value("txn-init-time-ns-total"), 0);
    EXPECT_TRUE(producer->BeginTransaction().ok());
    producer->Send({.topic = "t", .value = "x"});
    EXPECT_EQ(producer->Metrics().Value("txn-commit-time-ns-total"), 0);
    EXPECT_TRUE(producer->CommitTransaction().ok());
    EXPECT_GT(producer->Metrics().Value("txn-commit-time-ns-total"), 0);
    EXPECT_TRUE(producer->BeginTransaction().ok());
    const OffsetToCommit offset{.topic = "t", .partition = kFirst, .offset = Offset(1)};
    EXPECT_TRUE(producer->SendOffsetsToTransaction({offset}, {.group_id = "g"}).ok());
    EXPECT_GT(producer->Metrics().Value("txn-send-offsets-time-ns-total"), 0);
    EXPECT_TRUE(producer->AbortTransaction().ok());
    EXPECT_GT(producer->Metrics().Value("txn-abort-time-ns-total"), 0);
    EXPECT_EQ(producer->Metrics().Value("txn-begin-time-ns-total"), 0);  // It waits for nobody.
  });
}

// --- Mistakes of the application change nothing ---

TEST_F(ProducerTransactionTest, WithoutATransactionalIdThereAreNoTransactions) {
  Run([&] {
    auto producer = world.MakeProducer();
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->InitTransactions()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->BeginTransaction()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->CommitTransaction()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->AbortTransaction()));
    EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
  });
}

TEST_F(ProducerTransactionTest, ARecordOutsideOfATransactionIsRefused) {
  Run([&] {
    auto producer = Ready();
    const absl::Status status = producer->Send({.topic = "t", .value = "x"}).Get().status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status));
    EXPECT_THAT(std::string(status.message()), HasSubstr("BeginTransaction"));
    EXPECT_EQ(producer->transaction_state(), kReady);
  });
}

TEST_F(ProducerTransactionTest, OffsetsNeedAGroupAndGoodNumbers) {
  Run([&] {
    auto producer = InTransaction();
    const OffsetToCommit good{.topic = "t", .partition = kFirst, .offset = Offset(1)};
    OffsetToCommit bad = good;
    bad.offset = Offset(-1);
    EXPECT_TRUE(absl::IsInvalidArgument(producer->SendOffsetsToTransaction({good}, {})));
    EXPECT_TRUE(absl::IsInvalidArgument(producer->SendOffsetsToTransaction({bad}, {.group_id = "g"})));
    EXPECT_TRUE(producer->SendOffsetsToTransaction({}, {.group_id = "g"}).ok());
    EXPECT_EQ(producer->transaction_state(), kInTransaction);
  });
}

TEST_F(ProducerTransactionTest, ACallbackCannotWaitForBrokers) {
  absl::Status said;
  Run([&] {
    auto producer = InTransaction();
    producer->Send({.topic = "t", .value = "x"},
                   [&](const RecordMetadata&, const absl::Status&) { said = producer->CommitTransaction(); });
    EXPECT_TRUE(producer->CommitTransaction().ok());
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(said));
}

// PR-18
TEST_F(ProducerTransactionTest, AfterCloseEveryCallIsRefused) {
  Run([&] {
    auto producer = Ready();
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->InitTransactions()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->BeginTransaction()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->CommitTransaction()));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->AbortTransaction()));
  });
}

// PR-20
TEST_F(ProducerTransactionTest, ItsNameIsMadeOfItsTransactionalId) {
  Run([&] { EXPECT_EQ(Make()->client_id(), "producer-tid"); });
}

// --- Records that Send refuses spoil the transaction (SN-31) ---

TEST_F(ProducerTransactionTest, ARecordThatIsTooLargeForbidsTheCommit) {
  Run([&] {
    auto producer = InTransaction({{"max.request.size", "1000"}});
    producer->Send({.topic = "t", .value = std::string(2000, 'x')});
    EXPECT_EQ(CodeOf(producer->CommitTransaction()), ErrorCode::kMessageTooLarge);
    EXPECT_TRUE(producer->AbortTransaction().ok());
    EXPECT_TRUE(producer->BeginTransaction().ok());
  });
}

TEST_F(ProducerTransactionTest, ATopicThatIsMissingForbidsTheCommit) {
  Run([&] {
    auto producer = InTransaction({{"max.block.ms", "700"}});
    producer->Send({.topic = "nowhere", .value = "x"});
    EXPECT_EQ(CodeOf(producer->CommitTransaction()), ErrorCode::kRequestTimedOut);
    EXPECT_TRUE(producer->AbortTransaction().ok());
  });
}

TEST_F(ProducerTransactionTest, APartitionThatIsMissingForbidsTheCommit) {
  Run([&] {
    auto producer = InTransaction({{"max.block.ms", "700"}});
    producer->Send({.topic = "t", .partition = PartitionIndex(99), .value = "x"});
    EXPECT_EQ(CodeOf(producer->CommitTransaction()), ErrorCode::kRequestTimedOut);
  });
}

TEST_F(ProducerTransactionTest, ATopicWithAnInvalidNameForbidsTheCommit) {
  Run([&] {
    auto producer = InTransaction();
    producer->Send({.topic = "no spaces", .value = "x"});
    EXPECT_EQ(CodeOf(producer->CommitTransaction()), ErrorCode::kInvalidTopicException);
  });
}

// --- Records that come late (SN-31) ---

TEST_F(ProducerTransactionTest, ARecordSentWhileItsTransactionEndsIsRefusedAndSpoilsNothing) {
  Run([&] {
    auto producer = InTransaction({{"max.block.ms", "60000"}});
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "in time"}).Get().ok());
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    absl::Status committed;
    auto committer = world.env().threads().Spawn("committer", [&] { committed = producer->CommitTransaction(); });
    world.Sleep(milliseconds(100));
    const absl::Status late = producer->Send({.topic = "t", .partition = kFirst, .value = "late"}).Get().status();
    EXPECT_TRUE(absl::IsFailedPrecondition(late)) << late;
    EXPECT_FALSE(wire::HasKafkaCode(late)) << late;
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), false);
    EXPECT_TRUE(committer->Join(world.Now() + seconds(50)));
    EXPECT_TRUE(committed.ok()) << committed;
    EXPECT_TRUE(producer->Close().ok());
  });
  EXPECT_THAT(Committed(), ElementsAre("in time"));
}

TEST_F(ProducerTransactionTest, ARecordThatLingersWhenItsTransactionIsAbortedFailsAsAborted) {
  Run([&] {
    auto producer = InTransaction({{"linger.ms", "10000"}});
    const Future record = producer->Send({.topic = "t", .partition = kFirst, .value = "a"});
    EXPECT_TRUE(producer->AbortTransaction().ok());
    const absl::Status status = record.Get().status();
    EXPECT_TRUE(absl::IsAborted(status)) << status;
    EXPECT_FALSE(wire::HasKafkaCode(status)) << status;
  });
}

TEST_F(ProducerTransactionTest, ARecordInFlightWhenItsTransactionIsAbortedEndsAsItsBrokerAnswers) {
  Run([&] {
    auto producer = InTransaction({{"linger.ms", "0"}, {"max.block.ms", "60000"}});
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "a"}).Get().ok());
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    const Future record = producer->Send({.topic = "t", .partition = kFirst, .value = "b"});
    world.Sleep(milliseconds(100));
    world.At(seconds(1), [&] {
      for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), false);
    });
    EXPECT_TRUE(producer->AbortTransaction().ok());
    EXPECT_TRUE(record.Get().ok());
    EXPECT_TRUE(producer->Close().ok());
  });
  EXPECT_THAT(Committed(), ElementsAre());
}

TEST_F(ProducerTransactionTest, RecordsOfATransactionThatCanOnlyBeAbortedFailWithItsError) {
  Run([&] {
    auto producer = InTransaction({{"linger.ms", "10000"}, {"max.request.size", "1000"}});
    const Future lingers = producer->Send({.topic = "t", .partition = kFirst, .value = "a"});
    producer->Send({.topic = "t", .partition = kFirst, .value = std::string(2000, 'x')});
    EXPECT_EQ(CodeOf(lingers.Get().status()), ErrorCode::kMessageTooLarge);
    EXPECT_EQ(CodeOf(producer->Send({.topic = "t", .partition = kFirst, .value = "b"}).Get().status()),
              ErrorCode::kMessageTooLarge);
  });
}

// --- Time (SN-33) ---

// Brokers that are silent for `silence`, and the call of offsets that ran out of time meanwhile.
class LateOffsetsOfProducerTest : public ProducerTransactionTest {
 protected:
  std::unique_ptr<Producer> SendLate() {
    auto producer =
        InTransaction({{"max.block.ms", "500"}, {"request.timeout.ms", "1000"}, {"delivery.timeout.ms", "3000"}});
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    const absl::Status sent = producer->SendOffsetsToTransaction(
        {{.topic = "t", .partition = kFirst, .offset = Offset(41)}}, {.group_id = "readers"});
    EXPECT_EQ(CodeOf(sent), ErrorCode::kRequestTimedOut) << sent;
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), false);
    return producer;
  }
  template <class Call>
  void UntilItEnds(const Call& call) {
    absl::Status status;
    for (int i = 0; i < 100 && !(status = call()).ok(); ++i) EXPECT_EQ(CodeOf(status), ErrorCode::kRequestTimedOut);
    EXPECT_TRUE(status.ok()) << status;
  }
  Offset committed() { return world.host().transactions().OffsetOf("readers", {.topic = "t", .partition = kFirst}); }
};

TEST_F(LateOffsetsOfProducerTest, TheyCanBeAborted) {
  Run([&] {
    auto producer = SendLate();
    UntilItEnds([&] { return producer->AbortTransaction(); });
    EXPECT_TRUE(producer->BeginTransaction().ok());
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "next"}).Get().ok());
    EXPECT_TRUE(producer->CommitTransaction().ok());
    world.Sleep(seconds(1));
    EXPECT_EQ(committed(), kUnknownOffset);
  });
}

TEST_F(LateOffsetsOfProducerTest, TheyAreCommittedWithTheRest) {
  Run([&] {
    auto producer = SendLate();
    UntilItEnds([&] { return producer->CommitTransaction(); });
    world.Sleep(seconds(1));
    EXPECT_EQ(committed(), Offset(41));
  });
}

TEST_F(ProducerTransactionTest, InitThatTakesTooLongCanBeRepeated) {
  Run([&] {
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    auto producer = Make({{"max.block.ms", "500"}, {"request.timeout.ms", "1000"}, {"delivery.timeout.ms", "3000"}});
    const Instant start = world.Now();
    EXPECT_EQ(CodeOf(producer->InitTransactions()), ErrorCode::kRequestTimedOut);
    EXPECT_EQ(world.Now() - start, milliseconds(500));
    EXPECT_TRUE(absl::IsFailedPrecondition(producer->BeginTransaction()));
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), false);
    absl::Status init;
    for (int i = 0; i < 100 && !(init = producer->InitTransactions()).ok(); ++i) {
      EXPECT_EQ(CodeOf(init), ErrorCode::kRequestTimedOut);
    }
    EXPECT_TRUE(init.ok());
    EXPECT_TRUE(producer->BeginTransaction().ok());
  });
}

// SN-35
TEST_F(ProducerTransactionTest, ACloseByForceEndsACallThatWaits) {
  Run([&] {
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    auto producer = Make({{"max.block.ms", "60000"}});
    absl::Status init;
    auto waiter = world.env().threads().Spawn("waiter", [&] { init = producer->InitTransactions(); });
    world.Sleep(seconds(1));
    producer->Close(Duration::zero()).IgnoreError();
    EXPECT_TRUE(waiter->Join(world.Now() + seconds(1)));
    EXPECT_TRUE(absl::IsCancelled(init));
  });
}

// SN-35
TEST_F(ProducerTransactionTest, ACloseByForceEndsOffsetsThatWait) {
  Run([&] {
    auto producer = InTransaction({{"max.block.ms", "60000"}});
    for (std::int32_t id = 1; id <= 3; ++id) world.host().SetSilent(NodeId(id), true);
    absl::Status sent;
    auto waiter = world.env().threads().Spawn("waiter", [&] {
      sent = producer->SendOffsetsToTransaction({{.topic = "t", .partition = kFirst, .offset = Offset(41)}},
                                                {.group_id = "readers"});
    });
    world.Sleep(seconds(1));
    producer->Close(Duration::zero()).IgnoreError();
    EXPECT_TRUE(waiter->Join(world.Now() + seconds(1)));
    EXPECT_TRUE(absl::IsCancelled(sent));
  });
}

// SN-36: a record that came too late for its transaction waits in a batch for the next one, and a record that joins that
// batch wakes nobody.
TEST_F(ProducerTransactionTest, ARecordThatJoinsOneThatCameTooLateIsSentAtOnce) {
  Run([&] {
    auto producer = InTransaction({{"linger.ms", "0"}});
    auto other = world.env().threads().Spawn("other", [&] {  // Waits for the topic.
      producer->Send({.topic = "new", .partition = kFirst, .value = "late"});
    });
    world.Sleep(milliseconds(300));
    EXPECT_TRUE(producer->CommitTransaction().ok());
    world.At(Duration::zero(),
             [&] { EXPECT_TRUE(world.cluster().CreateTopic({.name = "new", .replication = 3}).ok()); });
    EXPECT_TRUE(other->Join(world.Now() + seconds(5)));
    world.Sleep(seconds(1));
    const Instant start = world.Now();
    EXPECT_TRUE(producer->BeginTransaction().ok());
    EXPECT_TRUE(producer->Send({.topic = "new", .partition = kFirst, .value = "next"}).Get().ok());
    EXPECT_LT(world.Now() - start, seconds(1));
    EXPECT_TRUE(producer->CommitTransaction().ok());
  });
}

// SN-34
TEST_F(ProducerTransactionTest, ACloseAbortsWhatIsOpen) {
  Run([&] {
    auto producer = InTransaction();
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "a"}).Get().ok());
    EXPECT_TRUE(producer->Close().ok());
    const sim::Transaction* transaction = world.host().transactions().transactions().Find("tid");
    EXPECT_NE(transaction->status, sim::TransactionStatus::kOngoing);
  });
  EXPECT_THAT(Committed(), ElementsAre());
}

// --- Two producers with one transactional.id ---

TEST_F(ProducerTransactionTest, WhoComesLaterFencesWhoWasThere) {
  Run([&] {
    auto zombie = InTransaction({{"client.id", "zombie"}});
    EXPECT_TRUE(zombie->Send({.topic = "t", .partition = kFirst, .value = "zombie"}).Get().ok());
    auto heir = InTransaction({{"client.id", "heir"}});
    heir->Send({.topic = "t", .partition = kFirst, .value = "heir"});
    EXPECT_TRUE(heir->CommitTransaction().ok());
    EXPECT_EQ(CodeOf(zombie->CommitTransaction()), ErrorCode::kProducerFenced);
    EXPECT_EQ(zombie->transaction_state(), kFatalError);
    EXPECT_EQ(CodeOf(zombie->Send({.topic = "t", .value = "x"}).Get().status()), ErrorCode::kProducerFenced);
    EXPECT_TRUE(heir->Close().ok());
  });
  EXPECT_THAT(Committed(), ElementsAre("heir"));
}

}  // namespace
}  // namespace ktrial::testing
