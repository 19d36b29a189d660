#include "sim/kernel/sim_sync.h"

#include <algorithm>
#include <string>

#include "core/check.h"

namespace ktrial::sim {

SimSync::SimSync(Kernel& kernel) : kernel_(kernel), outside_(kernel, ThreadId(1), "outside of threads") {}

Fiber& SimSync::Self() { return kernel_.current() != nullptr ? *kernel_.current() : outside_; }

void* SimSync::CreateMutex(Site name) {
  UncheckedSection unchecked;
  return new SimMutex{.name = name};
}

void SimSync::DestroyMutex(void* mutex) {
  UncheckedSection unchecked;
  auto* const dying = static_cast<SimMutex*>(mutex);
  // In an abandoned world a lock may be held for good by a thread that will never run.
  KT_CHECK_MSG(kernel_.abandoned() || (dying->owner == nullptr && dying->waiters.empty()), dying->name.name());
  delete dying;
}

void SimSync::Lock(void* handle) {
  UncheckedSection unchecked;
  auto& mutex = *static_cast<SimMutex*>(handle);
  kernel_.Point(mutex.name);
  Acquire(mutex);
}

void SimSync::Acquire(SimMutex& mutex) {
  Fiber& self = Self();
  while (mutex.owner != nullptr) [[unlikely]] {
    if (kernel_.abandoned()) return;
    KT_CHECK_MSG(mutex.owner != &self, std::string("locked twice by one thread: ").append(mutex.name.name()));
    KT_CHECK_MSG(&self != &outside_, std::string("would block outside of threads: ").append(mutex.name.name()));
    self.locking = &mutex;
    CheckForCycle(mutex);
    mutex.waiters.push_back(&self);
    kernel_.Park(Instant::Never(), mutex.name, {.what = "lock", .object = mutex.name.name(), .owner = &mutex.owner});
    self.locking = nullptr;
  }
  mutex.owner = &self;
  self.held.push_back(&mutex);
  DeclareAcquire(&mutex);
}

// A circle of threads, each waiting for the next one's lock, is found when it closes: others may go on for long.
void SimSync::CheckForCycle(SimMutex& mutex) {
  Fiber* const self = &Self();
  for (Fiber* owner = mutex.owner; owner->state == Fiber::State::kParked && owner->locking != nullptr;) {
    owner = owner->locking->owner;
    if (owner == nullptr) return;
    if (owner != self) continue;
    kernel_.Find(KernelEnd::kDeadlock, std::string("threads wait for each other's locks; \"")
                                           .append(self->name)
                                           .append("\" closes the circle at ")
                                           .append(mutex.name.name())
                                           .append("\n")
                                           .append(kernel_.ThreadReport()));
    return;
  }
}

bool SimSync::TryLock(void* handle) {
  UncheckedSection unchecked;
  auto& mutex = *static_cast<SimMutex*>(handle);
  kernel_.Point(mutex.name);
  if (mutex.owner != nullptr) return false;
  Acquire(mutex);
  return true;
}

void SimSync::Unlock(void* handle) {
  UncheckedSection unchecked;
  auto& mutex = *static_cast<SimMutex*>(handle);
  kernel_.Point(mutex.name);
  Release(mutex);
}

void SimSync::Release(SimMutex& mutex) {
  Fiber& self = Self();
  if (kernel_.abandoned() && mutex.owner != &self) return;
  KT_CHECK_MSG(mutex.owner == &self, std::string("unlocked by another thread: ").append(mutex.name.name()));
  DeclareRelease(&mutex);
  mutex.owner = nullptr;
  const auto last = std::find(self.held.rbegin(), self.held.rend(), &mutex);
  self.held.erase(std::next(last).base());
  if (!mutex.waiters.empty()) [[unlikely]]
    kernel_.Unpark(TakeWaiter(mutex.waiters));
}

Fiber& SimSync::TakeWaiter(std::vector<ThreadInfo*>& waiters) {
  const std::size_t index = waiters.size() == 1 ? 0 : kernel_.strategy().ChooseWaiter(waiters);
  auto* const chosen = static_cast<Fiber*>(waiters[index]);
  waiters.erase(waiters.begin() + static_cast<std::ptrdiff_t>(index));
  return *chosen;
}

void* SimSync::CreateCondVar() {
  UncheckedSection unchecked;
  return new SimCondVar;
}

void SimSync::DestroyCondVar(void* cond_var) {
  UncheckedSection unchecked;
  auto* const dying = static_cast<SimCondVar*>(cond_var);
  KT_CHECK(kernel_.abandoned() || dying->waiters.empty());
  delete dying;
}

bool SimSync::Wait(void* cond_var, void* handle, Instant deadline, absl::FunctionRef<bool()> predicate, Site site) {
  auto& waiters = static_cast<SimCondVar*>(cond_var)->waiters;
  auto& mutex = *static_cast<SimMutex*>(handle);
  {
    UncheckedSection unchecked;
    kernel_.Point(site);
    KT_CHECK_MSG(mutex.owner == &Self(), std::string("waits without the lock: ").append(site.name()));
  }
  for (;;) {
    if (predicate()) return true;
    if (kernel_.Now() >= deadline) return false;
    UncheckedSection unchecked;
    Fiber& self = Self();
    KT_CHECK_MSG(&self != &outside_, std::string("would block outside of threads: ").append(site.name()));
    if (kernel_.stalls() && kernel_.strategy().DrawSpuriousWake(self)) {
      Release(mutex);
    } else {
      waiters.push_back(&self);
      Release(mutex);
      if (!kernel_.Park(deadline, site, {.what = "condition", .object = mutex.name.name()})) {
        std::erase(waiters, &self);
      }
    }
    // Awake is not yet in possession of the lock: this is where a signalled thread can be overtaken by its deadline.
    kernel_.Point(mutex.name);
    Acquire(mutex);
  }
}

void SimSync::NotifyOne(void* cond_var) {
  UncheckedSection unchecked;
  kernel_.Point(Site("kernel.notify_one"));
  auto& waiters = static_cast<SimCondVar*>(cond_var)->waiters;
  if (!waiters.empty()) kernel_.Unpark(TakeWaiter(waiters));
}

void SimSync::NotifyAll(void* cond_var) {
  UncheckedSection unchecked;
  kernel_.Point(Site("kernel.notify_all"));
  auto& waiters = static_cast<SimCondVar*>(cond_var)->waiters;
  while (!waiters.empty()) {
    auto* const waiter = static_cast<Fiber*>(waiters.front());
    waiters.erase(waiters.begin());
    kernel_.Unpark(*waiter);
  }
}

}  // namespace ktrial::sim
