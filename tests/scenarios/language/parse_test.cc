// Goal: what a file says arrives in the world, with every default of the language.
#include "scenarios/language/parse.h"

#include <gtest/gtest.h>

#include "core/producer/profile.h"
#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

using namespace std::chrono_literals;

TEST(ParseTest, AProfileBringsTheNamesOfItsClient) {
  const Scenario scenario = Parsed("[producer]\nprofile = \"librdkafka-2\"\nqueue.buffering.max.ms = 50\n");
  ASSERT_EQ(scenario.world.producers.size(), 1u);
  EXPECT_EQ(scenario.world.producers[0].profile, FindProfile("librdkafka-2"));
  EXPECT_EQ(scenario.world.producers[0].config, (std::map<std::string, std::string>{{"queue.buffering.max.ms", "50"}}));
}

TEST(ParseTest, DefaultsAreThoseOfTheLanguage) {
  const Scenario scenario = Parsed("");
  EXPECT_EQ(scenario.world.settle, Duration(180s));
  EXPECT_EQ(scenario.world.cluster.version, "4.0");
  EXPECT_EQ(scenario.world.topics.at(0).partitions, 6);
  EXPECT_EQ(scenario.world.topics.at(0).replication, 3);
  EXPECT_EQ(scenario.world.topics.at(1).partitions, 1);
  EXPECT_EQ(scenario.world.topics.at(1).replication, 1);
  EXPECT_TRUE(scenario.world.network.latency.is_zero());
  ASSERT_EQ(scenario.world.producers.size(), 1u);
  const sim::WorkloadSpec& workload = scenario.world.workloads.at(0);
  EXPECT_EQ(workload.thread, "app-1");
  EXPECT_EQ(workload.value.min, 100);
  EXPECT_EQ(workload.start, Duration(0));
  EXPECT_FALSE(workload.stop.has_value());
  EXPECT_FALSE(workload.partition.has_value());
  EXPECT_EQ(scenario.world.schedule.strategy, sim::StrategyKind::kRandomWalk);
  EXPECT_EQ(scenario.world.schedule.stalls, sim::StallMode::kNone);
  EXPECT_FALSE(scenario.violations.has_value());
}

TEST(ParseTest, BrokersMayResetWhatTheyDoNotKnow) {
  EXPECT_FALSE(Parsed("").world.cluster.resets_unknown_versions);
  EXPECT_FALSE(Parsed("", {.overrides = {"cluster.unknown_versions=answer"}}).world.cluster.resets_unknown_versions);
  EXPECT_TRUE(Parsed("", {.overrides = {"cluster.unknown_versions=rst"}}).world.cluster.resets_unknown_versions);
}

TEST(ParseTest, ANumberedNameIsManyTopics) {
  const Scenario scenario = Parsed(
      "[[topic]]\nname = \"t-{1..5000}\"\n[[call]]\nat = \"1s\"\n"
      "send = { topic = \"t-4711\" }\n");
  EXPECT_EQ(scenario.world.topics.size(), 5002u);
  EXPECT_EQ(scenario.world.topics.back().name, "t-5000");
}

TEST(ParseTest, DottedKeysAndQuotedKeysMeanTheSame) {
  const Scenario dotted = Parsed("[producer]\nlinger.ms = 5\nacks = \"all\"\n");
  const Scenario quoted = Parsed("[producer]\n\"linger.ms\" = 5\n\"acks\" = \"all\"\n");
  EXPECT_EQ(dotted.world.producers.at(0).config, quoted.world.producers.at(0).config);
  EXPECT_EQ(dotted.world.producers.at(0).config.at("linger.ms"), "5");
}

TEST(ParseTest, SettingsAreFlat) {
  const Scenario scenario = Parsed("[[topic]]\nname = \"x\"\nsettings = { min.insync.replicas = 2 }\n",
                                   {.overrides = {"cluster.settings.min.insync.replicas=3"}});
  EXPECT_EQ(scenario.world.topics.at(2).settings.at("min.insync.replicas"), "2");
  EXPECT_EQ(scenario.world.cluster.settings.at("min.insync.replicas"), "3");
}

TEST(ParseTest, SeveralProducersWithInstances) {
  const ParseResult result =
      ParseScenario(std::string(kLeast) +
                        "[[producer]]\nname = \"a\"\ninstances = 3\nacks = 1\n[[producer]]\nname = \"b\"\n"
                        "[[workload]]\nproducer = \"a\"\ntopic = \"*\"\ncount = 1\n",
                    "f.toml");
  ASSERT_TRUE(result.scenario.has_value());
  EXPECT_EQ(result.scenario->world.producers.at(0).instances, 3);
  EXPECT_EQ(result.scenario->world.producers.at(0).config, (std::map<std::string, std::string>{{"acks", "1"}}));
  EXPECT_EQ(result.scenario->world.workloads.at(0).producer, "a");
}

TEST(ParseTest, AWorkloadHasAllItsKeys) {
  const ParseResult result =
      ParseScenario(std::string(kLeast) +
                        "[[workload]]\nthread = \"x\"\ntopic = [\"orders\", \"solo\"]\npartition = [0, 1]\n"
                        "rate = \"1000/s\"\ncount = 500\narrival = \"poisson\"\nstart = \"1s\"\nstop = \"50s\"\n"
                        "key = { cardinality = 10 }\nvalue = { bytes = \"100..1KiB\" }\n"
                        "on_callback = \"block 50ms\"\nthen = \"close\"\n",
                    "f.toml");
  ASSERT_TRUE(result.scenario.has_value()) << ToString(result.errors.at(0));
  const sim::WorkloadSpec& workload = result.scenario->world.workloads.at(0);
  EXPECT_EQ(workload.thread, "x");
  EXPECT_EQ(workload.topic.terms, (std::vector<std::string>{"orders", "solo"}));
  EXPECT_EQ(workload.partition->list, (std::vector<PartitionIndex>{PartitionIndex(0), PartitionIndex(1)}));
  EXPECT_EQ(workload.rate->count, 1000);
  EXPECT_EQ(workload.count, 500);
  EXPECT_EQ(workload.arrival, sim::Arrival::kPoisson);
  EXPECT_EQ(workload.start, Duration(1s));
  EXPECT_EQ(workload.stop, Duration(50s));
  EXPECT_EQ(workload.key_cardinality, 10);
  EXPECT_EQ(workload.value.max, 1024);
  EXPECT_EQ(workload.on_callback.kind, sim::CallbackAction::Kind::kBlock);
  EXPECT_EQ(workload.on_callback.block, Duration(50ms));
  EXPECT_EQ(workload.then, sim::AfterLastSend::kClose);
}

TEST(ParseTest, AWorkloadMayHaveTransactions) {
  const ParseResult result =
      ParseScenario(std::string(kLeast) +
                        "[producer]\ntransactional.id = \"t\"\n[[workload]]\ntopic = \"orders\"\n"
                        "count = 1\ntransactions = { records = 20, abort_every = 5, "
                        "offsets = { group = \"readers\", topic = \"orders\" } }\n",
                    "f.toml");
  ASSERT_TRUE(result.scenario.has_value()) << ToString(result.errors.at(0));
  const sim::WorkloadSpec& workload = result.scenario->world.workloads.at(0);
  EXPECT_EQ(workload.transactions->records, 20);
  EXPECT_EQ(workload.transactions->abort_every, 5);
  EXPECT_EQ(workload.transactions->offsets->group, "readers");
  EXPECT_EQ(workload.transactions->offsets->topic, "orders");
}

TEST(ParseTest, TransactionsAreBegunAndEndedByCalls) {
  const ParseResult result =
      ParseScenario(std::string(kLeast) +
                        "[producer]\ntransactional.id = \"t\"\n[[call]]\nat = \"1s\"\nbegin = {}\n"
                        "[[call]]\nat = \"2s\"\ncommit = {}\n[[call]]\nat = \"3s\"\nabort = {}\n"
                        "[[call]]\nat = \"4s\"\nsend_offsets = { group = \"g\", topic = \"orders\", offset = 5 }\n",
                    "f.toml");
  ASSERT_TRUE(result.scenario.has_value()) << ToString(result.errors.at(0));
  const std::vector<sim::CallSpec>& calls = result.scenario->world.calls;
  EXPECT_TRUE(std::holds_alternative<sim::BeginCall>(calls.at(0).call));
  EXPECT_TRUE(std::holds_alternative<sim::CommitCall>(calls.at(1).call));
  EXPECT_TRUE(std::holds_alternative<sim::AbortCall>(calls.at(2).call));
  const auto& offsets = std::get<sim::SendOffsetsCall>(calls.at(3).call);
  EXPECT_EQ(offsets.consumed.group, "g");
  EXPECT_EQ(offsets.consumed.topic, "orders");
  EXPECT_EQ(offsets.offset, 5);
}

TEST(ParseTest, CallsAreOfFourKinds) {
  const Scenario scenario = Parsed(
      "[[call]]\nat = \"1s..2s\"\nsend = { topic = \"orders\", partition = 2, key = \"k\", value = \"v\" }\n"
      "[[call]]\nat = \"2s\"\nthread = \"z\"\nflush = { timeout = \"5s\" }\n"
      "[[call]]\nat = \"3s\"\nclose = {}\n[[call]]\nat = \"4s\"\npartitions_for = { topic = \"solo\" }\n");
  ASSERT_EQ(scenario.world.calls.size(), 4u);
  EXPECT_EQ(scenario.world.calls[0].at, sim::DurationRange(1s, 2s));
  EXPECT_EQ(scenario.world.calls[0].thread, "call-1");
  const auto& send = std::get<sim::SendCall>(scenario.world.calls[0].call);
  EXPECT_EQ(send.partition, PartitionIndex(2));
  EXPECT_EQ(send.key, "k");
  EXPECT_EQ(scenario.world.calls[1].thread, "z");
  EXPECT_EQ(std::get<sim::FlushCall>(scenario.world.calls[1].call).timeout, Duration(5s));
  EXPECT_FALSE(std::get<sim::CloseCall>(scenario.world.calls[2].call).timeout.has_value());
  EXPECT_EQ(std::get<sim::PartitionsForCall>(scenario.world.calls[3].call).topic, "solo");
}

TEST(ParseTest, FaultsHaveTriggersAndSelectors) {
  const Scenario scenario = Parsed(
      "[[fault]]\nevery = \"5s..9s\"\nfor = \"2s\"\ntimes = 4\nmay_not_fire = true\n"
      "pause_broker = { broker = \"leader:orders/1\" }\n"
      "[[fault]]\non = { request = \"Produce\", broker = [1, 2], nth = 3, phase = \"after_append\" }\n"
      "error = { code = \"NOT_ENOUGH_REPLICAS_AFTER_APPEND\" }\n");
  ASSERT_EQ(scenario.world.faults.size(), 2u);
  const sim::FaultSpec& pause = scenario.world.faults[0];
  EXPECT_EQ(pause.trigger.every, sim::DurationRange(5s, 9s));
  EXPECT_EQ(pause.trigger.lasting, sim::DurationRange(2s));
  EXPECT_EQ(pause.trigger.times, 4);
  EXPECT_TRUE(pause.may_not_fire);
  EXPECT_EQ(std::get<sim::PauseBroker>(pause.action).broker, sim::BrokerSelector::Leader("orders", 1));
  const sim::FaultSpec& error = scenario.world.faults[1];
  EXPECT_EQ(error.trigger.on->nth, 3);
  EXPECT_EQ(error.trigger.on->broker.terms.size(), 2u);
  const auto& answer = std::get<sim::ErrorAnswer>(error.action);
  EXPECT_EQ(answer.api, wire::ApiKey::kProduce);
  EXPECT_EQ(answer.code, wire::ErrorCode::kNotEnoughReplicasAfterAppend);
  EXPECT_EQ(answer.phase, sim::FaultPhase::kAfterAppend);
}

TEST(ParseTest, ExpectationsComeInTheOrderOfTheFile) {
  const Scenario scenario = Parsed(
      "[expect]\nreordered = 0\nlost = 0\ndelivery.p99 = \"<= 6s\"\nviolations = [\"order\", \"loss\"]\n"
      "[[expect_that]]\nmetric = \"metadata.requests\"\nwhere = { broker = 2 }\nfrom = \"10s\"\nto = \"610s\"\n"
      "holds = \"<= 3\"\n");
  ASSERT_EQ(scenario.expectations.size(), 4u);
  EXPECT_EQ(scenario.expectations[0].Name(), "reordered");
  EXPECT_EQ(scenario.expectations[1].Name(), "lost");
  EXPECT_EQ(scenario.expectations[2].Name(), "delivery.p99");
  EXPECT_EQ(scenario.expectations[3].Name(), "metadata.requests{broker=2} in [10s, 610s)");
  EXPECT_EQ(scenario.violations, (std::vector<std::string>{"loss", "order"}));
}

TEST(OverrideTest, AnOverrideReplacesAddsAndNeedsNoQuotes) {
  const Scenario scenario =
      Parsed("[producer]\nlinger.ms = 5\n",
             {.overrides = {"producer.linger.ms=7", "producer.batch.size=100", "schedule.stalls=rare", "duration=30s",
                            "cluster.version=2.0", "title=\"quoted\"", "expect.lost=0"}});
  EXPECT_EQ(scenario.world.producers.at(0).config,
            (std::map<std::string, std::string>{{"batch.size", "100"}, {"linger.ms", "7"}}));
  EXPECT_EQ(scenario.world.schedule.stalls, sim::StallMode::kRare);
  EXPECT_EQ(scenario.world.duration, Duration(30s));
  EXPECT_EQ(scenario.world.cluster.version, "2.0");
  EXPECT_EQ(scenario.title, "quoted");
  EXPECT_EQ(scenario.expectations.size(), 1u);
}

TEST(OverrideTest, StallsOnTopAreToldFromStallsOfTheFile) {
  EXPECT_FALSE(Parsed("[schedule]\nstalls = \"rare\"\n").stalls_on_top);
  EXPECT_TRUE(Parsed("", {.overrides = {"schedule.stalls=rare"}}).stalls_on_top);
  EXPECT_FALSE(Parsed("", {.overrides = {"schedule.stalls=none"}}).stalls_on_top);
}

TEST(OverrideTest, AKeyOfAListOfTablesChangesAllOrTheNumberedOne) {
  const Scenario all = Parsed("", {.overrides = {"topic.partitions=2"}});
  EXPECT_EQ(all.world.topics.at(0).partitions, 2);
  EXPECT_EQ(all.world.topics.at(1).partitions, 2);
  const Scenario second = Parsed("", {.overrides = {"topic.2.partitions=4"}});
  EXPECT_EQ(second.world.topics.at(0).partitions, 6);
  EXPECT_EQ(second.world.topics.at(1).partitions, 4);
}

TEST(PurposeTest, OnlyRunNeedsSomethingThatActs) {
  EXPECT_EQ(ErrorsOf(kLeast), "f.toml:1:1: workload: missing, required: a [[workload]] or a [[call]]");
  EXPECT_EQ(ErrorsOf(kLeast, {.overrides = {}, .purpose = Purpose::kCheck}), "");
  EXPECT_EQ(ErrorsOf(kLeast, {.overrides = {}, .purpose = Purpose::kServe}), "");
}

}  // namespace
}  // namespace ktrial::scenario
