#include "sim/kernel/strategy.h"

#include <chrono>
#include <utility>

#include "core/check.h"

namespace ktrial::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// When threads are stalled, and for how long. What is common is short enough to fall between a deadline and what it is
// a deadline for; the long tail is a collector, or a machine that swaps.
class Stalls {
 public:
  Stalls(StallMode mode, Stream& stream) : mode_(mode), stream_(stream) {}

  bool on() const { return mode_ != StallMode::kNone; }
  Duration Draw() {
    if (!stream_.OneIn(mode_ == StallMode::kOften ? 16 : 2000)) return Duration::zero();
    const std::uint64_t length = stream_.Below(256);
    if (length < 32) return stream_.Between(Duration(1), microseconds(100));
    if (length < 248 || mode_ == StallMode::kOften) return stream_.Between(Duration(1), milliseconds(20));
    if (length < 255) return stream_.Between(milliseconds(20), milliseconds(200));
    return stream_.Between(milliseconds(100), seconds(30));
  }
  bool DrawSpuriousWake() { return stream_.OneIn(mode_ == StallMode::kOften ? 32 : 1000); }

 private:
  const StallMode mode_;
  Stream& stream_;
};

class StallingStrategy : public Strategy {
 public:
  StallingStrategy(StallMode mode, Stream stream) : stream_(std::move(stream)), stalls_(mode, stream_) {}
  StallingStrategy(const StallingStrategy&) = delete;
  Duration DrawStall(const ThreadInfo&) override { return stalls_.Draw(); }
  bool stalls() const override { return stalls_.on(); }
  bool DrawSpuriousWake(const ThreadInfo&) override { return stalls_.DrawSpuriousWake(); }

 protected:
  Stream stream_;

 private:
  Stalls stalls_;
};

class RoundRobin final : public StallingStrategy {
 public:
  using StallingStrategy::StallingStrategy;
  std::size_t ChooseNext(std::span<ThreadInfo* const>) override { return 0; }
  std::size_t ChooseWaiter(std::span<ThreadInfo* const>) override { return 0; }
};

class RandomWalk final : public StallingStrategy {
 public:
  using StallingStrategy::StallingStrategy;
  std::size_t ChooseNext(std::span<ThreadInfo* const> runnable) override { return stream_.Below(runnable.size()); }
  std::size_t ChooseWaiter(std::span<ThreadInfo* const> waiters) override { return stream_.Below(waiters.size()); }
};

}  // namespace

std::string_view StrategyKindName(StrategyKind kind) {
  return kind == StrategyKind::kRoundRobin ? "round_robin" : "random";
}

std::string_view StallModeName(StallMode mode) {
  switch (mode) {
    case StallMode::kNone:
      return "none";
    case StallMode::kRare:
      return "rare";
    case StallMode::kOften:
      return "often";
  }
  KT_CHECK(!"a mode outside the enumeration");
}

std::unique_ptr<Strategy> MakeStrategy(StrategyKind kind, StallMode stalls, Stream stream) {
  if (kind == StrategyKind::kRoundRobin) return std::make_unique<RoundRobin>(stalls, std::move(stream));
  return std::make_unique<RandomWalk>(stalls, std::move(stream));
}

}  // namespace ktrial::sim
