// RunWorld builds a simulated world from its spec, runs it to its end and says what happened. The same spec (seed
// included) gives the same result, hash and all, on every machine.
//
// A run has two phases. Until `duration` the applications work and the faults fall. Then everything heals for good and
// the applications stop; within `settle` every record must have completed. What has not is a violation that names it.
// At last the producers are closed, the checkers judge, and the metrics are counted.
//
//   absl::StatusOr<RunResult> result = RunWorld(spec);
//   ASSERT_TRUE(result.ok());
//   EXPECT_TRUE(result->Passed()) << Summary(*result);
//
// Worlds do not know of each other; several may be run one after another in one process, or at once on threads of their
// own. A world that fails is healed and run out, so that nothing of it stays behind if that can be helped; but one that
// spins in one moment of virtual time (livelock) ends there, as it would spin again.
#ifndef SIM_WORLD_H_
#define SIM_WORLD_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "sim/run_result.h"
#include "sim/world_spec.h"

namespace ktrial::sim {

class TraceSink;  // sim/trace/trace.h

// Is told how far a run has come, every so often: for a person who waits. From within the run, on its OS thread: it
// must not throw or take long.
class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  // `at`: virtual time since the start of the run; `records`: given to Send so far.
  virtual void OnProgress(Duration at, std::int64_t records) = 0;
};

// Neither changes the run. Not owned.
struct RunOptions {
  TraceSink* trace_sink = nullptr;       // Is told every note of the trace. Null: only the hash is kept.
  ProgressListener* progress = nullptr;  // Null: nobody waits.
};

// When every run begins, on the clock that events of the trace and violations have their moments of.
Instant WorldStart();

// INVALID_ARGUMENT: the spec contradicts itself (an unknown topic, broker, producer or thread, a number out of range, a
// configuration that the producer refuses, ...). The message names the place, the value and what is allowed:
// "faults[0] (crash): broker: there is no broker 9, allowed: Id(1) to Id(3), ...".
// What escapes from the body of a thread ends the run, and RunWorld throws it.
absl::StatusOr<RunResult> RunWorld(const WorldSpec& spec, const RunOptions& options = {});

// A few lines for a person: violations, faults and the main counts.
std::string Summary(const RunResult& result);

}  // namespace ktrial::sim

#endif  // SIM_WORLD_H_
