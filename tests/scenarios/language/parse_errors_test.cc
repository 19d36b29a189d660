// Goal: every error says where it stands, which key, what was found and what is allowed, in exactly these words.
#include <gtest/gtest.h>

#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

TEST(ParseErrorsTest, WhatIsNoTomlIsOneErrorAtItsPlace) {
  EXPECT_TRUE(ErrorsOf("title = \n").starts_with("f.toml:1:9: not TOML: "));
}

TEST(ParseErrorsTest, AKeyThatGoesOnFromAnotherNeedsQuotes) {
  const std::string text =
      "buffer.memory.allocation.strategy: goes on from buffer.memory, which has a value itself, allowed: in quotes, "
      "\"buffer.memory.allocation.strategy\" = ...";
  const std::string shorter = "buffer.memory = 33554432\n";
  const std::string longer = " buffer.memory.allocation.strategy = \"full\"\n";
  EXPECT_EQ(ErrorsOfAdded("[producer]\n" + shorter + longer), "f.toml:15:2: " + text);
  EXPECT_EQ(ErrorsOfAdded("[producer]\n" + longer + "acks = 1\n" + shorter), "f.toml:14:2: " + text);
  EXPECT_EQ(ErrorsOfAdded("[producer]\n" + shorter + "\"buffer.memory.allocation.strategy\" = \"full\"\n"), "");
  EXPECT_EQ(ErrorsOfAdded("[expect]\nrequests = \"> 0\"\nrequests.Produce = \"> 0\"\n"),
            "f.toml:15:1: requests.Produce: goes on from requests, which has a value itself, allowed: in quotes, "
            "\"requests.Produce\" = ...");
}

TEST(ParseErrorsTest, AKeyThatStandsTwiceInATableIsNoClashOfAnotherTable) {
  EXPECT_TRUE(ErrorsOfAdded("[expect]\nrequests.Produce = 1\n[schedule]\nrequests = 1\nrequests = 1\n")
                  .starts_with("f.toml:17:12: not TOML: "));
}

TEST(ParseErrorsTest, AnEmptyFileMissesWhatIsRequired) {
  EXPECT_EQ(ErrorsOf(""),
            "f.toml:1:1: title: missing, required: a line of text\n"
            "f.toml:1:1: duration: missing, required: a duration such as \"60s\"\n"
            "f.toml:1:1: cluster: missing, required: a table with brokers\n"
            "f.toml:1:1: topic: missing, required: [[topic]] with a name\n"
            "f.toml:1:1: workload: missing, required: a [[workload]] or a [[call]]");
}

TEST(ParseErrorsTest, AnUnknownKeyIsAnsweredWithTheNearest) {
  EXPECT_EQ(ErrorsOfAdded("[schedule]\nstals = \"rare\"\n"),
            "f.toml:14:1: schedule.stals: unknown key, allowed: depth, stalls or strategy (did you mean \"stalls\"?)");
}

TEST(ParseErrorsTest, AnUnknownKeyFarFromAllOthersGetsNoSuggestion) {
  EXPECT_EQ(ErrorsOfAdded("[schedule]\ncolour = 1\n"),
            "f.toml:14:1: schedule.colour: unknown key, allowed: depth, stalls or strategy");
}

// --- One mistake is one error ---

TEST(OneMistakeTest, AMisspeltKeyIsNotMissingToo) {
  EXPECT_EQ(
      ErrorsOfAdded("[[call]]\nat = \"1s\"\nsend = { topc = \"orders\" }\n"),
      "f.toml:15:10: call.send.topc: unknown key, allowed: key, partition, topic or value (did you mean \"topic\"?)");
  EXPECT_EQ(
      ErrorsOfAdded("[[call]]\nat = \"1s\"\nflsh = {}\n"),
      "f.toml:15:1: call.flsh: unknown key, allowed: abort, at, begin, close, commit, flush, partitions_for, producer, "
      "send, send_offsets or thread (did you mean \"flush\"?)");
}

TEST(OneMistakeTest, ATopicThatCouldNotBeReadMayBeTheOneThatIsMeant) {
  const std::string text =
      "title = \"t\"\nduration = \"60s\"\ncluster = { brokers = 3 }\n[[topic]]\nnam = \"a\"\n[[workload]]\ntopic = "
      "\"a\"\n"
      "partition = 7\ncount = 1\n[[fault]]\nat = \"1s\"\nmove_leader = { topic = \"a\" }\n[[expect_that]]\nmetric = "
      "\"lost\"\n"
      "where = { topic = \"a\", partition = 7 }\nholds = 0\n";
  EXPECT_EQ(ErrorsOf(text),
            "f.toml:5:1: topic.nam: unknown key, allowed: name, partitions, replication or settings (did you mean "
            "\"name\"?)");
}

TEST(OneMistakeTest, WithoutTopicsNoNameOfOneIsWrong) {
  EXPECT_EQ(
      ErrorsOf(
          "title = \"t\"\nduration = \"60s\"\ncluster = { brokers = 3 }\n[[workload]]\ntopic = \"a\"\ncount = 1\n"),
      "f.toml:1:1: topic: missing, required: [[topic]] with a name");
}

TEST(OneMistakeTest, AWrongNumberOfBrokersMakesNoBrokerWrong) {
  EXPECT_EQ(ErrorsOfAdded("[[broker]]\nid = 7\n[[fault]]\nat = \"1s\"\ncrash = { broker = 7 }\n",
                          {.overrides = {"cluster.brokers=many"}}),
            "--set cluster.brokers=many: cluster.brokers: found \"many\", allowed: a whole number from 1 to 1000");
}

TEST(OneMistakeTest, ADurationOfZeroMakesNoMomentTooLate) {
  EXPECT_EQ(ErrorsOfAdded("stop = \"5s\"\n[[fault]]\nat = \"1s\"\ndisconnect = { broker = 1 }\n",
                          {.overrides = {"duration=0s"}}),
            "--set duration=0s: duration: found \"0s\", allowed: more than 0s");
}

TEST(OneMistakeTest, TopicsThatStandTwiceAreOneError) {
  EXPECT_EQ(ErrorsOfAdded("[[topic]]\nname = \"t-{1..5}\"\n[[topic]]\nname = \"t-{1..5}\"\n"),
            "f.toml:16:8: topic.name: topic t-1 stands here twice");
}

TEST(OneMistakeTest, AFaultOfAWorkloadThatIsWrongIsNotWrongToo) {
  EXPECT_EQ(ErrorsOfAdded("[[fault]]\nat = \"1s\"\nlose_acked_append = { topic = \"orders\", partition = 0 }\n",
                          {.overrides = {"workload.topic=ordres"}}),
            "--set workload.topic=ordres: workload.topic: there is no topic ordres, allowed: orders or solo, a list of "
            "names, "
            "\"*\" or \"any\" (did you mean \"orders\"?)");
}

TEST(ParseErrorsTest, WhereNothingIsAllowedThatIsSaid) {
  EXPECT_EQ(ErrorsOfAdded("[[fault]]\non = { request = \"Produce\" }\ndrop_response = { broker = 1 }\n"),
            "f.toml:15:19: fault.drop_response.broker: unknown key, allowed: none");
}

TEST(ParseErrorsTest, ATitleSaysSomething) {
  EXPECT_EQ(ErrorsOfAdded("", {.overrides = {"title=\"  \""}}),
            "--set title=\"  \": title: found \"  \", allowed: a line of text");
}

TEST(ParseErrorsTest, NobodyCanWaitForMoreReplicasThanThereAreBrokers) {
  EXPECT_EQ(
      ErrorsOfAdded("[[topic]]\nname = \"a\"\nsettings = { min.insync.replicas = 4 }\n",
                    {.overrides = {"cluster.settings.min.insync.replicas=10"}}),
      "f.toml:15:14: topic.settings.min.insync.replicas: found 4, allowed: at most 3, one for each broker\n"
      "--set cluster.settings.min.insync.replicas=10: cluster.settings.min.insync.replicas: found 10, allowed: at most "
      "3, one for each broker");
  // More than the topic's replicas: refused for good with acks=all, as Kafka does it.
  EXPECT_EQ(ErrorsOfAdded("[[topic]]\nname = \"a\"\nreplication = 1\nsettings = { min.insync.replicas = 2 }\n"), "");
}

TEST(ParseErrorsTest, AWrongTypeShowsWhatWasFound) {
  EXPECT_EQ(
      ErrorsOfAdded("settle = 5\n[network]\nlatency = 7\n"),
      "f.toml:13:1: workload.settle: unknown key, allowed: arrival, closed, count, key, on_callback, partition, "
      "producer, rate, start, stop, then, thread, topic, transactions or value\n"
      "f.toml:15:11: network.latency: found 7, allowed: a duration such as \"2ms\", a range such as \"1ms..5ms\", "
      "or { dist = \"lognormal\", median = \"500us\", p99 = \"5ms\" }");
}

TEST(ParseErrorsTest, ADistributionNeedsItsPercentileAboveItsMedian) {
  EXPECT_EQ(ErrorsOfAdded("[network]\nlatency = { dist = \"lognormal\", median = \"5ms\", p99 = \"1ms\" }\n"),
            "f.toml:14:55: network.latency.p99: found \"1ms\", allowed: at least the median, which is more than 0s");
}

TEST(ParseErrorsTest, ANumberOutOfRangeShowsTheRange) {
  const std::string text = "title = \"t\"\nduration = \"1s\"\n[cluster]\nbrokers = 0\n[[topic]]\nname = \"a\"\n";
  EXPECT_EQ(ErrorsOf(text, {.overrides = {}, .purpose = Purpose::kCheck}),
            "f.toml:4:11: cluster.brokers: found 0, allowed: a whole number from 1 to 1000");
}

TEST(ParseErrorsTest, AVersionThatThereIsNotNamesThoseThatThereAre) {
  EXPECT_EQ(
      ErrorsOfAdded("[[broker]]\nid = 1\nversion = \"4.1\"\n"),
      "f.toml:15:11: broker.version: found \"4.1\", allowed: 0.9, 0.10, 0.11, 1.0, 2.0, 2.8, 3.9, 4.0 or 4.4 (did "
      "you mean \"4.0\"?)");
}

TEST(ParseErrorsTest, ABrokerStandsOnlyOnce) {
  EXPECT_EQ(ErrorsOfAdded("[[broker]]\nid = 1\n[[broker]]\nid = 1\n"),
            "f.toml:16:6: broker.id: broker 1 stands here twice");
}

TEST(ParseErrorsTest, ATopicHasALegalNameOfItsOwn) {
  EXPECT_EQ(ErrorsOfAdded("[[topic]]\nname = \"a b\"\n[[topic]]\nname = \"orders\"\n"),
            "f.toml:14:8: topic.name: found \"a b\", allowed: 1 to 249 letters, digits, '.', '_' or '-', with one "
            "\"{1..N}\" for many\n"
            "f.toml:16:8: topic.name: topic orders stands here twice");
}

TEST(ParseErrorsTest, ReplicationIsBoundedByTheBrokers) {
  EXPECT_EQ(ErrorsOfAdded("[[topic]]\nname = \"a\"\nreplication = 4\n"),
            "f.toml:15:15: topic.replication: found 4, allowed: a whole number from 1 to 3");
}

TEST(ParseErrorsTest, AKeyThatIsWrittenInTwoWaysStandsTwice) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nlinger.ms = 5\n\"linger.ms\" = 6\n"),
            "f.toml:15:1: producer.linger.ms: stands here twice, allowed: once");
}

TEST(ParseErrorsTest, ListsOfTablesAreWrittenAsSuch) {
  EXPECT_EQ(ErrorsOfAdded("[fault]\nat = \"1s\"\n"),
            "f.toml:13:1: fault: found a table, allowed: [[fault]], once for each");
}

TEST(ParseErrorsTest, SectionsThatComeLaterSaySo) {
  EXPECT_EQ(ErrorsOfAdded("[cost]\na = 1\n[random]\nfaults = []\n[replay]\nb = 2\n"),
            "f.toml:13:2: cost: not supported yet by this build\n"
            "f.toml:15:2: random: not supported yet by this build\n"
            "f.toml:17:2: replay: not supported yet by this build");
}

TEST(ParseErrorsTest, TheStrategyThatComesLaterSaysSo) {
  EXPECT_EQ(
      ErrorsOfAdded("[schedule]\nstrategy = \"pct\"\ndepth = 3\n"),
      "f.toml:14:12: schedule.strategy: \"pct\" is not supported yet by this build, allowed: random or round_robin\n"
      "f.toml:15:1: schedule.depth: not supported yet by this build");
}

TEST(ParseErrorsTest, AnErrorOfAnOverrideNamesTheOverride) {
  EXPECT_EQ(ErrorsOfAdded("", {.overrides = {"schedule.stalls=rarely"}}),
            "--set schedule.stalls=rarely: schedule.stalls: found \"rarely\", allowed: none, rare or often (did you "
            "mean \"rare\"?)");
  EXPECT_EQ(ErrorsOfAdded("", {.overrides = {"duration"}}), "--set duration: duration: no value, allowed: KEY=VALUE");
  EXPECT_EQ(
      ErrorsOfAdded("", {.overrides = {"workload.2.rate=5/s"}}),
      "--set workload.2.rate=5/s: workload.2.rate: there are 1 of workload, allowed: workload.NUMBER.KEY, counted "
      "from 1");
}

TEST(ParseErrorsTest, ABootstrapServerIsABrokerOrHasAPort) {
  const std::string allowed = "brokers' ids (1 to 3) or \"host:port\" with a port from 1 to 65535";
  const auto errors = [](const std::string& list) {
    return ErrorsOf("title = \"t\"\nduration = \"60s\"\n[cluster]\nbrokers = 3\nbootstrap = " + list +
                    "\n[[topic]]\nname = \"a\"\n[[workload]]\ntopic = \"a\"\nrate = \"1/s\"\n");
  };
  EXPECT_EQ(errors("[1, \"x:70000\"]"), "f.toml:5:17: cluster.bootstrap: found \"x:70000\", allowed: " + allowed);
  EXPECT_EQ(errors("[\"x:0\"]"), "f.toml:5:14: cluster.bootstrap: found \"x:0\", allowed: " + allowed);
  EXPECT_EQ(errors("[]"), "f.toml:5:13: cluster.bootstrap: found an empty list, allowed: a list of " + allowed +
                              "; without the key, all brokers");
  EXPECT_EQ(errors("[3, \"x:65535\", \"[::1]:9092\"]"), "");
}

}  // namespace
}  // namespace ktrial::scenario
