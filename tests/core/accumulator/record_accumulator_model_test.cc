// The accumulator against a naive one: the same steps, and after each the same answers.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "tests/core/accumulator/testing/accumulator_world.h"
#include "tests/core/accumulator/testing/naive_accumulator.h"

namespace ktrial {
namespace {

constexpr int kPartitionsPerTopic = 3;

struct Step {
  std::uint8_t kind = 0;
  std::uint16_t a = 0;
  std::uint16_t b = 0;
};

class Comparison {
 public:
  Comparison() : world_(Options()), naive_(Options()) {
    for (const char* topic : {"a", "b"}) {
      for (int i = 0; i < kPartitionsPerTopic; ++i) naive_.leaders[{topic, i}] = {.node = 1 + i % 2, .epoch = 0};
    }
    TellLeaders();
  }

  void Do(const Step& step) {
    switch (step.kind) {
      case 0:
      case 1:
      case 2:
        return Append(step);
      case 3:
        return world_.Advance(Millis(step.a % 60));
      case 4:
        return world_.Advance(Millis(step.a % 700));
      case 5:
        return CompareReady();
      case 6:
      case 7:
        return CompareDrain(1 + step.a % 2, 60 + step.b % 500);
      case 8:
        return CompareExpire();
      case 9:
        return WithInFlight(step.a, [&](int id) { End(id, step.b % 2 == 0); });
      case 10:
        return WithInFlight(step.a, [&](int id) { Retry(id); });
      case 11:
        return WithInFlight(step.a, [&](int id) { Split(id); });
      case 12:
        return WithInFlight(step.a, [&](int id) { Mute(id, step.b % 2 == 0); });
      case 13:
        return MoveLeader(step);
      case 14:
        return SetFlush(step.a % 2 == 0);
    }
  }

  void Finish() {
    SetFlush(false);
    world_.accumulator->Close();
    world_.accumulator->AbortIncomplete(absl::CancelledError("closed"));
    in_flight_.clear();
    RC_ASSERT(world_.used_bytes() == 0);
    RC_ASSERT(!world_.accumulator->HasIncomplete());
    std::vector<std::string> told;
    for (const Told& one : world_.told) told.push_back(one.value);
    std::sort(told.begin(), told.end());
    std::sort(appended_.begin(), appended_.end());
    RC_ASSERT(told == appended_);  // Each exactly once.
  }

 private:
  static WorldOptions Options() { return {.batch_size = 200, .buffer_memory = 1'000'000, .linger = Millis(50)}; }
  static NaiveAccumulator::Partition PartitionOf(std::uint16_t number) {
    return {number % 2 == 0 ? "a" : "b", (number / 2) % kPartitionsPerTopic};
  }

  void TellLeaders() {
    Leaderships topics;
    for (const auto& [partition, leader] : naive_.leaders) topics[partition.topic].push_back(leader);
    world_.SetCluster(topics);
  }

  void Append(const Step& step) {
    const NaiveAccumulator::Partition partition = PartitionOf(step.a);
    const std::size_t length = step.b % 37 == 0 ? 300 : 8 + step.b % 40;
    std::string value = std::to_string(appended_.size());
    value.resize(length, '.');
    naive_.Append(partition, value, world_.clock.now);
    world_.Append(partition.topic, partition.index, value);
    appended_.push_back(value);
    RC_ASSERT(world_.used_bytes() == naive_.ChargedBytes());
  }

  void CompareReady() {
    const NaiveAccumulator::Ready expected = naive_.GetReady(world_.clock.now);
    const ReadyNodes actual = world_.Ready();
    std::vector<NodeId> nodes;
    for (const std::int32_t node : expected.nodes) nodes.emplace_back(node);
    RC_ASSERT((actual.nodes == nodes));
    RC_ASSERT((actual.next_ready == expected.next));
    const std::vector<std::string> topics(expected.topics_without_leader.begin(), expected.topics_without_leader.end());
    RC_ASSERT(actual.topics_without_leader == topics);
  }

  void CompareDrain(std::int32_t node, std::int64_t max_bytes) {
    const std::vector<int> expected = naive_.Drain(node, max_bytes, world_.clock.now);
    std::vector<BatchRef> actual = world_.Drain(node, max_bytes);
    RC_ASSERT(actual.size() == expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      const NaiveAccumulator::Batch& batch = naive_.Get(expected[i]);
      RC_ASSERT(static_cast<int>(actual[i]->id()) == batch.id);
      RC_ASSERT(ValuesOf(*actual[i]) == batch.values);
      RC_ASSERT(static_cast<std::int64_t>(actual[i]->bytes().size()) == batch.Bytes());
      RC_ASSERT(actual[i]->attempts() == batch.attempts);
      in_flight_[batch.id] = std::move(actual[i]);
    }
  }

  void CompareExpire() {
    const Instant next = naive_.NextExpiry(world_.clock.now);
    const std::vector<int> expected = naive_.Expire(world_.clock.now);
    ExpiredBatches actual = world_.Expire();
    RC_ASSERT((actual.next_expiry == next));
    std::vector<int> ids;
    const auto fail = [&](std::vector<BatchRef>& batches) {
      for (BatchRef& batch : batches) {
        ids.push_back(static_cast<int>(batch->id()));
        world_.Fail(*batch, wire::ErrorCode::kRequestTimedOut);
      }
      batches.clear();
    };
    fail(actual.in_flight);
    fail(actual.queued);
    std::vector<int> in_flight_first;
    for (const bool in_flight : {true, false}) {
      std::copy_if(expected.begin(), expected.end(), std::back_inserter(in_flight_first),
                   [&](int id) { return naive_.Get(id).in_flight == in_flight; });
    }
    RC_ASSERT(ids == in_flight_first);
    for (const int id : expected) {
      naive_.End(id);
      in_flight_.erase(id);  // Their requests end at once here.
    }
    RC_ASSERT(world_.used_bytes() == naive_.ChargedBytes());
  }

  template <class Function>
  void WithInFlight(std::uint16_t number, Function function) {
    if (in_flight_.empty()) return;
    function(std::next(in_flight_.begin(), number % static_cast<int>(in_flight_.size()))->first);
  }

  void End(int id, bool success) {
    const std::vector<std::string> values = naive_.Get(id).values;
    const std::size_t told_before = world_.told.size();
    if (success) {
      world_.Succeed(*in_flight_[id], 7);
    } else {
      world_.Fail(*in_flight_[id], wire::ErrorCode::kInvalidRecord);
    }
    naive_.End(id);
    in_flight_.erase(id);
    RC_ASSERT(world_.told.size() - told_before == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      RC_ASSERT(world_.told[told_before + i].value == values[i]);
      RC_ASSERT(world_.told[told_before + i].offset == (success ? 7 + static_cast<std::int64_t>(i) : -1));
    }
    RC_ASSERT(world_.used_bytes() == naive_.ChargedBytes());
  }

  void Retry(int id) {
    naive_.Reenqueue(id, world_.clock.now);
    world_.accumulator->Reenqueue(*in_flight_[id], wire::ErrorCode::kNotEnoughReplicas, world_.clock.now);
    in_flight_.erase(id);
  }

  void Split(int id) {
    if (naive_.Get(id).values.size() < 2) return;
    naive_.Split(id);
    world_.accumulator->Split(*in_flight_[id]);
    in_flight_.erase(id);
    RC_ASSERT(world_.used_bytes() == naive_.ChargedBytes());
  }

  void Mute(int id, bool on) {
    const NaiveAccumulator::Partition& partition = naive_.Get(id).partition;
    if (on) {
      naive_.muted.insert(partition);
      world_.accumulator->Mute(*in_flight_[id]);
    } else {
      naive_.muted.erase(partition);
      world_.accumulator->Unmute(*in_flight_[id]);
    }
  }

  void MoveLeader(const Step& step) {
    Leadership& leader = naive_.leaders[PartitionOf(step.a)];
    leader.node = static_cast<std::int32_t>(step.b % 3) == 0 ? -1 : static_cast<std::int32_t>(step.b % 3);
    leader.epoch += static_cast<std::int32_t>(step.b / 3 % 2);
    TellLeaders();
  }

  void SetFlush(bool on) {
    naive_.flushes = on ? 1 : 0;
    flush_.reset();
    if (on) flush_.emplace(*world_.accumulator);
  }

  AccumulatorWorld world_;
  NaiveAccumulator naive_;
  std::optional<RecordAccumulator::Flush> flush_;
  std::map<int, BatchRef> in_flight_;
  std::vector<std::string> appended_;
};

TEST(RecordAccumulatorModelTest, AgreesWithTheNaiveOne) {
  const bool holds = rc::check("the accumulator agrees with the naive one", [] {
    const auto steps = *rc::gen::scale(
        4.0, rc::gen::container<std::vector<std::tuple<std::uint8_t, std::uint16_t, std::uint16_t>>>(rc::gen::tuple(
                 rc::gen::inRange<std::uint8_t>(0, 15), rc::gen::resize(100, rc::gen::arbitrary<std::uint16_t>()),
                 rc::gen::resize(100, rc::gen::arbitrary<std::uint16_t>()))));
    Comparison comparison;
    for (const auto& [kind, a, b] : steps) comparison.Do({.kind = kind, .a = a, .b = b});
    comparison.Finish();
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace ktrial
