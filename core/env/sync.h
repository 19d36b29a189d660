// Mutex, CondVar and Atomic<T>: the only means by which threads in core/ share state. They are concrete value types with one
// predictable branch to the simulator, so the same object code runs in both worlds; this is the only file of core/ that names
// std::mutex, std::condition_variable and std::atomic.
//
// Each is built with the Threads of its world. In simulation every lock, unlock, wait, notify and every access of an Atomic is a
// scheduling point. Clang's thread-safety analysis knows these types.
//
// A wait always has a predicate and a deadline. The predicate is called with the lock held, has no side effects and does not
// depend on time (the deadline is for that); the simulator calls it whenever it likes.
#ifndef CORE_ENV_SYNC_H_
#define CORE_ENV_SYNC_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "core/env/clock.h"
#include "core/env/site.h"
#include "core/env/threads.h"

namespace ktrial {

// What a simulated scheduler does in place of the native primitives. Handles are the scheduler's own objects.
class SyncHooks {
 public:
  virtual ~SyncHooks() = default;
  virtual void* CreateMutex(Site name) = 0;
  virtual void DestroyMutex(void* mutex) = 0;
  virtual void Lock(void* mutex) = 0;
  virtual bool TryLock(void* mutex) = 0;
  virtual void Unlock(void* mutex) = 0;
  virtual void* CreateCondVar() = 0;
  virtual void DestroyCondVar(void* cond_var) = 0;
  virtual bool Wait(void* cond_var, void* mutex, Instant deadline, absl::FunctionRef<bool()> predicate, Site site) = 0;
  virtual void NotifyOne(void* cond_var) = 0;
  virtual void NotifyAll(void* cond_var) = 0;
  // Before an access of an Atomic: another thread may run here.
  virtual void AtomicAccess(Site name) = 0;
};

// Mutual exclusion, not recursive. Destroying a locked one is a defect. `name` is the site of its lock and unlock.
class ABSL_LOCKABLE Mutex {
 public:
  Mutex(Threads& threads, Site name)
      : hooks_(threads.sync_hooks()), handle_(hooks_ == nullptr ? nullptr : hooks_->CreateMutex(name)) {}
  ~Mutex() {
    if (hooks_ != nullptr) [[unlikely]] hooks_->DestroyMutex(handle_);
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    if (hooks_ != nullptr) [[unlikely]] {
      hooks_->Lock(handle_);
    } else {
      native_.lock();
    }
  }
  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    if (hooks_ != nullptr) [[unlikely]] return hooks_->TryLock(handle_);
    return native_.try_lock();
  }
  void Unlock() ABSL_UNLOCK_FUNCTION() {
    if (hooks_ != nullptr) [[unlikely]] {
      hooks_->Unlock(handle_);
    } else {
      native_.unlock();
    }
  }
  // For a function that is only reached with the lock held but cannot say so in its type (a predicate, a callback).
  void AssertHeld() const ABSL_ASSERT_EXCLUSIVE_LOCK() {}

 private:
  friend class CondVar;
  SyncHooks* const hooks_;
  void* const handle_;
  std::mutex native_;
};

// Holds a Mutex for a scope. Unlock and Lock serve code that has to let go in between.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() {
    if (held_) mutex_.Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void Unlock() ABSL_UNLOCK_FUNCTION() {
    held_ = false;
    mutex_.Unlock();
  }
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    mutex_.Lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

// Threads wait here for a condition on what `mutex` guards. All waits on one CondVar use the same Mutex.
class CondVar {
 public:
  explicit CondVar(Threads& threads)
      : hooks_(threads.sync_hooks()), handle_(hooks_ == nullptr ? nullptr : hooks_->CreateCondVar()) {}
  ~CondVar() {
    if (hooks_ != nullptr) [[unlikely]] hooks_->DestroyCondVar(handle_);
  }
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // Returns true once the predicate holds, false at the deadline if it does not hold then. `mutex` is held before and after and
  // released while waiting; the predicate is checked first, so a deadline in the past is a plain test.
  bool Wait(Mutex& mutex, Instant deadline, absl::FunctionRef<bool()> predicate, Site site)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  // Wakes one, or all, of the threads that wait now. Which one is not promised. The lock need not be held.
  void NotifyOne() {
    if (hooks_ != nullptr) [[unlikely]] {
      hooks_->NotifyOne(handle_);
    } else {
      native_.notify_one();
    }
  }
  void NotifyAll() {
    if (hooks_ != nullptr) [[unlikely]] {
      hooks_->NotifyAll(handle_);
    } else {
      native_.notify_all();
    }
  }

 private:
  SyncHooks* const hooks_;
  void* const handle_;
  std::condition_variable native_;
};

// A shared word for the few places where a lock is too much: the sleeping flag of the sender, counters of metrics.
// Loads and stores are sequentially consistent, so that "set my flag, then look at yours" works; the Relaxed forms are for
// counters that order nothing else, and are no scheduling points.
template <class T>
class Atomic {
 public:
  Atomic(Threads& threads, Site name, T initial) : hooks_(threads.sync_hooks()), name_(name), value_(initial) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T Load() const {
    Point();
    return value_.load(std::memory_order_seq_cst);
  }
  void Store(T value) {
    Point();
    value_.store(value, std::memory_order_seq_cst);
  }
  T Exchange(T value) {
    Point();
    return value_.exchange(value, std::memory_order_seq_cst);
  }
  // On failure `expected` becomes what was found.
  bool CompareExchange(T& expected, T desired) {
    Point();
    return value_.compare_exchange_strong(expected, desired, std::memory_order_seq_cst);
  }
  // Returns the value before.
  T FetchAdd(T amount) {
    Point();
    return value_.fetch_add(amount, std::memory_order_seq_cst);
  }
  T LoadRelaxed() const { return value_.load(std::memory_order_relaxed); }
  void StoreRelaxed(T value) { value_.store(value, std::memory_order_relaxed); }
  void AddRelaxed(T amount) { value_.fetch_add(amount, std::memory_order_relaxed); }

 private:
  void Point() const {
    if (hooks_ != nullptr) [[unlikely]] hooks_->AtomicAccess(name_);
  }
  SyncHooks* const hooks_;
  const Site name_;
  std::atomic<T> value_;
};

// Counts the owners of an object that threads share; the last one destroys it. No scheduling point: which owner comes last makes
// no difference that a program can see. It takes no Threads, so it may count what outlives them.
class RefCount {
 public:
  explicit RefCount(std::int64_t owners) : owners_(owners) {}
  RefCount(const RefCount&) = delete;
  RefCount& operator=(const RefCount&) = delete;

  // Called by an owner, on behalf of new ones.
  void Add(std::int64_t owners) { owners_.fetch_add(owners, std::memory_order_relaxed); }
  // True for the one call that gives back the last ownership; its caller sees all that the other owners wrote.
  bool Release(std::int64_t owners) { return owners_.fetch_sub(owners, std::memory_order_acq_rel) == owners; }
  // True if `owners` are all that are left: for a caller who holds them, nobody else can come any more.
  bool Is(std::int64_t owners) const { return owners_.load(std::memory_order_acquire) == owners; }

 private:
  std::atomic<std::int64_t> owners_;
};

// A pointer to an object that no longer changes, for tables that only grow and are read without a lock. Whoever sees the pointer
// sees all of the object. No scheduling point: a reader who comes too early finds the old object, whole, and must cope with that
// anyway; writers exclude each other by a Mutex.
template <class T>
class Published {
 public:
  Published() = default;
  Published(const Published&) = delete;
  Published& operator=(const Published&) = delete;

  T* Get() const { return object_.load(std::memory_order_acquire); }
  void Publish(T* object) { object_.store(object, std::memory_order_release); }

 private:
  std::atomic<T*> object_{nullptr};
};

}  // namespace ktrial

#endif  // CORE_ENV_SYNC_H_
