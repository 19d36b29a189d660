// Five requests in flight to a partition, and every pattern of what can become of them (B070): the log has every record
// once, in order. Also from the first batch on, when no broker knows the producer yet.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/producer/sender_world.h"

namespace ktrial::testing {
namespace {

using wire::ErrorCode;

enum class Fate : std::uint8_t { kFine, kNotLeader, kTimedOutBefore, kTimedOutAfter, kDisconnect };
constexpr int kFates = 5;
constexpr int kBatches = 5;

// A partition as a broker keeps it, by the rules alone: the next number of the epoch, and the last five batches. From a producer
// that it has never seen it takes any number, as brokers do since 2.5.
class Log {
 public:
  // What the broker answers to a batch that it looks at; an offset of -1 with an error.
  std::pair<ErrorCode, std::int64_t> Take(const wire::BatchProducer& producer, const std::vector<std::string>& values) {
    const std::int32_t base = producer.base_sequence.value();
    if (producer.epoch.value() < epoch_) return {ErrorCode::kInvalidProducerEpoch, -1};
    if (producer.epoch.value() > epoch_) {
      if (base != 0) return {ErrorCode::kOutOfOrderSequenceNumber, -1};
      epoch_ = producer.epoch.value();
      next_ = 0;
      last_.clear();
    }
    if (records.empty()) next_ = base;
    for (const auto& [known_base, offset] : last_) {
      if (known_base == base) return {ErrorCode::kNone, offset};
    }
    if (base < next_) return {ErrorCode::kDuplicateSequenceNumber, -1};
    if (base > next_) return {ErrorCode::kOutOfOrderSequenceNumber, -1};
    const auto offset = static_cast<std::int64_t>(records.size());
    last_.emplace_back(base, offset);
    if (last_.size() > 5) last_.erase(last_.begin());
    next_ += static_cast<std::int32_t>(values.size());
    records.insert(records.end(), values.begin(), values.end());
    return {ErrorCode::kNone, offset};
  }

  std::vector<std::string> records;

 private:
  std::int16_t epoch_ = 0;
  std::int32_t next_ = 0;
  std::vector<std::pair<std::int32_t, std::int64_t>> last_;
};

// The pattern says what becomes of five requests behind the first `known`.
class Trial {
 public:
  Trial(int pattern, std::size_t known) : pattern_(pattern), known_(known) { world_.cluster.topics["t"] = {{1}}; }

  std::vector<std::string> Run() {
    if (known_ > 0) {
      world_.Append("t", 0, "known");
      ServeUntilTold(known_);
    }
    for (int i = 0; i < kBatches; ++i) world_.Append("t", 0, std::to_string(i));
    // All that may be in flight at once is, and no turn has waited for an answer.
    for (int turn = 0; turn < 2 * kBatches; ++turn) {
      world_.transport.WakeUp();
      world_.Turns(1);
    }
    in_flight_ = world_.cluster.produces.size() - served_;
    ServeUntilTold(known_ + kBatches);
    return log_.records;
  }
  std::size_t in_flight() const { return in_flight_; }
  std::vector<ErrorCode> codes() const { return world_.codes(); }

 private:
  void ServeUntilTold(std::size_t count) {
    world_.RunUntil([&] {
      ServeArrived();
      return world_.told.size() == count;
    });
  }

  // The requests that have arrived, in order, each once. What was on a connection that is gone was never looked at.
  void ServeArrived() {
    while (served_ < world_.cluster.produces.size()) {
      const std::size_t index = served_++;
      const ReceivedProduce request = world_.cluster.produces[index];
      if (std::ranges::find(lost_, request.connection) == lost_.end()) Serve(request, FateOf(index));
    }
  }

  // What comes again goes well.
  Fate FateOf(std::size_t request) const {
    if (request < known_ || request >= known_ + kBatches) return Fate::kFine;
    int rest = pattern_;
    for (std::size_t i = known_; i < request; ++i) rest /= kFates;
    return static_cast<Fate>(rest % kFates);
  }

  void Serve(const ReceivedProduce& request, Fate fate) {
    const auto& [partition, values] = *request.values.begin();
    const wire::BatchProducer& producer = request.producers.at(partition);
    switch (fate) {
      case Fate::kFine: {
        const auto [code, offset] = log_.Take(producer, values);
        return world_.cluster.Answer(request, code, offset);
      }
      case Fate::kNotLeader:
        return world_.cluster.Answer(request, ErrorCode::kNotLeaderOrFollower);
      case Fate::kTimedOutBefore:
        return world_.cluster.Answer(request, ErrorCode::kRequestTimedOut);
      case Fate::kTimedOutAfter: {
        const ErrorCode code = log_.Take(producer, values).first;
        return world_.cluster.Answer(request, code == ErrorCode::kNone ? ErrorCode::kRequestTimedOut : code);
      }
      case Fate::kDisconnect:
        lost_.push_back(request.connection);
        return world_.cluster.Drop(1);
    }
  }

  const int pattern_;
  const std::size_t known_;
  SenderWorld world_{{.brokers = 1, .accumulator = {.batch_size = 0, .linger = Duration::zero()}, .idempotent = true}};
  Log log_;
  std::size_t served_ = 0;
  std::size_t in_flight_ = 0;
  std::vector<ConnectionId> lost_;
};

int Patterns() {
  int patterns = 1;
  for (int i = 0; i < kBatches; ++i) patterns *= kFates;
  return patterns;
}

// SN-20, SN-23, SN-24, AC-24
TEST(IdempotencePatternsTest, AnyFateOfFiveInFlightLeavesEveryRecordOnceAndInOrder) {
  ASSERT_EQ(Patterns(), 3125);
  for (int pattern = 0; pattern < Patterns(); ++pattern) {
    SCOPED_TRACE(fmt::format("pattern {}", pattern));
    Trial trial(pattern, 1);
    ASSERT_THAT(trial.Run(), ::testing::ElementsAre("known", "0", "1", "2", "3", "4"));
    ASSERT_THAT(trial.codes(), ::testing::Each(ErrorCode::kNone));
    ASSERT_EQ(trial.in_flight(), kBatches);
  }
}

// SN-23
TEST(IdempotencePatternsTest, AnyFateOfTheFirstFiveLeavesEveryRecordOnceAndInOrder) {
  for (int pattern = 0; pattern < Patterns(); ++pattern) {
    SCOPED_TRACE(fmt::format("pattern {}", pattern));
    Trial trial(pattern, 0);
    ASSERT_THAT(trial.Run(), ::testing::ElementsAre("0", "1", "2", "3", "4"));
    ASSERT_THAT(trial.codes(), ::testing::Each(ErrorCode::kNone));
    ASSERT_EQ(trial.in_flight(), 1);
  }
}

}  // namespace
}  // namespace ktrial::testing
