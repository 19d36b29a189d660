// The pool in simulated worlds. Against a model, where every moment of a plan is different, so that no schedule can change the outcome;
// and under all the disorder that the simulator can make, where the books must balance.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/accumulator/buffer_pool.h"
#include "core/observer.h"
#include "core/wire/status.h"
#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/sim_threads.h"
#include "sim/trace/trace.h"

namespace ktrial {
namespace {

constexpr std::int64_t kTotal = 1000;
constexpr std::int64_t kPoolable = 100;

// One thread: it comes, asks for memory until a deadline, keeps what it gets until a moment, or gives it back at once if that is past.
struct Request {
  std::int64_t size = 1;
  Instant comes;
  Instant deadline;
  Instant returns;
};
struct Outcome {
  std::optional<Instant> granted;
  std::optional<Instant> gave_up;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// First come, first served, over a sorted list of what happens.
class PoolModel {
 public:
  explicit PoolModel(const std::vector<Request>& requests) : requests_(requests), outcomes_(requests.size()) {
    for (std::size_t i = 0; i < requests.size(); ++i) agenda_[requests[i].comes] = {What::kComes, i};
    for (std::size_t i = 0; i < requests.size(); ++i) agenda_[requests[i].deadline] = {What::kDeadline, i};
    while (!agenda_.empty()) {
      const auto [now, event] = *agenda_.begin();
      agenda_.erase(agenda_.begin());
      Happen(now, event.first, event.second);
    }
  }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  std::int64_t available() const { return available_; }

 private:
  enum class What { kComes, kDeadline, kReturns };

  void Happen(Instant now, What what, std::size_t who) {
    const auto place = std::find(line_.begin(), line_.end(), who);
    switch (what) {
      case What::kComes:
        line_.push_back(who);
        break;
      case What::kDeadline:
        if (place == line_.end()) return;
        line_.erase(place);
        outcomes_[who].gave_up = now;
        break;
      case What::kReturns:
        available_ += requests_[who].size;
        break;
    }
    while (!line_.empty() && available_ >= requests_[line_.front()].size) {
      const std::size_t first = line_.front();
      line_.pop_front();
      outcomes_[first].granted = now;
      if (requests_[first].returns <= now) continue;  // Back at once.
      available_ -= requests_[first].size;
      agenda_[requests_[first].returns] = {What::kReturns, first};
    }
  }

  const std::vector<Request>& requests_;
  std::vector<Outcome> outcomes_;
  std::map<Instant, std::pair<What, std::size_t>> agenda_;
  std::deque<std::size_t> line_;
  std::int64_t available_ = kTotal;
};

struct PoolWorld {
  explicit PoolWorld(const sim::KernelOptions& options) : kernel(options, trace), clock(kernel, "client", WallTime()) {}
  sim::Trace trace;
  sim::Kernel kernel;
  sim::SimClock clock;
  BufferPool pool{{.total_bytes = kTotal, .poolable_bytes = kPoolable}, kernel.threads(), clock, NoObserver()};
};

std::vector<Outcome> RunRequests(const std::vector<Request>& requests) {
  PoolWorld world({});
  std::vector<Outcome> outcomes(requests.size());
  std::vector<std::unique_ptr<Thread>> threads;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    threads.push_back(world.kernel.threads().Spawn("asker", [&world, &request = requests[i], &outcome = outcomes[i]] {
      Threads& threads = world.kernel.threads();
      threads.SleepUntil(request.comes, Site("test.buffer_pool.comes"));
      absl::StatusOr<PoolBuffer> buffer = world.pool.Allocate(request.size, request.deadline);
      (buffer.ok() ? outcome.granted : outcome.gave_up) = world.clock.Now();
      if (!buffer.ok()) return;
      if (request.returns > world.clock.Now()) threads.SleepUntil(request.returns, Site("test.buffer_pool.returns"));
      world.pool.Deallocate(*std::move(buffer));
    }));
  }
  RC_ASSERT(world.kernel.Run().end == sim::KernelEnd::kIdle);
  for (const auto& thread : threads) thread->Join(Instant());
  RC_ASSERT(world.pool.stats().available_bytes == kTotal);
  RC_ASSERT(world.pool.stats().waiters == 0);
  return outcomes;
}

// BP-02 to BP-09
TEST(BufferPoolModelTest, GrantsAndRefusesWhatFirstComeFirstServedDemands) {
  const bool holds = rc::check("the pool serves in line", [] {
    const auto drawn = *rc::gen::container<std::vector<std::tuple<int, int, int, int>>>(rc::gen::tuple(
        rc::gen::inRange(1, 13), rc::gen::inRange(0, 300), rc::gen::inRange(1, 200), rc::gen::inRange(1, 200)));
    const Instant start = Instant::FromNanos(5'000'000'000'000);
    std::vector<Request> requests;
    for (const auto& [size, comes, patience, keeps] : drawn) {
      // Three moments of its own for each thread: the last digits tell threads and kinds apart.
      const auto moment = [&](int micros, int kind) {
        return start + std::chrono::microseconds(micros) +
               Duration(static_cast<std::int64_t>(requests.size()) * 3 + kind);
      };
      requests.push_back({.size = size <= 10 ? size * 100 : size * 23,
                          .comes = moment(comes, 0),
                          .deadline = moment(comes + patience, 1),
                          .returns = moment(comes + keeps, 2)});
    }
    RC_PRE(requests.size() < 300u);
    const PoolModel model(requests);
    RC_ASSERT(model.available() == kTotal);
    RC_ASSERT((RunRequests(requests) == model.outcomes()));
  });
  EXPECT_TRUE(holds);
}

// BP-05 to BP-09, BP-13: threads that are stalled anywhere, and a pool that may be closed in the middle.
void ExpectBalancedBooks(std::uint64_t seed, sim::StallMode stalls, bool close) {
  PoolWorld world({.seed = seed, .stalls = stalls});
  Threads& threads = world.kernel.threads();
  sim::Stream draws = world.kernel.NewStream("test", "requests");
  std::int64_t held = 0;
  std::vector<std::unique_ptr<Thread>> handles;
  for (int worker = 0; worker < 4; ++worker) {
    handles.push_back(threads.Spawn("worker", [&] {
      for (int i = 0; i < 20; ++i) {
        const std::int64_t size = draws.Below(2) == 0 ? kPoolable : draws.Between(1, 900);
        const Instant deadline = world.clock.Now() + std::chrono::microseconds(draws.Between(0, 2000));
        absl::StatusOr<PoolBuffer> buffer = world.pool.Allocate(size, deadline);
        if (!buffer.ok()) {
          if (wire::HasKafkaCode(buffer.status())) {
            EXPECT_GE(world.clock.Now(), deadline);
          } else {
            EXPECT_EQ(buffer.status().code(), absl::StatusCode::kCancelled);
          }
          continue;
        }
        held += size;
        EXPECT_LE(held, kTotal);
        threads.SleepUntil(world.clock.Now() + std::chrono::microseconds(draws.Between(0, 700)),
                           Site("test.buffer_pool.holds"));
        held -= size;
        world.pool.Deallocate(*std::move(buffer));
      }
    }));
  }
  if (close) {
    handles.push_back(threads.Spawn("closer", [&world, &threads] {
      threads.SleepUntil(world.clock.Now() + std::chrono::milliseconds(5), Site("test.buffer_pool.close"));
      world.pool.Close();
    }));
  }
  const sim::KernelResult result = world.kernel.Run();
  if (result.end != sim::KernelEnd::kIdle) world.kernel.Abandon();
  ASSERT_EQ(result.end, sim::KernelEnd::kIdle) << result.text;
  for (const auto& handle : handles) handle->Join(Instant());
  EXPECT_EQ(world.pool.stats().available_bytes, kTotal);
  EXPECT_EQ(world.pool.stats().waiters, 0);
}

TEST(BufferPoolModelTest, InNoScheduleIsMemoryLostOrAThreadForgotten) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const sim::StallMode stalls : {sim::StallMode::kNone, sim::StallMode::kRare, sim::StallMode::kOften}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", stalls " + std::string(sim::StallModeName(stalls)));
      ExpectBalancedBooks(seed, stalls, seed % 3 == 0);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace ktrial
