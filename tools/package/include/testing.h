// The simulated world, for tests of programs that send with ktrial/producer.h. Link ktrial::testing.
//
//   ktrial::sim::WorldSpec spec;
//   spec.topics = {{.name = "orders"}};
//   spec.producers = {{.config = {{"acks", "all"}}}};
//   spec.threads = {{.name = "app", .body = [](ktrial::sim::AppContext& app) { ... app.producer() ... }}};
//   absl::StatusOr<ktrial::sim::RunResult> result = ktrial::sim::RunWorld(spec);
//
// Start reading at sim/world.h. For programs under test, not for programs that ship.
#ifndef KTRIAL_TESTING_H_
#define KTRIAL_TESTING_H_

#include "sim/run_result.h"
#include "sim/sandbox.h"
#include "sim/trace/trace.h"
#include "sim/workload/app_context.h"
#include "sim/world.h"
#include "sim/world_spec.h"

#include "ktrial/producer.h"

#endif  // KTRIAL_TESTING_H_
