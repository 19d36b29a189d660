#include <gtest/gtest.h>

#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

// What stands wrong in one [[fault]], with its keys from line 14 on.
std::string FaultErrors(std::string_view keys, Purpose purpose = Purpose::kRun) {
  return ErrorsOfAdded("[[fault]]\n" + std::string(keys), {.overrides = {}, .purpose = purpose});
}

TEST(FaultErrorsTest, AFaultSaysWhenAndWhat) {
  EXPECT_EQ(FaultErrors("may_not_fire = true\n"),
            "f.toml:13:1: fault: says not when, required: one of at, every or on\n"
            "f.toml:13:1: fault: says not what, required: one kind of fault");
}

TEST(FaultErrorsTest, TriggersExcludeEachOther) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nevery = \"2s\"\ndisconnect = { broker = 1 }\n"),
            "f.toml:15:1: fault.every: stands beside at, allowed: one of at and every");
}

TEST(FaultErrorsTest, OneFaultIsOfOneKind) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndisconnect = { broker = 1 }\ncrash = { broker = 1 }\n"),
            "f.toml:16:1: fault.crash: stands beside disconnect, allowed: one of crash and disconnect");
}

TEST(FaultErrorsTest, KindsThatComeLaterSaySo) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nthrottle = { broker = 1, time = \"1s\" }\n"),
            "f.toml:15:1: fault.throttle: not supported yet by this build");
}

TEST(FaultErrorsTest, AnInstantHasNoEnd) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nfor = \"2s\"\ndisconnect = { broker = 1 }\n"),
            "f.toml:15:7: fault.for: stands beside disconnect, which is over at once");
}

TEST(FaultErrorsTest, BrokersExist) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\ncrash = { broker = 4 }\n"),
            "f.toml:15:20: fault.crash.broker: there is no broker 4, allowed: a broker's id (1 to 3), a list of them, "
            "\"*\", \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or \"controller\"");
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\ncrash = { broker = \"leader:orders/6\" }\n"),
      "f.toml:15:20: fault.crash.broker: topic orders has no partition 6, allowed: a broker's id (1 to 3), a list "
      "of them, \"*\", \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or \"controller\"");
  EXPECT_EQ(FaultErrors("at = \"1s\"\ncrash = { broker = \"follower:solo/0\" }\n"),
            "f.toml:15:20: fault.crash.broker: topic solo has no followers, allowed: a broker's id (1 to 3), a list of "
            "them, \"*\", \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or \"controller\"");
}

TEST(FaultErrorsTest, ArgumentsAreRequiredWhereThereAreSeveralToMean) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmove_leader = {}\n"),
            "f.toml:15:15: fault.move_leader.topic: missing, required: which topic\n"
            "f.toml:15:15: fault.move_leader.partition: missing, required: which partition");
}

TEST(FaultErrorsTest, AnUnknownErrorCodeIsRefused) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nerror = { api = \"Produce\", code = \"NOT_LEADER\" }\n"),
            "f.toml:15:35: fault.error.code: found \"NOT_LEADER\", allowed: an error's name such as "
            "NOT_LEADER_OR_FOLLOWER");
}

TEST(FaultErrorsTest, SomeKindsNeedTheirTrigger) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndrop_response = {}\n"),
            "f.toml:15:17: fault.drop_response: stands without `on`, required: on = { request = ... }");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nstall_thread = { thread = \"app-1\" }\n"),
            "f.toml:15:16: fault.stall_thread: stands without `for`, required: for = DURATION");
}

// --- Faults that certainly cannot fire ---

TEST(FaultErrorsTest, NothingFiresAtTheDurationOrLater) {
  EXPECT_EQ(FaultErrors("at = \"60s\"\ncrash = { broker = 1 }\n"),
            "f.toml:15:1: fault.crash: certainly cannot fire: at 60s is not before the duration, 60s");
  EXPECT_EQ(FaultErrors("every = \"60s\"\ncrash = { broker = 1 }\n"),
            "f.toml:15:1: fault.crash: certainly cannot fire: the first falls after one interval, 60s, which is not "
            "before the duration, 60s");
}

TEST(FaultErrorsTest, ALeaderNeedsSomewhereToMove) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmove_leader = { topic = \"solo\" }\n"),
            "f.toml:15:1: fault.move_leader: certainly cannot fire: there is no other replica (replication is 1)");
}

TEST(FaultErrorsTest, ALeaderMovesOnlyToAReplica) {
  EXPECT_EQ(ErrorsOfAdded("[[fault]]\nat = \"1s\"\nmove_leader = { topic = \"orders\", partition = 0, to = 3 }\n",
                          {.overrides = {"topic.1.replication=2"}}),
            "f.toml:15:1: fault.move_leader: certainly cannot fire: broker 3 has no replica of it");
}

TEST(FaultErrorsTest, ALeaderDoesNotMoveToItself) {
  const std::string text = "f.toml:15:1: fault.move_leader: certainly cannot fire: broker 1 leads it already";
  const std::string move = "at = \"1s\"\nmove_leader = { topic = \"orders\", partition = 0, to = 1 }\n";
  EXPECT_EQ(FaultErrors(move), text);
  EXPECT_EQ(FaultErrors(move + "[[fault]]\nat = \"1s\"\ndisconnect = { broker = 1 }\n"), text);
  // Whoever is not the leader any more can become it again.
  EXPECT_EQ(FaultErrors(move + "[[fault]]\nat = \"500ms\"\npause_broker = { broker = 1 }\n"), "");
  // Partition 1 is led by another.
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmove_leader = { topic = \"orders\", partition = \"*\", to = 1 }\n"), "");
}

TEST(FaultErrorsTest, AnEpisodeHasALength) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nfor = \"0s\"\ncrash = { broker = 1 }\n"),
            "f.toml:15:7: fault.for: found \"0s\", allowed: more than 0s");
}

TEST(FaultErrorsTest, LatencyAddsSomething) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nlatency = { broker = 1, add = \"0s\" }\n"),
            "f.toml:15:31: fault.latency.add: found \"0s\", allowed: more than 0s");
}

TEST(FaultErrorsTest, AMisspeltKindOrTriggerIsOneError) {
  EXPECT_TRUE(FaultErrors("at = \"1s\"\nmove_leder = {}\n").ends_with("(did you mean \"move_leader\"?)"));
  EXPECT_EQ(FaultErrors("evry = \"1s\"\ncrash = { broker = 1 }\n").find('\n'), std::string::npos);
}

TEST(FaultErrorsTest, AnUnknownRequestIsToldAllThatAreServed) {
  const std::string served =
      "Produce, Metadata, FindCoordinator, SaslHandshake, ApiVersions, InitProducerId, AddPartitionsToTxn, "
      "AddOffsetsToTxn, EndTxn, TxnOffsetCommit or SaslAuthenticate";
  EXPECT_EQ(FaultErrors("on = { request = \"EndTx\" }\ncrash = { broker = 1 }\n"),
            "f.toml:14:18: fault.on.request: found \"EndTx\", allowed: " + served + " (did you mean \"EndTxn\"?)");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nerror = { code = \"NOT_COORDINATOR\" }\n"),
            "f.toml:15:9: fault.error.api: missing, required: " + served);
}

TEST(FaultErrorsTest, AFaultOfARequestNeedsSomebodyToSendIt) {
  EXPECT_EQ(FaultErrors("on = { request = \"Fetch\" }\ncrash = { broker = 1 }\n"),
            "f.toml:15:1: fault.crash: certainly cannot fire: the brokers do not serve Fetch");
  EXPECT_EQ(FaultErrors("on = { request = \"InitProducerId\" }\ncrash = { broker = 1 }\n"), "");
  EXPECT_EQ(FaultErrors("on = { request = \"InitProducerId\" }\ncrash = { broker = 1 }\n"
                        "[producer]\nenable.idempotence = false\n"),
            "f.toml:15:1: fault.crash: certainly cannot fire: no producer sends InitProducerId (enable.idempotence)");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nlose_acked_append = { topic = \"solo\" }\n"),
            "f.toml:15:1: fault.lose_acked_append: certainly cannot fire: no workload or call sends there");
}

TEST(FaultErrorsTest, AForeignClientMaySendWhatOursDoesNot) {
  EXPECT_EQ(FaultErrors("on = { request = \"EndTxn\" }\ncrash = { broker = 1 }\n"),
            "f.toml:15:1: fault.crash: certainly cannot fire: no producer sends EndTxn (transactional.id)");
  EXPECT_EQ(FaultErrors("on = { request = \"EndTxn\" }\ncrash = { broker = 1 }\n", Purpose::kServe), "");
  EXPECT_EQ(FaultErrors("on = { request = \"InitProducerId\" }\ncrash = { broker = 1 }\n"
                        "[producer]\nenable.idempotence = false\n",
                        Purpose::kServe),
            "");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nlose_acked_append = { topic = \"solo\" }\n", Purpose::kServe), "");
}

TEST(FaultErrorsTest, APartitionOfTheNetworkSeparatesClients) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nnetwork_partition = { between = [1, 2] }\n"),
            "f.toml:15:1: fault.network_partition: certainly cannot fire: no bytes go from broker to broker here; one "
            "side must be \"clients\"");
}

TEST(FaultErrorsTest, AnErrorIsOneAndInTime) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nerror = { api = \"Produce\", code = \"NONE\" }\n"),
            "f.toml:15:1: fault.error: certainly cannot fire: NONE is no error");
  EXPECT_EQ(FaultErrors("on = { request = \"Produce\", phase = \"after_append\" }\n"
                        "error = { code = \"NOT_LEADER_OR_FOLLOWER\", phase = \"before_append\" }\n"),
            "f.toml:15:1: fault.error: certainly cannot fire: its phase is over when `on` fires");
}

TEST(FaultErrorsTest, AnErrorForATopicNeedsARequestThatNamesTopics) {
  const std::string none =
      " names no topics, allowed: topic and partition with Produce, Metadata, AddPartitionsToTxn or TxnOffsetCommit";
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\nerror = { api = \"InitProducerId\", code = \"COORDINATOR_NOT_AVAILABLE\", topic = "
                  "\"orders\" }\n"),
      "f.toml:15:1: fault.error: certainly cannot fire: InitProducerId" + none);
  EXPECT_EQ(FaultErrors("on = { request = \"EndTxn\" }\nerror = { code = \"NOT_COORDINATOR\", partition = 0 }\n",
                        Purpose::kServe),
            "f.toml:15:1: fault.error: certainly cannot fire: EndTxn" + none);
  EXPECT_EQ(
      FaultErrors("on = { request = \"TxnOffsetCommit\" }\nerror = { code = \"NOT_COORDINATOR\", partition = 0 }\n",
                  Purpose::kServe),
      "");
}

TEST(FaultErrorsTest, AnAddressLeadsToAnotherBroker) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmisroute = { broker = 1 }\n"),
            "f.toml:15:12: fault.misroute.to: missing, required: which broker has its address");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmisroute = { broker = 1, to = 1 }\n"),
            "f.toml:15:1: fault.misroute: certainly cannot fire: broker 1 has its address already");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmisroute = { broker = \"any\", to = \"any\" }\n"), "");
  const std::string one =
      ", allowed: one broker: an id, \"any\", \"leader:TOPIC/PARTITION\", \"follower:TOPIC/PARTITION\" or "
      "\"controller\"";
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmisroute = { broker = 1, to = [2, 3] }\n"),
            "f.toml:15:31: fault.misroute.to: found a list" + one);
  EXPECT_EQ(FaultErrors("at = \"1s\"\nmisroute = { broker = 1, to = \"*\" }\n"),
            "f.toml:15:31: fault.misroute.to: found \"*\"" + one);
}

TEST(FaultErrorsTest, ABrokerBecomesOneOfAnotherRelease) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndowngrade_api = { broker = 1 }\n"),
            "f.toml:15:17: fault.downgrade_api.version: missing, required: a release such as \"2.8\"");
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\ndowngrade_api = { broker = 1, version = \"0.8\" }\n"),
      "f.toml:15:41: fault.downgrade_api.version: found \"0.8\", allowed: 0.9, 0.10, 0.11, 1.0, 2.0, 2.8, 3.9, 4.0 "
      "or 4.4 (did you mean \"0.9\"?)");
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndowngrade_api = { broker = [1, 2], version = \"4.0\" }\n"),
            "f.toml:15:1: fault.downgrade_api: certainly cannot fire: of 4.0 already: broker 1, 2");
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndowngrade_api = { broker = \"any\", version = \"2.8\" }\n"), "");
}

TEST(FaultErrorsTest, ATopicIsDeletedThatExists) {
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndelete_topic = {}\n"),
            "f.toml:15:16: fault.delete_topic.topic: missing, required: which topic");
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\ndelete_topic = { topic = \"order\" }\n"),
      "f.toml:15:26: fault.delete_topic.topic: there is no topic order, allowed: orders or solo, a list of names, "
      "\"*\" or \"any\" (did you mean \"orders\"?)");
  EXPECT_EQ(FaultErrors("at = \"1s\"\ndelete_topic = { topic = \"__transaction_state\" }\n"
                        "[[topic]]\nname = \"__transaction_state\"\n"),
            "f.toml:15:26: fault.delete_topic.topic: the brokers do not work without __transaction_state");
  EXPECT_EQ(FaultErrors("at = \"1s\"\nfor = \"2s\"\ndelete_topic = { topic = \"*\", lag = \"0ms..2s\" }\n"), "");
}

TEST(FaultErrorsTest, ATopicIsMadeThatWasDeleted) {
  const std::string create = "at = \"2s\"\ncreate_topic = { topic = \"orders\", partitions = 9, replication = 1 }\n";
  EXPECT_EQ(FaultErrors(create),
            "f.toml:15:1: fault.create_topic: certainly cannot fire: topic orders is there from the start, and no "
            "delete_topic takes it away");
  EXPECT_EQ(FaultErrors(create + "[[fault]]\nat = \"1s\"\ndelete_topic = { topic = \"any\" }\n"), "");
  EXPECT_EQ(FaultErrors("at = \"2s\"\ncreate_topic = { topic = \"orders\", partitions = 0, replication = 4 }\n"),
            "f.toml:15:49: fault.create_topic.partitions: found 0, allowed: a whole number from 1 to 100000\n"
            "f.toml:15:66: fault.create_topic.replication: found 4, allowed: a whole number from 1 to 3");
  EXPECT_EQ(FaultErrors("at = \"2s\"\nfor = \"1s\"\ncreate_topic = { topic = \"orders\" }\n"
                        "[[fault]]\nat = \"1s\"\ndelete_topic = { topic = \"orders\" }\n"),
            "f.toml:15:7: fault.for: stands beside create_topic, which is over at once");
}

TEST(FaultErrorsTest, AThreadExistsToBeStalled) {
  const std::string allowed = ", allowed: app-1 or producer, or \"*\"";
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\nfor = \"1s\"\nstall_thread = { thread = \"app-7\" }\n"),
      "f.toml:16:1: fault.stall_thread: certainly cannot fire: there is no thread and no producer \"app-7\"" + allowed);
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\nfor = \"1s\"\nstall_thread = { thread = \"producer-2\" }\n"),
      "f.toml:16:1: fault.stall_thread: certainly cannot fire: there is no thread and no producer \"producer-2\"" +
          allowed);
  EXPECT_EQ(
      FaultErrors("at = \"1s\"\nfor = \"1s\"\nstall_thread = { thread = \"app-*\" }\n"),
      "f.toml:16:1: fault.stall_thread: certainly cannot fire: there is no thread and no producer \"app-*\"" + allowed);
  for (const char* name : {"app-1", "producer", "*"}) {
    EXPECT_EQ(FaultErrors("at = \"1s\"\nfor = \"1s\"\nstall_thread = { thread = \"" + std::string(name) + "\" }\n"),
              "");
  }
}

}  // namespace
}  // namespace ktrial::scenario
