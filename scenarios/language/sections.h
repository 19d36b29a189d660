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
// [[fault]]. With `foreign_client` the requests come from somebody else's client: what [[workload]] cannot cause may
// come.
void ReadFaults(TableReader& root, bool foreign_client, sim::WorldSpec& world);
// [schedule].
void ReadSchedule(TableReader& root, sim::WorldSpec& world);
// [expect] and [[expect_that]].
void ReadExpectations(TableReader& root, Scenario& scenario);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_SECTIONS_H_
