#include <gtest/gtest.h>

#include "tests/scenarios/language/helpers.h"

namespace ktrial::scenario {
namespace {

// What stands wrong in one [[workload]], with its keys from line 12 on.
std::string WorkloadErrors(std::string_view keys) {
  return ErrorsOf(std::string(kLeast) + "[[workload]]\n" + std::string(keys));
}

TEST(ProducerErrorsTest, TheProducerChecksItsOwnKeys) {
  EXPECT_EQ(ErrorsOfAdded("[producer]\nlingr.ms = 5\n"),
            "f.toml:14:1: producer.lingr.ms: is not a key of Kafka's producer; did you mean linger.ms?");
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
  EXPECT_EQ(ErrorsOf(two + "[[workload]]\ntopic = \"orders\"\n"),
            "f.toml:15:1: workload.producer: missing, required: left or right");
  EXPECT_EQ(ErrorsOf(two + "[[workload]]\ntopic = \"orders\"\nproducer = \"rihgt\"\n"),
            "f.toml:17:12: workload.producer: there is no producer \"rihgt\", allowed: left or right (did you mean "
            "\"right\"?)");
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

TEST(CallErrorsTest, ACallDoesOneThingWithinTheDuration) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"60s\"\n"),
            "f.toml:13:1: call: does nothing, allowed: one of send, flush, close or partitions_for\n"
            "f.toml:14:6: call.at: found \"60s\", allowed: before the duration, 60s");
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nflush = {}\nclose = {}\n"),
            "f.toml:16:1: call.close: stands beside flush, allowed: one of flush and close");
}

TEST(CallErrorsTest, TransactionsComeLater) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nbegin = {}\n"),
            "f.toml:15:1: call.begin: not supported yet by this build");
}

TEST(CallErrorsTest, ACallNamesAnExistingTopicAndPartition) {
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\nsend = { topic = \"orders\", partition = 6 }\n"),
            "f.toml:15:40: call.send.partition: found 6, allowed: a whole number from 0 to 5");
  EXPECT_EQ(ErrorsOfAdded("[[call]]\nat = \"1s\"\npartitions_for = { topic = \"order\" }\n"),
            "f.toml:15:28: call.partitions_for.topic: there is no topic order, allowed: orders or solo (did you mean "
            "\"orders\"?)");
}

}  // namespace
}  // namespace ktrial::scenario
