// SimSync is how Mutex, CondVar and Atomic reach the kernel: each operation is a scheduling point, and to wait is to
// park.
//
// A lock that is given up goes to nobody: one waiter, of the strategy's choice, is woken and competes with whoever
// comes by, as with real locks. Outside of threads (events, and before and after a run) locks may be taken only while
// they are free.
#ifndef SIM_KERNEL_SIM_SYNC_H_
#define SIM_KERNEL_SIM_SYNC_H_

#include <memory>
#include <vector>

#include "core/env/sync.h"
#include "sim/kernel/fiber.h"
#include "sim/kernel/kernel.h"

namespace ktrial::sim {

struct SimMutex {
  Site name;
  Fiber* owner = nullptr;
  std::vector<ThreadInfo*> waiters;  // in the order in which they came
};

struct SimCondVar {
  std::vector<ThreadInfo*> waiters;
};

class SimSync final : public SyncHooks {
 public:
  explicit SimSync(Kernel& kernel);
  void* CreateMutex(Site name) override;
  void DestroyMutex(void* mutex) override;
  void Lock(void* mutex) override;
  bool TryLock(void* mutex) override;
  void Unlock(void* mutex) override;
  void* CreateCondVar() override;
  void DestroyCondVar(void* cond_var) override;
  bool Wait(void* cond_var, void* mutex, Instant deadline, absl::FunctionRef<bool()> predicate, Site site) override;
  void NotifyOne(void* cond_var) override;
  void NotifyAll(void* cond_var) override;
  void AtomicAccess(Site name) override { kernel_.Point(name); }

 private:
  Fiber& Self();
  void Acquire(SimMutex& mutex);
  void Release(SimMutex& mutex);
  void CheckForCycle(SimMutex& mutex);
  Fiber& TakeWaiter(std::vector<ThreadInfo*>& waiters);

  Kernel& kernel_;
  Fiber outside_;  // stands for what runs outside of threads
};

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_SIM_SYNC_H_
