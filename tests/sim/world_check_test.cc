#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/producer/producer.h"
#include "sim/workload/app_context.h"
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

// Of Valid() with this one fault.
void ExpectFaultRefused(FaultAction action, FaultTrigger trigger, std::string_view text) {
  WorldSpec spec = Valid();
  spec.cluster.brokers = 3;
  spec.faults = {{.action = std::move(action), .trigger = std::move(trigger), .may_not_fire = true}};
  const absl::Status status = RunWorld(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()), text);
}

TEST(WorldCheckTest, AnIntervalThatLetsNoTimePassIsRefused) {
  ExpectFaultRefused(Disconnect{BrokerSelector::Any()}, {.every = 0s},
                     "faults[0] (disconnect): every: 0s, allowed: more than 0s");
  ExpectFaultRefused(Disconnect{BrokerSelector::Any()}, {.every = -1ms},
                     "faults[0] (disconnect): every: -1ms, allowed: more than 0s");
}

TEST(WorldCheckTest, MomentsAndLengthsOfFaultsCanBeDrawn) {
  const Crash crash{BrokerSelector::Id(1)};
  ExpectFaultRefused(crash, {.at = DurationRange(5s, 1s)},
                     "faults[0] (crash): at: from 5s to 1s, allowed: the shorter one first");
  ExpectFaultRefused(crash, {.at = -1s}, "faults[0] (crash): at: -1s, allowed: 0s or more");
  ExpectFaultRefused(crash, {.at = 0s, .lasting = DurationRange(2s, 1s)},
                     "faults[0] (crash): lasting: from 2s to 1s, allowed: the shorter one first");
  ExpectFaultRefused(crash, {.every = 1s, .times = 0}, "faults[0] (crash): times: 0, allowed: 1 or more");
  ExpectFaultRefused(crash, {.on = RequestTrigger{.nth = 0}}, "faults[0] (crash): on.nth: 0, allowed: 1 or more");
  ExpectFaultRefused(Latency{BrokerSelector::Id(1), DurationRange(5s, 1s)}, {.at = 0s},
                     "faults[0] (latency): add: from 5s to 1s, allowed: the shorter one first");
  ExpectFaultRefused(MoveLeader{.topic = TopicSelector::Name("a"), .lag = -1s}, {.at = 0s},
                     "faults[0] (move_leader): lag: -1s, allowed: 0s or more");
}

TEST(WorldCheckTest, ATopicThatAFaultNamesIsThere) {
  ExpectFaultRefused(MoveLeader{.topic = TopicSelector::Name("typo")}, {.at = 0s},
                     "faults[0] (move_leader): topic: there is no topic \"typo\", allowed: a, \"*\" or \"any\"");
  ExpectFaultRefused(MoveLeader{}, {.at = 0s},
                     "faults[0] (move_leader): topic: names no topic, allowed: a, \"*\" or \"any\"");
  ExpectFaultRefused(LoseAckedAppend{.topic = TopicSelector::Name("b")}, {.at = 0s},
                     "faults[0] (lose_acked_append): topic: there is no topic \"b\", allowed: a, \"*\" or \"any\" (did "
                     "you mean \"a\"?)");
  ExpectFaultRefused(NoLeader{.topic = TopicSelector::Name("a"), .partition = PartitionSelector::Index(1)}, {.at = 0s},
                     "faults[0] (no_leader): partition: there is no partition 1, allowed: 0 to 0, All() or Any()");
}

// A world whose topic "late" is created by a send at 100ms, and has no leader from 500ms on.
WorldSpec CreatesLate() {
  WorldSpec spec = Valid();
  spec.calls = {{.at = 100ms, .call = SendCall{.topic = "late"}}};
  spec.faults = {{.action = NoLeader{.topic = TopicSelector::Name("late")}, .trigger = {.at = 500ms}}};
  return spec;
}

TEST(WorldCheckTest, AFaultMayNameATopicThatACallCreates) {
  const absl::StatusOr<RunResult> result = RunWorld(CreatesLate());
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->faults[0].fired, 1);
}

TEST(WorldCheckTest, SoMayTheLeaderThatAFaultMeans) {
  WorldSpec spec = CreatesLate();
  spec.faults[0].action = Disconnect{BrokerSelector::Leader("late", 0)};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->faults[0].fired, 1);
}

TEST(WorldCheckTest, ACreatedTopicHasAsManyPartitionsAsTheBrokersGiveIt) {
  WorldSpec spec = CreatesLate();
  spec.faults[0].action = NoLeader{.topic = TopicSelector::Name("late"), .partition = PartitionSelector::Index(3)};
  ExpectRefused(spec, "faults[0] (no_leader): partition: there is no partition 3, allowed: 0 to 0, All() or Any()");
  spec.cluster.settings["num.partitions"] = "4";
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->faults[0].fired, 1);
}

TEST(WorldCheckTest, BrokersThatCreateNothingHaveNoSuchTopic) {
  WorldSpec spec = CreatesLate();
  spec.cluster.settings["auto.create.topics.enable"] = "false";
  ExpectRefused(spec, "faults[0] (no_leader): topic: there is no topic \"late\", allowed: a, \"*\" or \"any\"");
}

TEST(WorldCheckTest, ATopicThatOnlyAThreadCreatesIsNamedByIt) {
  WorldSpec spec = CreatesLate();
  spec.calls.clear();
  spec.threads = {{.name = "t", .body = [](AppContext& app) { app.producer().Send({.topic = "late", .value = "x"}); }}};
  ExpectRefused(spec,
                "faults[0] (no_leader): topic: there is no topic \"late\", allowed: a, \"*\" or \"any\"; one that a "
                "thread's sends create is named in its ThreadSpec::creates");
  spec.threads[0].creates = {"late"};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_EQ(result.status(), absl::OkStatus());
  EXPECT_EQ(result->faults[0].fired, 1);
}

TEST(WorldCheckTest, ABrokerThatAFaultNamesIsThere) {
  constexpr char kAllowed[] = "allowed: Id(1) to Id(3), All(), Any(), or Leader of a topic's partition";
  const auto expect = [&](FaultAction action, FaultTrigger trigger, const std::string& what) {
    ExpectFaultRefused(std::move(action), std::move(trigger), what + ", " + kAllowed);
  };
  expect(Crash{BrokerSelector::Id(9)}, {.at = 0s}, "faults[0] (crash): broker: there is no broker 9");
  expect(Crash{}, {.at = 0s}, "faults[0] (crash): broker: names no broker");
  expect(PauseBroker{BrokerSelector::Leader("b", 0)}, {.at = 0s},
         "faults[0] (pause_broker): broker: there is no topic b");
  expect(PauseBroker{BrokerSelector::Leader("a", 7)}, {.at = 0s},
         "faults[0] (pause_broker): broker: topic a has no partition 7");
  expect(MoveLeader{.topic = TopicSelector::Name("a"), .to = BrokerSelector::Id(0)}, {.at = 0s},
         "faults[0] (move_leader): to: there is no broker 0");
  expect(NetworkPartition{.first = {.clients = true}, .second = {}}, {.at = 0s},
         "faults[0] (network_partition): second: names no broker");
  expect(DropResponse{}, {.on = RequestTrigger{.broker = BrokerSelector::Id(4)}},
         "faults[0] (drop_response): on.broker: there is no broker 4");
}

TEST(WorldCheckTest, AThreadThatAFaultNamesIsThere) {
  ExpectFaultRefused(StallThread{"typo"}, {.at = 0s, .lasting = 1s},
                     "faults[0] (stall_thread): thread: there is no thread and no producer \"typo\", allowed: app-1 or "
                     "producer, or \"*\"");
  ExpectFaultRefused(StallThread{}, {.at = 0s, .lasting = 1s},
                     "faults[0] (stall_thread): thread: there is no thread and no producer \"\", allowed: app-1 or "
                     "producer, or \"*\"");
}

TEST(WorldCheckTest, AFaultDoesNotContradictItself) {
  ExpectFaultRefused(DropResponse{}, {.at = 0s},
                     "faults[0] (drop_response): it is about one request, allowed: with `on`");
  ExpectFaultRefused(ErrorAnswer{}, {.at = 0s}, "faults[0] (error): NONE is no error");
  ExpectFaultRefused(
      NetworkPartition{.first = {.brokers = BrokerSelector::Id(1)}, .second = {.brokers = BrokerSelector::Id(2)}},
      {.at = 0s},
      "faults[0] (network_partition): no bytes go from broker to broker here; one side must be \"clients\"");
}

// What one number out of range is refused with.
std::string RefusalOf(const std::function<void(WorldSpec&)>& change) {
  WorldSpec spec = Valid();
  change(spec);
  const absl::Status status = RunWorld(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(WorldCheckTest, AThreadHasANameABodyAndAStart) {
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.threads = {{.name = "t"}}; }),
            "threads[0].body: empty, allowed: a function");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.threads = {{.body = [](AppContext&) {}}}; }),
            "threads[0].name: empty, allowed: a name");
  EXPECT_EQ(
      RefusalOf([](WorldSpec& spec) { spec.threads = {{.name = "t", .body = [](AppContext&) {}, .start = -1s}}; }),
      "threads[0].start: -1s, allowed: 0s or more");
}

TEST(WorldCheckTest, NumbersOfTheClusterAreInRange) {
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.cluster.brokers = 0; }), "cluster.brokers: 0, allowed: 1 to 60000");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.brokers = {{.id = 2}}; }), "brokers[0].id: 2, allowed: 1 to 1");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.topics[0].partitions = 0; }),
            "topics[0].partitions: 0, allowed: 1 or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.topics[0].replication = -1; }),
            "topics[0].replication: -1, allowed: 0 to 1");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.network.bytes_per_second = -1; }),
            "network.bytes_per_second: -1, allowed: 0 or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.topics.resize(30'001); }), "topics: 30001, allowed: 0 to 30000");
}

TEST(WorldCheckTest, LengthsOfTimeCanBeDrawn) {
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.network.latency = Distribution::Uniform(5s, 1s); }),
            "network.latency: uniform from 5s to 1s, allowed: 0s <= low <= high");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.network.latency = Distribution::Uniform(-1s, 1s); }),
            "network.latency: uniform from -1s to 1s, allowed: 0s <= low <= high");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.network.latency = Distribution::LogNormal(0s, 1s); }),
            "network.latency: lognormal with a median of 0s and a p99 of 1s, allowed: 0s < median <= p99");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.brokers = {{.id = 1, .latency = Distribution::LogNormal(2s, 1s)}}; }),
            "brokers[0].latency: lognormal with a median of 2s and a p99 of 1s, allowed: 0s < median <= p99");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.brokers = {{.id = 1, .service = Distribution::Constant(-1s)}}; }),
            "brokers[0].service: -1s, allowed: 0s or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.brokers = {{.id = 1, .service = Distribution::Exponential(-1ms)}}; }),
            "brokers[0].service: exponential with a mean of -1ms, allowed: 0s or more");
}

TEST(WorldCheckTest, NumbersOfTheApplicationAreInRange) {
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.duration = 0s; }), "duration: 0s, allowed: more than 0s");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.settle = -1s; }), "settle: -1s, allowed: 0s or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.producers[0].instances = 0; }),
            "producers[0].instances: 0, allowed: 1 or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.workloads[0].start = -1s; }),
            "workloads[0].start: -1s, allowed: 0s or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.workloads[0].count = -1; }),
            "workloads[0].count: -1, allowed: 0 or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.workloads[0].partition = PartitionSelector::Index(1); }),
            "workloads[0].partition: there is no partition 1, allowed: 0 to 0, All() or Any()");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.workloads[0].transactions = TransactionsSpec{.records = 0}; }),
            "workloads[0].transactions.records: 0, allowed: 1 or more");
  const auto consumed = [](const char* group, const char* topic) {
    return RefusalOf([=](WorldSpec& spec) {
      spec.workloads[0].transactions = TransactionsSpec{.offsets = ConsumedSpec{.group = group, .topic = topic}};
    });
  };
  EXPECT_EQ(consumed("", "a"), "workloads[0].transactions.offsets.group: is empty, allowed: the name of a group");
  EXPECT_EQ(consumed("g", "*"), "workloads[0].transactions.offsets.topic: there is no topic \"*\", allowed: a");
  const auto sent = [](const char* group, const char* topic, std::int64_t offset) {
    return RefusalOf([=](WorldSpec& spec) {
      spec.calls = {{.at = 1s, .call = SendOffsetsCall{{.group = group, .topic = topic}, offset}}};
    });
  };
  EXPECT_EQ(sent("", "a", 0), "calls[0].send_offsets.group: is empty, allowed: the name of a group");
  EXPECT_EQ(sent("g", "b", 0), "calls[0].send_offsets.topic: there is no topic \"b\", allowed: a");
  EXPECT_EQ(sent("g", "a", -1), "calls[0].send_offsets.offset: -1, allowed: 0 or more");
  EXPECT_EQ(RefusalOf([](WorldSpec& spec) { spec.calls = {{.at = DurationRange(2s, 1s), .call = FlushCall{}}}; }),
            "calls[0].at: from 2s to 1s, allowed: the shorter one first");
}

}  // namespace
}  // namespace ktrial::sim
