#include <gtest/gtest.h>

#include "tests/sim/fault/testing/fault_world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

DowngradeApi To(std::string version, BrokerSelector broker = BrokerSelector::Id(1)) {
  return {.broker = broker, .version = std::move(version)};
}

TEST(DowngradeApiFault, TheBrokerRestartsAndServesWhatItSpeaksThen) {
  const RunResult result = RunWith(To("0.10"), {.at = 4s, .lasting = 3s});
  EXPECT_TRUE(result.Passed()) << Summary(result);
  EXPECT_EQ(result.faults[0].fired, 1);
  EXPECT_GE(Measure(result, "disconnects", 4, 5, {{MetricFilter::kBroker, "1"}}), 1);
  EXPECT_GE(Measure(result, "disconnects", 7, 8, {{MetricFilter::kBroker, "1"}}), 1);
  EXPECT_EQ(Measure(result, "records.failed", 0, 10), 0);
}

// It has no producer ids.
TEST(DowngradeApiFault, WhatAnOldReleaseCannotDoFailsWhileItLasts) {
  WorldSpec spec = SteadyLoad();
  spec.producers[0].config.erase("enable.idempotence");
  const RunResult result = RunWith(To("0.10", BrokerSelector::All()), {.at = 4s, .lasting = 3s}, spec);
  EXPECT_EQ(Measure(result, "records.failed", 0, 4), 0);
  EXPECT_GE(Measure(result, "errors.UNSUPPORTED_VERSION", 4, 7), 1);
}

TEST(DowngradeApiFault, NothingHappensWhereABrokerIsOfThatRelease) {
  WorldSpec spec = SteadyLoad();
  spec.cluster.version = "2.8";
  EXPECT_EQ(RunWith(To("2.8"), {.at = 4s, .lasting = 3s}, spec).faults[0].fired, 0);
}

// transaction.version 2 needs every broker, now and while the upgrade goes on (KIP-890).
TEST(DowngradeApiFault, WhatTheReleaseCannotDoIsNotFinalized) {
  for (const std::string release : {"3.9", "4.0"}) {
    WorldSpec spec = SteadyLoad();
    spec.cluster.version = "4.4";
    spec.producers[0].config.erase("enable.idempotence");
    spec.producers[0].config["transactional.id"] = "t";
    spec.workloads[0].transactions = TransactionsSpec{.records = 10};
    const RunResult result = RunWith(To(release), {.at = 4s, .lasting = 3s}, spec);
    EXPECT_TRUE(result.Passed()) << Summary(result);
    EXPECT_EQ(Measure(result, "requests.AddPartitionsToTxn", 0, 4) > 0, release == "3.9") << release;
  }
}

TEST(DowngradeApiFault, AReleaseThatThereIsNotIsAnError) {
  WorldSpec spec = SteadyLoad();
  spec.faults = {{.action = To("0.8"), .trigger = {.at = 4s}}};
  EXPECT_EQ(RunWorld(spec).status().message(),
            "version \"0.8\" is not one of 0.9, 0.10, 0.11, 1.0, 2.0, 2.8, 3.9, 4.0, 4.4");
}

}  // namespace
}  // namespace ktrial::sim
