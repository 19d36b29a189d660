// Simulated threads as a mechanism: stacks, and what the C++ run-time keeps per OS thread.
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/env/sync.h"
#include "gtest/gtest.h"
#include "sim/kernel/context.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KTRIAL_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KTRIAL_TEST_SANITIZED 1
#endif
#endif

// A kernel in round robin: two threads take turns at every scheduling point.
class ThreadsTest : public ::testing::Test {
 protected:
  Threads& threads() { return kernel_.threads(); }
  void Yield() { turn_.Load(); }
  // Runs the functions as threads of one world, to their end.
  void RunAll(std::vector<absl::AnyInvocable<void()>> functions) {
    std::vector<std::unique_ptr<Thread>> handles;
    for (auto& function : functions) {
      handles.push_back(threads().Spawn("thread-" + std::to_string(handles.size()), std::move(function)));
    }
    EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
    for (const auto& handle : handles) EXPECT_TRUE(handle->Join(Instant()));
  }

  Trace trace_;
  Kernel kernel_{{.strategy = StrategyKind::kRoundRobin}, trace_};
  Atomic<int> turn_{kernel_.threads(), Site("test.threads.turn"), 0};
};

TEST_F(ThreadsTest, TwoThreadsInHandlersRethrowTheirOwnExceptions) {
  std::vector<std::string> caught(2);
  const auto thrower = [&](int index) {
    try {
      throw std::runtime_error("of thread " + std::to_string(index));
    } catch (...) {
      Yield();  // the other one is inside its handler now
      try {
        throw;
      } catch (const std::exception& error) {
        caught[static_cast<std::size_t>(index)] = error.what();
      }
    }
  };
  std::vector<absl::AnyInvocable<void()>> both;
  both.emplace_back([&] { thrower(0); });
  both.emplace_back([&] { thrower(1); });
  RunAll(std::move(both));
  EXPECT_EQ(caught, (std::vector<std::string>{"of thread 0", "of thread 1"}));
}

TEST_F(ThreadsTest, AnUnwindingThreadDoesNotUnwindOthers) {
  std::vector<int> seen;
  struct OnUnwind {
    absl::FunctionRef<void()> action;
    ~OnUnwind() { action(); }
  };
  std::vector<absl::AnyInvocable<void()>> both;
  both.emplace_back([&] {
    try {
      const auto yield = [&] {
        EXPECT_EQ(std::uncaught_exceptions(), 1);
        Yield();
        EXPECT_EQ(std::uncaught_exceptions(), 1);
      };
      OnUnwind yields{yield};
      throw std::runtime_error("unwinds");
    } catch (const std::runtime_error&) {
    }
  });
  both.emplace_back([&] {
    for (int i = 0; i < 3; ++i) {
      seen.push_back(std::uncaught_exceptions());
      Yield();
    }
  });
  RunAll(std::move(both));
  EXPECT_EQ(seen, (std::vector<int>{0, 0, 0}));
}

TEST_F(ThreadsTest, ErrnoBelongsToAThread) {
  std::vector<absl::AnyInvocable<void()>> both;
  for (const int mine : {ENOENT, EINTR}) {
    both.emplace_back([this, mine] {
      UncheckedSection one_place;  // for the OS thread, and so for ThreadSanitizer
      errno = mine;
      Yield();
      EXPECT_EQ(errno, mine);
    });
  }
  RunAll(std::move(both));
}

TEST_F(ThreadsTest, AnEscapedExceptionReachesTheRunner) {
  const auto thread = threads().Spawn("thrower", [] { throw std::runtime_error("nobody catches me"); });
  try {
    kernel_.Run();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "nobody catches me");
  }
  EXPECT_TRUE(thread->Join(Instant()));
}

TEST_F(ThreadsTest, AWorldGoesOnAfterAnEscapedException) {
  bool ran = false;
  const auto thrower = threads().Spawn("thrower", [] { throw 7; });
  const auto other = threads().Spawn("other", [&] {
    Yield();
    Yield();
    ran = true;
  });
  EXPECT_THROW(kernel_.Run(), int);
  EXPECT_EQ(kernel_.Run().end, KernelEnd::kIdle);
  EXPECT_TRUE(ran);
  EXPECT_TRUE(thrower->Join(Instant()));
  EXPECT_TRUE(other->Join(Instant()));
}

// Deep enough to touch pages that nothing touched before.
__attribute__((noinline)) int Deep(int depth, absl::FunctionRef<void()> at_bottom) {
  volatile char frame[512];
  std::memset(const_cast<char*>(frame), depth, sizeof frame);
  if (depth == 0) {
    at_bottom();
    return frame[3];
  }
  return Deep(depth - 1, at_bottom) + frame[7];
}

TEST_F(ThreadsTest, DeepStacksOfManyThreadsDoNotMeet) {
  std::vector<absl::AnyInvocable<void()>> many;
  Atomic<int> returned(threads(), Site("test.threads.returned"), 0);
  for (int i = 0; i < 200; ++i) {
    many.emplace_back([&] {
      if (Deep(100, [&] { Yield(); }) != 0) returned.AddRelaxed(1);
    });
  }
  RunAll(std::move(many));
  EXPECT_EQ(returned.LoadRelaxed(), 200);
}

TEST(StackPoolTest, AStackThatWasGivenBackIsTakenAgain) {
  StackPool pool;
  const Stack stack = pool.Take();
  pool.Give(stack);
  EXPECT_EQ(pool.Take().low, stack.low);
  pool.Give(stack);
}

TEST(StackPoolTest, ThreadsThatRunOneAfterTheOtherShareAStack) {
  StackPool pool;
  std::vector<const void*> stacks;
  for (int i = 0; i < 3; ++i) {
    Trace trace;
    Kernel kernel({.stacks = &pool}, trace);
    const auto thread = kernel.threads().Spawn("short", [&] {
      const int local = 0;
      stacks.push_back(&local);
    });
    EXPECT_EQ(kernel.Run().end, KernelEnd::kIdle);
    EXPECT_TRUE(thread->Join(Instant()));
  }
#ifndef KTRIAL_TEST_SANITIZED  // AddressSanitizer may place locals elsewhere
  EXPECT_EQ(stacks[0], stacks[1]);
  EXPECT_EQ(stacks[1], stacks[2]);
#endif
}

#ifndef KTRIAL_TEST_SANITIZED
TEST_F(ThreadsTest, AnOverflowOfTheStackNamesTheThread) {
  const auto overflow = [this] {
    const auto thread = threads().Spawn("too deep", [] { Deep(1'000'000, [] {}); });
    kernel_.Run();
  };
  EXPECT_DEATH(overflow(), "stack overflow in the simulated thread \"too deep\"");
}
#endif

}  // namespace
}  // namespace ktrial::sim
