// The program of many threads in simulated worlds: a thousand schedules. The same program runs over sockets, with the threads of
// the operating system, in producer_sockets_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "sim/checker/history.h"
#include "sim/kernel/strategy.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/metrics/run_record.h"
#include "sim/run_result.h"
#include "sim/workload/app_context.h"
#include "sim/world.h"
#include "sim/world_spec.h"
#include "tests/core/producer/concurrent_program.h"

namespace ktrial::testing {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Close = ProgramOptions::Close;

class ConcurrencyTest : public ::testing::TestWithParam<int> {
 protected:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(GetParam()); }
  // Each combination of strategy, stalls and close has its share of the seeds.
  sim::StrategyKind strategy() const {
    return seed() % 2 == 0 ? sim::StrategyKind::kRoundRobin : sim::StrategyKind::kRandomWalk;
  }
  sim::StallMode stalls() const { return seed() / 2 % 4 == 0 ? sim::StallMode::kOften : sim::StallMode::kRare; }
  ProgramOptions program() const {
    return {.close = static_cast<Close>(seed() / 8 % 4),
            .close_after = milliseconds(seed() % 41),
            .pause = milliseconds(seed() % 3)};
  }

  sim::WorldSpec Spec() const {
    sim::WorldSpec spec{.seed = seed(), .duration = milliseconds(400)};
    spec.cluster = {.brokers = 3, .settings = {{"auto.create.topics.enable", "false"}}};
    spec.topics = {{.name = "t", .partitions = 3}};
    spec.network.latency = sim::Distribution::Uniform(microseconds(100), milliseconds(2));
    spec.producers = {{.config = ProgramConfig()}};
    spec.schedule = {.strategy = strategy(), .stalls = stalls()};
    const auto often = [](int from, int to) {
      return sim::FaultTrigger{.every = sim::DurationRange(milliseconds(from), milliseconds(to))};
    };
    spec.faults = {{.action = sim::Disconnect{.broker = sim::BrokerSelector::Any()},
                    .trigger = often(10, 40),
                    .may_not_fire = true},
                   {.action = sim::MoveLeader{.topic = sim::TopicSelector::Name("t"),
                                              .partition = sim::PartitionSelector::Any(),
                                              .lag = sim::DurationRange(milliseconds(0), milliseconds(10))},
                    .trigger = often(20, 60),
                    .may_not_fire = true}};
    return spec;
  }
};

// PR-14, PR-15, PR-16, PR-18
// Goal:   in no schedule is a record lost, doubled, reordered or told twice, does a call hang or say what it must not.
// Method: threads and callbacks make every call at once, while connections break, leaders move and threads lose the CPU. All
//         checkers judge: those of records what the program noted, those of memory and of the rate of requests the world itself.
TEST_P(ConcurrencyTest, NoScheduleBreaksAPromise) {
  sim::History history;
  ProgramLedger ledger(history, 0, program());
  std::optional<sim::ProducerEvidence> promises;
  sim::WorldSpec spec = Spec();
  spec.producers[0].observer = &ledger;
  spec.threads = {{.name = "main", .body = [&](sim::AppContext& context) {
                     promises = ProgramEvidence(context.producer().config());
                     RunProgram(context.env(), context.producer(), ledger);
                   }}};
  const absl::StatusOr<sim::RunResult> result = sim::RunWorld(spec);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_TRUE(result->Passed()) << sim::Summary(*result);
  ledger.Tell();
  for (const sim::Violation& violation :
       JudgeProgram(history, {*promises}, result->record->partitions, result->record->end)) {
    ADD_FAILURE() << violation.checker << ": " << violation.text;
  }
  EXPECT_GE(history.called(), 3 * 40);
  if (program().close == Close::kWhenAllIsSent) {
    EXPECT_GE(history.acked(), 3 * 38);  // All but those that are too large.
  }
}

#ifdef KTRIAL_SIM_TSAN
constexpr int kSchedules = 200;  // Each costs a hundred times as much there.
#else
constexpr int kSchedules = 1000;
#endif
INSTANTIATE_TEST_SUITE_P(Seeds, ConcurrencyTest, ::testing::Range(1, 1 + kSchedules));

}  // namespace
}  // namespace ktrial::testing
