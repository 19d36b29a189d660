// What application code of a test sees of its world: producers, time, threads. Everything blocks as it would in
// production.
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
