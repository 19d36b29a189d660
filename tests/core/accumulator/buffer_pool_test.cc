#include "core/accumulator/buffer_pool.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/env/posix/posix_env.h"
#include "core/wire/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/manual_doors.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

constexpr std::int64_t kPoolable = 100;

class BufferPoolTest : public ::testing::Test {
 protected:
  PoolBuffer Take(std::int64_t size) {
    absl::StatusOr<PoolBuffer> buffer = pool_.Allocate(size, kAtOnce);
    EXPECT_TRUE(buffer.ok()) << buffer.status();
    return buffer.ok() ? *std::move(buffer) : PoolBuffer();
  }
  std::int64_t Available() const { return pool_.stats().available_bytes; }

  // A thread that allocates with this deadline; it stands in line when this returns.
  struct Blocked {
    std::unique_ptr<Thread> thread;
    std::optional<absl::StatusOr<PoolBuffer>> result;
  };
  std::unique_ptr<Blocked> Block(std::int64_t size, Instant deadline) {
    auto blocked = std::make_unique<Blocked>();
    const std::int32_t waiters = pool_.stats().waiters;
    blocked->thread = threads_.Spawn(
        "waiter", [this, size, deadline, raw = blocked.get()] { raw->result.emplace(pool_.Allocate(size, deadline)); });
    while (pool_.stats().waiters == waiters) std::this_thread::yield();
    return blocked;
  }
  static absl::StatusOr<PoolBuffer>& Join(Blocked& blocked) {
    EXPECT_TRUE(blocked.thread->Join(Instant::Never()));
    return *blocked.result;
  }

  static constexpr Instant kAtOnce = Instant::FromNanos(1);
  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  Threads& threads_ = env_->threads();
  ManualClock clock_;
  NotingObserver observer_;
  BufferPool pool_{{.total_bytes = 1000, .poolable_bytes = kPoolable}, threads_, clock_, observer_};
};

// BP-01
TEST_F(BufferPoolTest, ABufferOfPoolableSizeIsKeptAndGivenOutAgain) {
  PoolBuffer buffer = Take(kPoolable);
  const char* memory = buffer.memory.get();
  pool_.Deallocate(std::move(buffer));
  EXPECT_EQ(Take(kPoolable).memory.get(), memory);
}

TEST_F(BufferPoolTest, TheBufferThatCameBackLastIsGivenOutFirst) {
  PoolBuffer first = Take(kPoolable);
  PoolBuffer second = Take(kPoolable);
  const char* hot = second.memory.get();
  pool_.Deallocate(std::move(first));
  pool_.Deallocate(std::move(second));
  EXPECT_EQ(Take(kPoolable).memory.get(), hot);
}

// BP-02
TEST_F(BufferPoolTest, KeptBuffersCountAsAvailable) {
  PoolBuffer buffer = Take(kPoolable);
  EXPECT_EQ(Available(), 900);
  pool_.Deallocate(std::move(buffer));
  EXPECT_EQ(Available(), 1000);
}

// BP-02: 3 GiB of kept buffers do not fit 32 bits. The heap gives a token instead of memory, which nobody touches.
TEST_F(BufferPoolTest, AccountsBeyond32Bits) {
  constexpr std::int64_t kGiB = std::int64_t{1} << 30;
  BufferPool pool({.total_bytes = 4 * kGiB, .poolable_bytes = kGiB, .heap = [](std::size_t) { return new char[1]; }},
                  threads_, clock_, observer_);
  std::vector<PoolBuffer> buffers;
  for (int i = 0; i < 3; ++i) buffers.push_back(*pool.Allocate(kGiB, kAtOnce));
  EXPECT_EQ(pool.stats().available_bytes, kGiB);
  for (PoolBuffer& buffer : buffers) pool.Deallocate(std::move(buffer));
  EXPECT_EQ(pool.stats().available_bytes, 4 * kGiB);
  EXPECT_TRUE(pool.Allocate(4 * kGiB - 1, kAtOnce).ok());
}

// BP-03
TEST_F(BufferPoolTest, KeptBuffersAreDiscardedForARequestOfAnotherSize) {
  std::vector<PoolBuffer> buffers;
  for (int i = 0; i < 10; ++i) buffers.push_back(Take(kPoolable));
  const char* hot = buffers.back().memory.get();
  for (PoolBuffer& buffer : buffers) pool_.Deallocate(std::move(buffer));
  PoolBuffer large = Take(850);
  EXPECT_EQ(large.size, 850);
  EXPECT_EQ(Available(), 150);
  EXPECT_EQ(Take(kPoolable).memory.get(), hot);  // The coldest went.
}

// BP-04
TEST_F(BufferPoolTest, ARequestForMoreThanTheWholePoolIsRefusedAtOnce) {
  EXPECT_EQ(pool_.Allocate(1001, Instant::Never()).status().code(), absl::StatusCode::kInvalidArgument);
}

// BP-05
TEST_F(BufferPoolTest, AWaiterIsServedWhenMemoryComesBack) {
  PoolBuffer all = Take(1000);
  const auto waiter = Block(300, Instant::Never());
  pool_.Deallocate(std::move(all));
  EXPECT_TRUE(Join(*waiter).ok());
  EXPECT_EQ(Available(), 700);
}

// BP-05
TEST_F(BufferPoolTest, ALargeRequestIsNotOvertakenBySmallOnesBehindIt) {
  PoolBuffer half = Take(500);
  PoolBuffer other_half = Take(500);
  const auto large = Block(800, Instant::Never());
  const auto small = Block(100, Instant::Never());
  pool_.Deallocate(std::move(half));
  EXPECT_EQ(pool_.stats().waiters, 2);
  pool_.Deallocate(std::move(other_half));
  EXPECT_TRUE(Join(*large).ok());
  EXPECT_TRUE(Join(*small).ok());
}

// BP-06
TEST_F(BufferPoolTest, ANewcomerQueuesBehindAWaiterThoughItsRequestWouldFit) {
  PoolBuffer most = Take(900);
  const auto waiter = Block(500, Instant::Never());
  EXPECT_EQ(pool_.TryAllocate(100).memory, nullptr);
  EXPECT_EQ(pool_.Allocate(100, kAtOnce).status().code(), wire::KafkaError(wire::ErrorCode::kRequestTimedOut).code());
  pool_.Deallocate(std::move(most));
  EXPECT_TRUE(Join(*waiter).ok());
  EXPECT_NE(pool_.TryAllocate(100).memory, nullptr);
}

// BP-07
TEST_F(BufferPoolTest, OneReturnServesAllWaitersThatItSufficesFor) {
  PoolBuffer all = Take(1000);
  const auto first = Block(kPoolable, Instant::Never());
  const auto second = Block(kPoolable, Instant::Never());
  const auto third = Block(900, Instant::Never());
  pool_.Deallocate(std::move(all));
  EXPECT_TRUE(Join(*first).ok());
  EXPECT_TRUE(Join(*second).ok());
  EXPECT_EQ(pool_.stats().waiters, 1);
  pool_.Deallocate(*std::move(*first->result));
  EXPECT_TRUE(Join(*third).ok());
}

// BP-08, BP-09, BP-10
TEST_F(BufferPoolTest, ATimedOutWaiterLeavesTheLineAndTheMemoryAsTheyWere) {
  PoolBuffer most = Take(950);
  const absl::StatusOr<PoolBuffer> result = pool_.Allocate(100, kAtOnce);
  EXPECT_EQ(wire::KafkaCode(result.status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_EQ(pool_.stats().waiters, 0);
  EXPECT_EQ(Available(), 50);
  EXPECT_EQ(pool_.stats().exhausted, 1);
}

// BP-08: on the machine's clock, because this is about a wait that really waits.
TEST_F(BufferPoolTest, AWaitDoesNotEndBeforeItsDeadline) {
  BufferPool pool({.total_bytes = 100, .poolable_bytes = 100}, threads_, env_->clock(), observer_);
  const PoolBuffer all = pool.TryAllocate(100);
  const Instant deadline = env_->clock().Now() + Millis(20);
  EXPECT_EQ(wire::KafkaCode(pool.Allocate(1, deadline).status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_GE(env_->clock().Now(), deadline);
  EXPECT_GE(pool.stats().wait_time, Millis(19));  // BP-16; it begins a moment after `deadline` was computed
}

// BP-09: what is too little for the first may suffice for those behind.
TEST_F(BufferPoolTest, AWaiterThatGivesUpLetsThoseBehindItTakeWhatIsThere) {
  BufferPool pool({.total_bytes = 1000, .poolable_bytes = 100}, threads_, env_->clock(), observer_);
  PoolBuffer most = pool.TryAllocate(900);
  std::optional<absl::StatusOr<PoolBuffer>> large;
  std::optional<absl::StatusOr<PoolBuffer>> small;
  const Instant deadline = env_->clock().Now() + Millis(200);
  const auto first = threads_.Spawn("large", [&] { large.emplace(pool.Allocate(500, deadline)); });
  while (pool.stats().waiters < 1) std::this_thread::yield();
  const auto second = threads_.Spawn("small", [&] { small.emplace(pool.Allocate(100, Instant::Never())); });
  EXPECT_TRUE(first->Join(Instant::Never()));
  EXPECT_TRUE(second->Join(Instant::Never()));
  EXPECT_EQ(wire::KafkaCode(large->status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_TRUE(small->ok());
}

// D-9: the pool's clock stands exactly at the deadline, while the thread still waits on the machine's clock.
TEST_F(BufferPoolTest, MemoryThatComesBackAtTheDeadlineComesTooLate) {
  PoolBuffer all = Take(1000);
  const Instant deadline = env_->clock().Now() + std::chrono::minutes(10);
  const auto late = Block(400, deadline);
  const auto next = Block(400, Instant::Never());
  clock_.now = deadline;
  pool_.Deallocate(std::move(all));
  EXPECT_EQ(wire::KafkaCode(Join(*late).status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_TRUE(Join(*next).ok());
  EXPECT_EQ(Available(), 600);
}

TEST_F(BufferPoolTest, MemoryThatComesBackJustBeforeTheDeadlineIsGranted) {
  PoolBuffer all = Take(1000);
  const Instant deadline = env_->clock().Now() + std::chrono::minutes(10);
  const auto waiter = Block(400, deadline);
  clock_.now = deadline - Duration(1);
  pool_.Deallocate(std::move(all));
  EXPECT_TRUE(Join(*waiter).ok());
}

// Lets something happen when it is read for the first time: between the look at the books and the wait.
class MeanwhileClock final : public Clock {
 public:
  Instant Now() const override {
    if (absl::AnyInvocable<void()> hook = std::exchange(meanwhile, nullptr)) hook();
    return Instant::FromNanos(0);
  }
  WallTime WallNow() const override { return WallTime(); }
  mutable absl::AnyInvocable<void()> meanwhile;
};

// BP-05: else the thread would wait beside free memory, for a return that may never come.
TEST_F(BufferPoolTest, MemoryThatComesBackJustBeforeTheWaitIsTakenWithoutWaiting) {
  MeanwhileClock clock;
  BufferPool pool({.total_bytes = 100, .poolable_bytes = 100}, threads_, clock, observer_);
  PoolBuffer all = pool.TryAllocate(100);
  clock.meanwhile = [&] { pool.Deallocate(std::move(all)); };
  EXPECT_TRUE(pool.Allocate(100, kAtOnce).ok());
}

// Whoever sees to it that memory comes back must know that somebody waits, before he does.
TEST_F(BufferPoolTest, TheObserverIsToldOfAWaiterBeforeItWaits) {
  class WaiterObserver final : public ProducerObserver {
   public:
    void OnBufferPool(std::int64_t, std::int32_t waiters) override { seen.push_back(waiters); }
    std::vector<std::int32_t> seen;
  } waiters;
  BufferPool pool({.total_bytes = 100, .poolable_bytes = 100}, threads_, clock_, waiters);
  const PoolBuffer all = pool.TryAllocate(100);
  EXPECT_EQ(wire::KafkaCode(pool.Allocate(1, kAtOnce).status()), wire::ErrorCode::kRequestTimedOut);
  EXPECT_THAT(waiters.seen, ElementsAre(0, 1, 0));
}

char* EmptyHeap(std::size_t) { return nullptr; }

// BP-11
TEST_F(BufferPoolTest, AFailureOfTheHeapTakesTheChargeBack) {
  BufferPool pool({.total_bytes = 1000, .poolable_bytes = 100, .heap = &EmptyHeap}, threads_, clock_, observer_);
  EXPECT_EQ(pool.Allocate(100, kAtOnce).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pool.stats().available_bytes, 1000);
}

// BP-12
TEST_F(BufferPoolTest, ABufferOfAnotherSizeIsNotKept) {
  PoolBuffer buffer = Take(150);
  pool_.Deallocate(std::move(buffer));
  EXPECT_EQ(Available(), 1000);
  EXPECT_EQ(Take(1000).size, 1000);
}

// BP-13
TEST_F(BufferPoolTest, AClosedPoolRefusesToAllocateButTakesMemoryBack) {
  PoolBuffer buffer = Take(300);
  pool_.Close();
  EXPECT_EQ(pool_.Allocate(100, Instant::Never()).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(pool_.TryAllocate(100).memory, nullptr);
  pool_.Deallocate(std::move(buffer));
  EXPECT_EQ(Available(), 1000);
}

// BP-13
TEST_F(BufferPoolTest, CloseFailsAllWaiters) {
  PoolBuffer all = Take(1000);
  const auto first = Block(100, Instant::Never());
  const auto second = Block(100, Instant::Never());
  pool_.Close();
  EXPECT_EQ(Join(*first).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Join(*second).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Available(), 0);
}

// AC-38
TEST_F(BufferPoolTest, TheObserverSeesEveryChangeOfTheBooks) {
  PoolBuffer small = Take(100);
  PoolBuffer large = Take(500);
  pool_.Deallocate(std::move(small));
  pool_.Deallocate(std::move(large));
  EXPECT_THAT(observer_.used, ElementsAre(100, 600, 500, 0));
}

// BP-05, BP-07
TEST_F(BufferPoolTest, ManyThreadsLoseNoMemoryAndAllComeThrough) {
  BufferPool pool({.total_bytes = 1000, .poolable_bytes = 100}, threads_, env_->clock(), NoObserver());
  std::vector<std::unique_ptr<Thread>> workers;
  for (int worker = 0; worker < 8; ++worker) {
    workers.push_back(threads_.Spawn("worker", [&pool, worker] {
      for (int i = 0; i < 2000; ++i) {
        const std::int64_t size = (i + worker) % 3 == 0 ? 100 : 1 + (i * 37 + worker * 101) % 700;
        absl::StatusOr<PoolBuffer> buffer = pool.Allocate(size, Instant::Never());
        ASSERT_TRUE(buffer.ok());
        buffer->memory[0] = buffer->memory[static_cast<std::size_t>(size - 1)] = 'x';
        pool.Deallocate(*std::move(buffer));
      }
    }));
  }
  for (const auto& worker : workers) EXPECT_TRUE(worker->Join(Instant::Never()));
  EXPECT_EQ(pool.stats().available_bytes, 1000);
  EXPECT_EQ(pool.stats().waiters, 0);
}

}  // namespace
}  // namespace ktrial
