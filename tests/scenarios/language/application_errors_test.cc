#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

using ::testing::HasSubstr;

// What stands wrong in one [[workload]], with its keys from line 12 on.
std::string WorkloadErrors(std::string_view keys) {
  return ErrorsOf(std::string(kLeast) + "[[workload]]\n" + std::string(keys) + "count = 1\n");
}

TEST(ProducerErrorsTest, TheProducerChecksItsOwnKeys) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nlingr.ms = 5\n"),
            "f.toml:14:1: producer.lingr.ms: is not a key of Kafka's producer; did you mean linger.ms?");
}

TEST(ProducerErrorsTest, AProfileIsOneOfThese) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nprofile = \"java-3\"\n"),
            "f.toml:14:11: producer.profile: found \"java-3\", allowed: java-0.9, java-2.8 or librdkafka-2");
}

TEST(ProducerErrorsTest, AnErrorStandsAtTheNameThatWasWritten) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nprofile = \"librdkafka-2\"\nacks = 1\nbatch.num.messages = 500\n"),
            "f.toml:16:1: producer.batch.num.messages: has no counterpart here: batches have no limit by number, "
            "batch.size counts bytes; 1 is batch.size = 0");
  EXPECT_EQ(ErrorsOfAdded("[producer]\nprofile = \"librdkafka-2\"\nmetadata.broker.list = \"a\"\n"),
            "f.toml:15:1: producer.metadata.broker.list: stands here, allowed: cluster.bootstrap");
}

TEST(ProducerErrorsTest, BootstrapServersBelongToTheCluster) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nbootstrap.servers = \"a:1\"\n"),
            "f.toml:14:1: producer.bootstrap.servers: stands here, allowed: cluster.bootstrap");
}

TEST(ProducerErrorsTest, SeveralProducersHaveNames) {
  EXPECT_EQ(ErrorsOf(std::string(kLeast) + "[[producer]]\nname = \"p\"\n[[producer]]\nacks = 1\n[[workload]]\n"
                                           "topic = \"orders\"\nproducer = \"p\"\n"),
            "f.toml:13:1: producer.name: missing, required: a name, as there are several producers");
}

TEST(ProducerErrorsTest, AWorkloadNamesOneOfSeveralProducers) {
  const std::string two = std::string(kLeast) + "[[producer]]\nname = \"left\"\n[[producer]]\nname = \"right\"\n";
  EXPECT_EQ(ErrorsOf(two + "[[workload]]\ntopic = \"orders\"\ncount = 1\n"),
            "f.toml:15:1: workload.producer: missing, required: left or right");
  EXPECT_EQ(ErrorsOf(two + "[[workload]]\ntopic = \"orders\"\nproducer = \"rihgt\"\n"),
            "f.toml:17:12: workload.producer: there is no producer \"rihgt\", allowed: left or right (did you mean "
            "\"right\"?)");
}

TEST(ProducerErrorsTest, AProducerWithoutANameIsCalledProducer) {
  EXPECT_EQ(ErrorsOfAdded("[[workload]]\ntopic = \"orders\"\nrate = \"1/s\"\nproducer = \"writer\"\n"),
            "f.toml:16:12: workload.producer: there is no producer \"writer\", allowed: producer");
  EXPECT_EQ(ErrorsOfAdded("[[workload]]\ntopic = \"orders\"\nrate = \"1/s\"\nproducer = \"producer\"\n"), "");
}

TEST(ProducerErrorsTest, AnEmptyNameIsNone) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nname = \"\"\n"), "f.toml:14:8: producer.name: found \"\", allowed: a name");
}

// Kafka knows the one spelling.
TEST(ProducerErrorsTest, AcksAllIsWrittenSmall) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nacks = \"ALL\"\n"),
            "f.toml:14:1: producer.acks: = \"ALL\" is not allowed: all, -1, 0 or 1 (PR-20)");
}

TEST(WorkloadErrorsTest, RateAndClosedExcludeEachOther) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\nrate = \"5/s\"\nclosed = 3\n"),
            "f.toml:14:1: workload.closed: stands beside rate, allowed: one of rate and closed");
}

TEST(WorkloadErrorsTest, TopicsAndPartitionsExist) {
  EXPECT_EQ(WorkloadErrors("topic = \"ordres\"\n"),
            "f.toml:12:9: workload.topic: there is no topic ordres, allowed: orders or solo, a list of names, \"*\" or "
            "\"any\" (did you mean \"orders\"?)");
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\npartition = 6\n"),
            "f.toml:13:13: workload.partition: found 6, allowed: a partition (0 to 5), a list of them, \"*\" or "
            "\"any\"");
}

TEST(WorkloadErrorsTest, ItWorksWithinTheDuration) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\nstop = \"61s\"\n"),
            "f.toml:13:8: workload.stop: found \"61s\", allowed: at most the duration, 60s");
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\nstart = \"5s\"\nstop = \"5s\"\n"),
            "f.toml:13:9: workload.start: is not before stop (5s)");
}

TEST(WorkloadErrorsTest, AnArrivalProcessNeedsARate) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\narrival = \"poisson\"\n"),
            "f.toml:13:11: workload.arrival: has no meaning without rate, allowed: with rate");
}

TEST(WorkloadErrorsTest, AValueHasRoomForItsIdentity) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\nvalue = { bytes = 7 }\n"),
            "f.toml:13:19: workload.value.bytes: found 7, allowed: at least 8: a value begins with the identity of its "
            "record");
}

TEST(WorkloadErrorsTest, CompressibleValuesComeLater) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\nvalue = { compress_to = 0.4 }\n"),
            "f.toml:13:11: workload.value.compress_to: not supported yet by this build");
}

TEST(WorkloadErrorsTest, ACallbackDoesOneOfFiveThings) {
  EXPECT_EQ(WorkloadErrors("topic = \"orders\"\non_callback = \"block 5\"\n"),
            "f.toml:13:15: workload.on_callback: found \"block 5\", allowed: \"send\", \"flush\", \"close\", \"throw\" "
            "or \"block DURATION\"");
}

// --- Workloads that a run would not come to the end of ---

// Of one [[workload]] on line 11, and what stands before it in the file.
std::string EndlessErrors(std::string_view keys, std::string_view more = "", Purpose purpose = Purpose::kCheck) {
  return ErrorsOf(std::string(kLeast) + "[[workload]]\ntopic = \"orders\"\n" + std::string(keys) + std::string(more),
                  {.overrides = {}, .purpose = purpose});
}
constexpr std::string_view kAllowed = ", allowed: with count = 1000 or rate = \"1000/s\"";

TEST(EndlessWorkloadTest, WithoutLatencyItNeedsARateOrACount) {
  const std::string text =
      "f.toml:11:1: workload: neither rate, closed nor count, and nothing takes time (latency 0): "
      "it sends without end in one moment" +
      std::string(kAllowed) + ", or with a network.latency";
  EXPECT_EQ(EndlessErrors(""), text);
  EXPECT_EQ(EndlessErrors("", "", Purpose::kRun), text);
  EXPECT_EQ(EndlessErrors("stop = \"1ms\"\n"), text);
  EXPECT_EQ(EndlessErrors("count = 1\n"), "");
  EXPECT_EQ(EndlessErrors("rate = \"1/s\"\n"), "");
}

TEST(EndlessWorkloadTest, ClosedNeedsSomethingThatTakesTime) {
  EXPECT_EQ(
      EndlessErrors("closed = 8\n", "[producer]\nlinger.ms = 0\n"),
      "f.toml:11:1: workload: closed without count, and nothing takes time (latency 0): it sends without end in one "
      "moment" +
          std::string(kAllowed) + ", or with a network.latency");
  EXPECT_EQ(EndlessErrors("closed = 8\n"), "");  // linger.ms is 5
  EXPECT_EQ(EndlessErrors("closed = 8\n", "[producer]\nlinger.ms = 0\n[network]\nlatency = \"1ms\"\n"), "");
}

TEST(EndlessWorkloadTest, WhatIsStatedMustFitIntoMemoryToo) {
  const std::string network = "[network]\nlatency = \"1ms\"\n";
  const auto refused = [](std::string_view what, std::string_view millions) {
    return "f.toml:11:1: workload: " + std::string(what) + ": it would send up to " + std::string(millions) +
           " million records, more than fit into memory, allowed: at most 100 million";
  };
  EXPECT_EQ(EndlessErrors("rate = \"2000000/s\"\n"), refused("rate without count", "120"));
  EXPECT_EQ(EndlessErrors("rate = \"2000000/s\"\nstop = \"50s\"\n"), "");
  EXPECT_EQ(EndlessErrors("rate = \"2000000/s\"\ncount = 5\n"), "");
  EXPECT_EQ(EndlessErrors("count = 100000001\n", network), refused("count = 100000001", "100"));
  EXPECT_EQ(EndlessErrors("count = 100000000\n", network), "");
}

TEST(EndlessWorkloadTest, WhatDoesNotFitIntoMemoryIsRefused) {
  // 60 s of round trips of 2 ms, each with the 305040 records of 110 bytes that buffer.memory holds.
  EXPECT_EQ(
      EndlessErrors("", "[network]\nlatency = \"1ms\"\n"),
      "f.toml:11:1: workload: neither rate, closed nor count: it would send up to 9151 million records, more than fit "
      "into memory" +
          std::string(kAllowed));
  EXPECT_EQ(
      EndlessErrors("value = { bytes = 4000 }\n", "[network]\nlatency = \"1ms\"\n[producer]\nbuffer.memory = 65536\n"),
      "");
}

TEST(EndlessWorkloadTest, TheFastestBrokerSetsThePace) {
  const std::string slow = "[network]\nlatency = \"1s\"\n[producer]\nbuffer.memory = 65536\n";
  EXPECT_EQ(EndlessErrors("", slow), "");
  EXPECT_NE(EndlessErrors("", slow + "[[broker]]\nid = 2\nlatency = \"0ms\"\n"), "");
}

TEST(EndlessWorkloadTest, ForServeWorkloadsDoNotRun) { EXPECT_EQ(EndlessErrors("", "", Purpose::kServe), ""); }

TEST(CallErrorsTest, ACallDoesOneThingWithinTheDuration) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"60s\"\n"),
            "f.toml:13:1: call: does nothing, allowed: one of send, flush, close, partitions_for, begin, "
            "commit, abort or send_offsets\n"
            "f.toml:14:6: call.at: found \"60s\", allowed: before the duration, 60s");
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nflush = {}\nclose = {}\n"),
            "f.toml:16:1: call.close: stands beside flush, allowed: one of flush and close");
}

// With transactional.id; `added` begins with line 13.
std::string TransactionalErrors(std::string_view added) {
  return ErrorsOf(std::string(kLeast) + "[producer]\ntransactional.id = \"t\"\n" + std::string(added));
}

constexpr char kRefusesEach[] =
    "f.toml:13:1: workload: sends outside of transactions, and its producer has transactional.id = \"t\": it would "
    "refuse "
    "each record, allowed: with transactions = { records = 20 }, or with a [[call]] that does begin";

TEST(WorkloadErrorsTest, ATransactionalProducerTakesNothingOutsideOfTransactions) {
  EXPECT_EQ(TransactionalErrors("[[workload]]\ntopic = \"orders\"\ncount = 1\n"), kRefusesEach);
  EXPECT_EQ(TransactionalErrors("[[workload]]\ntopic = \"orders\"\ncount = 1\n"
                                "[[call]]\nat = \"1s\"\ncommit = {}\n"),
            kRefusesEach);
}

TEST(WorkloadErrorsTest, ItsTransactionsMayBeBegunByACallOrAnotherWorkload) {
  EXPECT_EQ(TransactionalErrors("[[workload]]\ntopic = \"orders\"\ncount = 1\nstart = \"2s\"\n"
                                "[[call]]\nat = \"1s\"\nbegin = {}\n"),
            "");
  EXPECT_EQ(TransactionalErrors("[[workload]]\ntopic = \"orders\"\ncount = 1\n"
                                "[[workload]]\ntopic = \"orders\"\ncount = 1\ntransactions = { records = 5 }\n"),
            "");
}

// Two workloads of one producer, with these keys besides.
std::string TransactionsBesideEachOther(std::string_view one, std::string_view other) {
  constexpr std::string_view kWorkload = "[[workload]]\ntopic = \"orders\"\n";
  return TransactionalErrors(std::string(kWorkload) + std::string(one) + "\n" + std::string(kWorkload) +
                             std::string(other) + "\n");
}

TEST(WorkloadErrorsTest, AProducerHasOneTransactionAtATime) {
  EXPECT_EQ(
      TransactionsBesideEachOther("rate = \"5/s\"\ntransactions = { records = 5 }",
                                  "rate = \"5/s\"\ntransactions = { records = 5 }"),
      "f.toml:20:16: workload.transactions: stands here and in workload 1, of the same producer at the same time: "
      "it has one transaction at a time, and would refuse the other's, allowed: a producer for each, or one after "
      "the other (stop, start)");
}

TEST(WorkloadErrorsTest, TransactionsOfWorkloadsMayFollowEachOther) {
  const std::string later = "rate = \"5/s\"\nstart = \"1s\"\ntransactions = { records = 5 }";
  EXPECT_EQ(TransactionsBesideEachOther("rate = \"5/s\"\nstop = \"1s\"\ntransactions = { records = 5 }", later), "");
  EXPECT_EQ(TransactionsBesideEachOther("rate = \"5/s\"\ncount = 6\ntransactions = { records = 5 }", later), "");
  EXPECT_THAT(TransactionsBesideEachOther("rate = \"5/s\"\ncount = 7\ntransactions = { records = 5 }", later),
              HasSubstr("one transaction at a time"));
  // How fast answers come decides about this one.
  EXPECT_EQ(TransactionsBesideEachOther("count = 7\ntransactions = { records = 5 }", later), "");
}

TEST(WorkloadErrorsTest, TransactionsOfOneRecordTakeTurnsOnAThread) {
  const std::string one = "rate = \"5/s\"\nthread = \"a\"\ntransactions = { records = 1 }";
  EXPECT_EQ(TransactionsBesideEachOther(one, one), "");
}

// With transactional.id; the keys of `offsets`.
std::string OffsetsErrors(std::string_view keys) {
  return ErrorsOf(std::string(kLeast) +
                  "[producer]\ntransactional.id = \"t\"\n[[workload]]\ntopic = \"orders\"\ncount = 1\n" +
                  "transactions = { records = 1, offsets = { " + std::string(keys) + " } }\n");
}

TEST(WorkloadErrorsTest, OffsetsNameAGroupAndAnExistingTopic) {
  EXPECT_EQ(OffsetsErrors("group = \"g\", topic = \"orders\""), "");
  EXPECT_EQ(OffsetsErrors(""),
            "f.toml:16:41: workload.transactions.offsets.group: missing, required: the name of a group\n"
            "f.toml:16:41: workload.transactions.offsets.topic: missing, required: a topic's name");
  EXPECT_EQ(OffsetsErrors("group = \"\", topic = \"orders\""),
            "f.toml:16:51: workload.transactions.offsets.group: found \"\", allowed: the name of a group");
  EXPECT_EQ(OffsetsErrors("group = \"g\", topic = \"order\""),
            "f.toml:16:64: workload.transactions.offsets.topic: there is no topic order, allowed: orders or solo (did "
            "you mean \"orders\"?)");
  EXPECT_EQ(OffsetsErrors("group = \"g\", topic = \"orders\", partition = 0"),
            "f.toml:16:74: workload.transactions.offsets.partition: unknown key, allowed: group or topic");
}

TEST(CallErrorsTest, OffsetsNameAGroupATopicAndANumber) {
  const auto errors = [](std::string_view keys) {
    return ErrorsOfAdded("[producer]\ntransactional.id = \"t\"\n[[call]]\nat = \"1s\"\nsend_offsets = { " +
                         std::string(keys) + " }\n[[call]]\nat = \"0s\"\nbegin = {}\n");
  };
  EXPECT_EQ(errors("group = \"g\", topic = \"orders\", offset = 5"), "");
  EXPECT_EQ(errors("group = \"g\", topic = \"orders\""),
            "f.toml:17:16: call.send_offsets.offset: missing, required: a whole number");
  EXPECT_EQ(errors("group = \"g\", topic = \"order\", offset = -1"),
            "f.toml:17:39: call.send_offsets.topic: there is no topic order, allowed: orders or solo (did you mean "
            "\"orders\"?)\n"
            "f.toml:17:57: call.send_offsets.offset: found -1, allowed: a whole number, at least 0");
}

TEST(CallErrorsTest, TransactionsNeedATransactionalId) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nbegin = {}\n"),
            "f.toml:15:9: call.begin: its producer has no transactions, allowed: with transactional.id in [producer]");
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nproducer = \"producer\"\nbegin = {}\n"),
            "f.toml:16:9: call.begin: its producer has no transactions, allowed: with transactional.id in [producer]");
}

TEST(CallErrorsTest, ACallNamesAnExistingTopicAndPartition) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nsend = { topic = \"orders\", partition = 6 }\n"),
            "f.toml:15:40: call.send.partition: found 6, allowed: a whole number from 0 to 5");
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\npartitions_for = { topic = \"order\" }\n"),
            "f.toml:15:28: call.partitions_for.topic: there is no topic order, allowed: orders or solo (did you mean "
            "\"orders\"?)");
}

TEST(ApplicationErrorsTest, AGroupOfOffsetsIsAName) {
  const std::string call =
      "[producer]\ntransactional.id = \"t\"\n[[call]]\nat = \"1s\"\nsend_offsets = { topic = \"orders\", ";
  EXPECT_EQ(ErrorsOfAdded(call + "offset = 1, group = 5 }\n"),
            "f.toml:17:56: call.send_offsets.group: found 5, allowed: a string");
  EXPECT_EQ(ErrorsOfAdded(call + "offset = 1, group = \"\" }\n"),
            "f.toml:17:56: call.send_offsets.group: found \"\", allowed: the name of a group");
}

}  // namespace
}  // namespace ktrial::scenario
