// Goal: a client on real sockets gets through what the scenario does to it, and the verdict says what happened.
// Method: our own producer over the posix doors; nothing here waits for a time to pass.
#include "scenarios/serve/trial.h"

#include <gtest/gtest.h>

#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"
#include "scenarios/language/parse.h"

namespace ktrial::scenario {
namespace {

constexpr std::string_view kHead = R"(
title = "t"
duration = "60s"
[cluster]
brokers = 3
[[topic]]
name = "orders"
partitions = 3
)";

Scenario Parsed(std::string_view faults) {
  ParseResult result =
      ParseScenario(std::string(kHead) + std::string(faults), "t.toml", {.overrides = {}, .purpose = Purpose::kServe});
  for (const Error& error : result.errors) ADD_FAILURE() << ToString(error);
  return result.scenario.value_or(Scenario());
}

// Sends a hundred records, each on its own, and returns how many were acknowledged.
int SendHundred(const std::string& bootstrap, const std::string& acks) {
  const std::unique_ptr<Env> env = MakePosixEnv(1);
  absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse({{"bootstrap.servers", bootstrap},
                                                                 {"acks", acks},
                                                                 {"retry.backoff.ms", "10"},
                                                                 {"reconnect.backoff.ms", "10"},
                                                                 {"request.timeout.ms", "500"},
                                                                 {"linger.ms", "0"},
                                                                 {"max.in.flight.requests.per.connection", "1"}});
  EXPECT_TRUE(config.ok());
  const std::unique_ptr<Producer> producer = *Producer::Create(*config, *env);
  int acknowledged = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string value = "value " + std::to_string(i);
    const PartitionIndex partition(i % 3);
    acknowledged += producer->Send({.topic = "orders", .partition = partition, .value = value}).Get().ok() ? 1 : 0;
  }
  return acknowledged;
}

RunReport Try(std::string_view faults, const std::string& acks = "all") {
  absl::StatusOr<std::unique_ptr<Trial>> trial = Trial::Start(Parsed(faults), {});
  EXPECT_TRUE(trial.ok());
  EXPECT_EQ(SendHundred((*trial)->bootstrap(), acks), 100);
  return (*trial)->Finish();
}

TEST(TrialTest, AQuietClusterTakesEverything) {
  const RunReport report = Try("");
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.Metric("log.records"), 100);
  EXPECT_EQ(report.result.metrics.at("records.acked"), 100);
}

TEST(TrialTest, AMovedLeaderIsFound) {
  const RunReport report = Try(
      "[[fault]]\non = { request = \"Produce\", nth = 30 }\nmove_leader = { topic = \"orders\", partition = \"*\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
  EXPECT_GE(report.result.metrics.at("batches.refused"), 1);
}

TEST(TrialTest, ALostConnectionIsOpenedAgain) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\ndisconnect = { broker = \"*\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
}

TEST(TrialTest, BytesThatAreHeldPassOnLater) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\nfor = \"200ms\"\n"
          "network_partition = { between = [\"clients\", \"*\"] }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
  EXPECT_GE(report.wall_seconds, 0.2);
}

TEST(TrialTest, BytesThatVanishAreSentAgainElsewhere) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\nfor = \"300ms\"\nblackhole = { broker = \"*\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
}

TEST(TrialTest, LatencyIsAddedBothWays) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 90 }\nlatency = { broker = \"*\", add = \"5ms\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
  EXPECT_GE(report.wall_seconds, 0.09);
}

TEST(TrialTest, APortThatIsClosedRefusesAndOpensAgain) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\nfor = \"200ms\"\n"
          "refuse_connect = { broker = \"*\" }\n"
          "[[fault]]\non = { request = \"Produce\", nth = 31 }\ndisconnect = { broker = \"*\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
}

TEST(TrialTest, AnAddressThatLeadsToAnotherBrokerIsLeftAgain) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\nfor = \"300ms\"\n"
          "misroute = { broker = \"leader:orders/0\", to = \"follower:orders/0\" }\n");
  EXPECT_TRUE(report.passed) << RenderSummary(report, false);
  EXPECT_GE(report.wall_seconds, 0.3);
}

TEST(TrialTest, AForgottenAppendIsFoundOut) {
  const RunReport report =
      Try("[[fault]]\non = { request = \"Produce\", nth = 30 }\nlose_acked_append = { topic = \"orders\", partition = "
          "\"*\" }\n");
  EXPECT_FALSE(report.passed);
  ASSERT_FALSE(report.result.violations.empty());
  EXPECT_EQ(report.result.violations[0].checker, "loss");
}

TEST(TrialTest, AFaultThatNeverMetAnythingFails) {
  const RunReport report = Try("[[fault]]\nat = \"59s\"\ncrash = { broker = 1 }\n");
  EXPECT_EQ(report.failures, std::vector<std::string>{"fault crash never fired"});
}

TEST(TrialTest, ATrialThatNobodyCameToHasFailed) {
  absl::StatusOr<std::unique_ptr<Trial>> trial = Trial::Start(Parsed(""), {});
  ASSERT_TRUE(trial.ok());
  const RunReport report = (*trial)->Finish();
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.failures, std::vector<std::string>{"no client ever connected: there was nothing to judge"});
  ASSERT_EQ(report.result.violations.size(), 1u);
  EXPECT_EQ(report.result.violations[0].checker, "client");
}

TEST(TrialTest, AClientThatSendsNothingProvesNothing) {
  absl::StatusOr<std::unique_ptr<Trial>> trial = Trial::Start(Parsed(""), {});
  ASSERT_TRUE(trial.ok());
  const std::unique_ptr<Env> env = MakePosixEnv(1);
  {
    const auto config = ProducerConfig::Parse({{"bootstrap.servers", (*trial)->bootstrap()}});
    ASSERT_TRUE(config.ok());
    const std::unique_ptr<Producer> producer = *Producer::Create(*config, *env);
    ASSERT_TRUE(producer->PartitionsFor("orders").ok());
  }
  EXPECT_EQ((*trial)->Finish().failures,
            std::vector<std::string>{"no client sent a Produce request: there was nothing to judge"});
}

}  // namespace
}  // namespace ktrial::scenario
