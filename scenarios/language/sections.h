// The sections of a scenario file, in the order in which they are read: each may refer to names of those before it.
// Private to the language; parse.h is its face.
#ifndef SCENARIOS_LANGUAGE_SECTIONS_H_
#define SCENARIOS_LANGUAGE_SECTIONS_H_

#include "scenarios/language/reader.h"
#include "scenarios/language/scenario.h"

namespace ktrial::scenario {

// [cluster], [[broker]], [[topic]], [network].
void ReadCluster(TableReader& root, sim::WorldSpec& world);
// [producer] or [[producer]].
void ReadProducers(TableReader& root, sim::WorldSpec& world);
// [[workload]] and [[call]].
void ReadApplication(TableReader& root, sim::WorldSpec& world);
// [[fault]].
void ReadFaults(TableReader& root, sim::WorldSpec& world);
// [schedule].
void ReadSchedule(TableReader& root, sim::WorldSpec& world);
// [expect] and [[expect_that]].
void ReadExpectations(TableReader& root, Scenario& scenario);

// What cannot be seen until everything is read, and means nothing if anything was wrong in that.
// Workloads that would never end, or whose producer would take nothing from them.
void CheckWorkloads(TableReader& root, const sim::WorldSpec& world);
// Faults that certainly cannot fire. With `foreign_client` the requests come from somebody else's client: what
// [[workload]] cannot cause may come.
void CheckFaults(TableReader& root, bool foreign_client, const sim::WorldSpec& world);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_SECTIONS_H_
