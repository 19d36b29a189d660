// Five requests in flight to a partition, and every pattern of what can become of them (B070): the log has every record
// once, in order.
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

// A partition as a broker keeps it, by the rules alone: the next number of the epoch, and the last five batches.
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

class Trial {
 public:
  explicit Trial(int pattern) : pattern_(pattern) { world_.cluster.topics["t"] = {{1}}; }

  std::vector<std::string> Run() {
    for (int i = 0; i < kBatches; ++i) world_.Append("t", 0, std::to_string(i));
    world_.AwaitProduce(kBatches);
    world_.RunUntil([&] {
      ServeArrived();
      return world_.told.size() == kBatches;
    });
    return log_.records;
  }
  std::vector<ErrorCode> codes() const { return world_.codes(); }

 private:
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
    if (request >= kBatches) return Fate::kFine;
    int rest = pattern_;
    for (std::size_t i = 0; i < request; ++i) rest /= kFates;
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
  SenderWorld world_{{.brokers = 1, .accumulator = {.batch_size = 0, .linger = Duration::zero()}, .idempotent = true}};
  Log log_;
  std::size_t served_ = 0;
  std::vector<ConnectionId> lost_;
};

// SN-20, SN-23, SN-24, AC-24
TEST(IdempotencePatternsTest, AnyFateOfFiveInFlightLeavesEveryRecordOnceAndInOrder) {
  int patterns = 1;
  for (int i = 0; i < kBatches; ++i) patterns *= kFates;
  ASSERT_EQ(patterns, 3125);
  for (int pattern = 0; pattern < patterns; ++pattern) {
    SCOPED_TRACE(fmt::format("pattern {}", pattern));
    Trial trial(pattern);
    ASSERT_THAT(trial.Run(), ::testing::ElementsAre("0", "1", "2", "3", "4"));
    ASSERT_THAT(trial.codes(), ::testing::Each(ErrorCode::kNone));
  }
}

}  // namespace
}  // namespace ktrial::testing
