#include <gtest/gtest.h>

#include "sim/world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

WorldSpec Valid() {
  WorldSpec spec;
  spec.duration = 1s;
  spec.topics = {{.name = "a"}};
  spec.producers = {{}};
  spec.workloads = {{.topic = TopicSelector::Name("a"), .count = 1}};
  return spec;
}

void ExpectRefused(const WorldSpec& spec, std::string_view words) {
  const absl::Status status = RunWorld(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status.message();
}

TEST(WorldCheckTest, AValidSpecRuns) { EXPECT_TRUE(RunWorld(Valid()).ok()); }

TEST(WorldCheckTest, UnknownNamesAreRefused) {
  WorldSpec spec = Valid();
  spec.workloads[0].topic = TopicSelector::Name("b");
  ExpectRefused(spec, "no topic \"b\"");
  spec = Valid();
  spec.workloads[0].producer = "q";
  ExpectRefused(spec, "no producer \"q\"");
}

TEST(WorldCheckTest, RateAndClosedExcludeEachOther) {
  WorldSpec spec = Valid();
  spec.workloads[0].rate = Rate{.count = 1};
  spec.workloads[0].closed = 1;
  ExpectRefused(spec, "exclude");
}

TEST(WorldCheckTest, AValueTooShortForItsIdentityIsRefused) {
  WorldSpec spec = Valid();
  spec.workloads[0].value = SizeRange(7);
  ExpectRefused(spec, "identity");
}

TEST(WorldCheckTest, TheProducersOwnRefusalIsPassedOn) {
  WorldSpec spec = Valid();
  spec.producers[0].config["linger.ms"] = "soon";
  ExpectRefused(spec, "linger.ms");
}

TEST(WorldCheckTest, TheBrokersOwnRefusalIsPassedOn) {
  WorldSpec spec = Valid();
  spec.cluster.settings["min.insync.replicas"] = "many";
  ExpectRefused(spec, "min.insync.replicas");
  spec = Valid();
  spec.cluster.version = "7.7";
  ExpectRefused(spec, "7.7");
}

TEST(WorldCheckTest, AFaultNeedsOneTrigger) {
  WorldSpec spec = Valid();
  spec.faults = {{.action = DropResponse{}, .trigger = {.at = 1s, .every = 1s}}};
  ExpectRefused(spec, "exactly one of at, every and on");
}

TEST(WorldCheckTest, SeveralProducersMustBeNamed) {
  WorldSpec spec = Valid();
  spec.producers = {{.name = "p"}, {.name = "q"}};
  ExpectRefused(spec, "name the producer");
}

}  // namespace
}  // namespace ktrial::sim
