// What tests of transactions begin with: a sender with a transactional id, "t" with two partitions led by broker 1, and
// broker 1 as the coordinator.
#ifndef TESTS_CORE_PRODUCER_TRANSACTION_WORLD_H_
#define TESTS_CORE_PRODUCER_TRANSACTION_WORLD_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/producer/transaction_calls.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {

// A turn that does not wait for an answer.
inline void TurnOnce(SenderWorld& world) {
  world.transport.WakeUp();
  world.Turns(1);
}

class TransactionTest : public ::testing::Test {
 protected:
  using Kind = TransactionCalls::Kind;

  explicit TransactionTest(AccumulatorConfig accumulator = {.batch_size = 0, .linger = Duration::zero()})
      : world({.brokers = 3, .accumulator = accumulator, .transactional = true}) {
    world.cluster.topics["t"] = {{1}, {1}};
  }

  FakeCoordinator& coordinator() { return *world.cluster.coordinator; }
  std::vector<std::string>& requests() { return coordinator().requests; }
  TransactionState state() const { return world.calls.state(); }

  void Init() { ASSERT_TRUE(world.AwaitCall(world.Call(Kind::kInit)).ok()); }
  // In a transaction; what it took to get there is forgotten.
  void Begin() {
    if (state() == TransactionState::kUninitialized) Init();
    requests().clear();
    ASSERT_TRUE(world.calls.Begin().ok());
  }
  // A record of partition 0 that has arrived; the request's number.
  std::size_t SendInFlight(std::string_view value = "x") {
    world.Append("t", 0, value);
    const std::size_t number = world.cluster.produces.size();
    world.AwaitProduce(number + 1);
    return number;
  }
  void Answer(std::size_t produce, wire::ErrorCode code = wire::ErrorCode::kNone) {
    world.cluster.Answer(world.cluster.produces.at(produce), code);
  }
  void SendAcknowledged(std::string_view value = "x") {
    const std::size_t told = world.told.size();
    Answer(SendInFlight(value));
    ASSERT_TRUE(world.RunUntil([&] { return world.told.size() == told + 1; }));
  }
  bool AwaitState(TransactionState wanted) {
    return world.RunUntil([&] { return state() == wanted; }, 2000);
  }
  absl::Status Commit() { return world.AwaitCall(world.Call(Kind::kCommit)); }
  absl::Status Abort() { return world.AwaitCall(world.Call(Kind::kAbort)); }
  // A record that a thread sends while another commits, and which is acknowledged in the next transaction.
  void CommitWithARecordBehindTheEnd() {
    Begin();
    SendAcknowledged("first");
    coordinator().mute = {wire::ApiKey::kEndTxn};
    const auto commit = world.Call(Kind::kCommit);
    ASSERT_TRUE(world.RunUntil([&] { return !requests().empty() && requests().back() == "EndTxn commit 7/0"; }));
    world.Append("t", 0, "second");
    TurnOnce(world);
    EXPECT_EQ(world.cluster.produces.size(), 1u);
    world.cluster.AnswerCoordinated();
    coordinator().mute.clear();
    EXPECT_TRUE(world.AwaitCall(commit).ok());
    Begin();
    world.cluster.Answer(world.AwaitProduce(2));
  }
  const wire::BatchProducer& SentAs(std::size_t produce) {
    return world.cluster.produces.at(produce).producers.begin()->second;
  }
  void Expect(const absl::Status& status, wire::ErrorCode code) {
    EXPECT_TRUE(wire::HasKafkaCode(status)) << status;
    EXPECT_EQ(wire::KafkaCode(status), code) << status;
  }

  SenderWorld world;
};

inline OffsetsOfGroup Offsets(std::vector<OffsetToCommit> offsets = {{.topic = "in", .offset = Offset(5)}}) {
  for (OffsetToCommit& one : offsets) {
    if (one.partition < PartitionIndex(0)) one.partition = PartitionIndex(0);
  }
  return {.offsets = std::move(offsets), .group = {.group_id = "g"}};
}

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_TRANSACTION_WORLD_H_
