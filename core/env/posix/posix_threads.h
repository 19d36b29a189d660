// OS threads behind the Threads door.
#ifndef CORE_ENV_POSIX_POSIX_THREADS_H_
#define CORE_ENV_POSIX_POSIX_THREADS_H_

#include <memory>
#include <string_view>

#include "core/env/threads.h"

namespace ktrial {

class PosixThreads final : public Threads {
 public:
  PosixThreads() : Threads(nullptr) {}
  std::unique_ptr<Thread> Spawn(std::string_view name, absl::AnyInvocable<void()> function) override;
  void SleepUntil(Instant deadline, Site site) override;
  ThreadId Current() const override;
};

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_POSIX_THREADS_H_
