// What application code of a test sees of its world: producers, time, threads. Everything blocks as it would in
// production.
//
// A body runs on a thread of the world, one of many that take turns on one thread of the operating system:
//   - Its stack has 256 KiB, with a guard page below: put what is large on the heap.
//   - The others run, and time passes, only when it waits in something of the world. A loop that asks again and again
//     without waiting never ends, and no timeout ends it: sleep between (SleepUntil), or wait on a CondVar.
//   - The world does not see std::mutex, std::condition_variable, std::thread, std::future, std::this_thread or a clock of
//     the system. Waiting there for another thread of the world stands still for good; another thread of the system must
//     not touch the world at all. In their place: Mutex, CondVar and Atomic (core/env/sync.h) with env().threads(),
//     env().threads().Spawn, SleepUntil, env().clock().
//   - Threads that it starts are joined before it returns. If faults name them: ThreadSpec::starts.
//   - What escapes from it ends the run, and RunWorld throws it.
//   - Nothing of the world may be kept beyond RunWorld: no producer, no Future, no Mutex, no Env.
#ifndef SIM_WORKLOAD_APP_CONTEXT_H_
#define SIM_WORKLOAD_APP_CONTEXT_H_

#include <string_view>

#include "core/env/clock.h"
#include "core/env/env.h"
#include "core/env/site.h"

namespace ktrial {
class Producer;
}

namespace ktrial::sim {

class History;
class RecordStream;

class AppContext {
 public:
  virtual ~AppContext() = default;
  // By name; empty: the only one. KT_CHECK if there is none of that name.
  virtual Producer& producer(std::string_view name = {}) = 0;
  // The world's doors, for clocks, threads and locks of the application.
  virtual Env& env() = 0;
  // When the run began: moments of the spec count from here.
  virtual Instant start() const = 0;
  // Sleeps until so long after the start of the run.
  virtual void SleepUntil(Duration since_start) = 0;
  // Sends one record of `value_bytes` (>= 8) that the checkers know about, and says nothing of how it ends: they will.
  // A record that is sent through producer() directly is unknown to them.
  virtual void SendTracked(std::string_view topic, std::int32_t value_bytes = 100, std::string_view producer = {}) = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_APP_CONTEXT_H_
