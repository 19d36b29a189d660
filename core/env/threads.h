// Threads starts and joins threads. Production starts OS threads; the simulator starts fibers, and so decides who runs when.
//
// There is no detach and no interrupt: what other clients do by interrupting a thread is a deadline or a Close here.
#ifndef CORE_ENV_THREADS_H_
#define CORE_ENV_THREADS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "core/env/clock.h"
#include "core/env/site.h"
#include "core/strong_int.h"

namespace ktrial {

class SyncHooks;  // core/env/sync.h

// Opaque: equal for equal threads, never reused within one Threads.
using ThreadId = StrongInt<struct ThreadIdTag, std::uint64_t>;

// A started thread. Owned by whoever spawned it; must have been joined (Join returned true) before it is destroyed, which is a
// KT_CHECK. Join may be called from one thread at a time.
class Thread {
 public:
  virtual ~Thread() = default;
  // Waits until the thread's function has returned: true. At the deadline: false, and the thread goes on. Never from the thread
  // itself (KT_CHECK).
  virtual bool Join(Instant deadline) = 0;
  virtual ThreadId id() const = 0;
};

// Thread safety: all operations may be called from any thread.
class Threads {
 public:
  virtual ~Threads() = default;
  // Starts a thread that runs `function` once. `name` is what tools show; a copy is kept, and the OS may cut it to 15 bytes.
  virtual std::unique_ptr<Thread> Spawn(std::string_view name, absl::AnyInvocable<void()> function) = 0;
  // Returns at or after the deadline, never before. A deadline in the past returns at once.
  virtual void SleepUntil(Instant deadline, Site site) = 0;
  // The thread that calls. Threads that were not spawned here have an id too.
  virtual ThreadId Current() const = 0;
  // How Mutex, CondVar and Atomic reach a simulated scheduler; null in production. Only core/env/sync.h asks.
  SyncHooks* sync_hooks() const { return sync_hooks_; }

 protected:
  explicit Threads(SyncHooks* sync_hooks) : sync_hooks_(sync_hooks) {}

 private:
  SyncHooks* const sync_hooks_;
};

}  // namespace ktrial

#endif  // CORE_ENV_THREADS_H_
