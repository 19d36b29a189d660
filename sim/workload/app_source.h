// AppSource is something that an application thread does again and again, or once: send the records of a workload, make
// a call. A thread has several and runs whichever falls due first.
#ifndef SIM_WORKLOAD_APP_SOURCE_H_
#define SIM_WORKLOAD_APP_SOURCE_H_

#include <memory>
#include <string>

#include "core/env/clock.h"
#include "sim/workload/app_world.h"
#include "sim/workload/workload_spec.h"

namespace ktrial::sim {

// Used by its thread alone.
class AppSource {
 public:
  virtual ~AppSource() = default;
  // When it wants to run next; Never() once it is done. In the past if it is late.
  virtual Instant Due() const = 0;
  // Whether it waits for something besides its time (records outstanding); then Wait ends when that has come, or at the
  // deadline.
  virtual bool waits() const { return false; }
  virtual void Wait(Instant /*deadline*/) {}
  // Does the next thing. May block.
  virtual void Run() = 0;
};

// `thread` is the name of the thread that will run it. Both outlive the source. Topics are names of world.topics.
std::unique_ptr<AppSource> MakeWorkloadSource(const WorkloadSpec& spec, const std::string& thread, AppWorld& world,
                                              ClientProducer& client);
std::unique_ptr<AppSource> MakeCallSource(const CallSpec& spec, const std::string& thread, AppWorld& world,
                                          ClientProducer& client);

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_APP_SOURCE_H_
