#include "core/env/posix/posix_threads.h"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

ThreadId IdOfThisThread() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t id = next.fetch_add(1, std::memory_order_relaxed);
  return ThreadId(id);
}

class PosixThread final : public Thread {
 public:
  PosixThread(std::string_view name, absl::AnyInvocable<void()> function) {
    native_ = std::thread([this, name = std::string(name.substr(0, 15)), function = std::move(function)]() mutable {
      pthread_setname_np(pthread_self(), name.c_str());
      {
        std::lock_guard<std::mutex> lock(mutex_);
        id_ = IdOfThisThread();
        state_ = State::kRunning;
      }
      changed_.notify_all();
      function();
      function = nullptr;  // What the function owns ends on its own thread, before Join returns.
      std::lock_guard<std::mutex> lock(mutex_);
      state_ = State::kEnded;
      changed_.notify_all();
    });
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return state_ != State::kStarting; });
  }
  ~PosixThread() override { KT_CHECK_MSG(!native_.joinable(), "a thread must be joined before it is destroyed"); }

  bool Join(Instant deadline) override {
    KT_CHECK(IdOfThisThread() != id_);
    if (!native_.joinable()) return true;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      const auto ended = [this] { return state_ == State::kEnded; };
      if (deadline == Instant::Never()) {
        changed_.wait(lock, ended);
      } else if (!changed_.wait_until(lock, std::chrono::steady_clock::time_point(Duration(deadline.nanos())), ended)) {
        return false;
      }
    }
    native_.join();
    return true;
  }
  ThreadId id() const override { return id_; }

 private:
  enum class State { kStarting, kRunning, kEnded };
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kStarting;
  ThreadId id_;  // Set before the constructor returns, never changed.
  std::thread native_;
};

}  // namespace

std::unique_ptr<Thread> PosixThreads::Spawn(std::string_view name, absl::AnyInvocable<void()> function) {
  return std::make_unique<PosixThread>(name, std::move(function));
}

void PosixThreads::SleepUntil(Instant deadline, Site) {
  if (deadline.nanos() <= 0) return;
  timespec time;
  time.tv_sec = deadline.nanos() / 1'000'000'000;
  time.tv_nsec = deadline.nanos() % 1'000'000'000;
  int error = 0;
  do {
    error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
  } while (error == EINTR);
  KT_CHECK(error == 0);
}

ThreadId PosixThreads::Current() const { return IdOfThisThread(); }

}  // namespace ktrial
