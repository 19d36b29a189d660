#include <gtest/gtest.h>

#include <chrono>

#include "sim/world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

class WorkloadTest : public ::testing::Test {
 protected:
  WorkloadTest() {
    spec_.duration = 2s;
    spec_.topics = {{.name = "a", .partitions = 3}, {.name = "b"}};
    spec_.network.latency = Distribution::Constant(1ms);
    spec_.producers = {{.config = {{"linger.ms", "0"}}}};
    workload_.topic = TopicSelector::Name("a");
  }
  RunResult Run() {
    spec_.workloads = {workload_};
    absl::StatusOr<RunResult> result = RunWorld(spec_);
    EXPECT_TRUE(result.ok()) << result.status().message();
    if (!result.ok()) return {};
    EXPECT_TRUE(result->Passed()) << Summary(*result);
    return *std::move(result);
  }
  double Count(const RunResult& result, const std::string& metric, MetricFilter filter, const std::string& value) {
    return result.Query({.metric = metric, .where = {{filter, value}}}).value_or(-1);
  }
  WorldSpec spec_;
  WorkloadSpec workload_;
};

TEST_F(WorkloadTest, ARateSendsSoManyASecond) {
  workload_.rate = Rate{.count = 50};
  EXPECT_EQ(*Run().Metric("records.acked"), 100);
}

// The next arrival would be long after the end, even after the time to settle.
TEST_F(WorkloadTest, ASlowRateEndsWithTheWorkload) {
  workload_.rate = Rate{.count = 1, .per = 60min};
  spec_.settle = 1s;
  EXPECT_EQ(*Run().Metric("records.acked"), 1);
}

TEST_F(WorkloadTest, ACountEndsIt) {
  workload_.rate = Rate{.count = 50};
  workload_.count = 7;
  EXPECT_EQ(*Run().Metric("records.acked"), 7);
}

TEST_F(WorkloadTest, StartAndStopBoundIt) {
  workload_.rate = Rate{.count = 100};
  workload_.start = 500ms;
  workload_.stop = 1s;
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.sent"), 50);
  EXPECT_EQ(*result.Query({.metric = "records.sent", .from = 0ms, .to = 500ms}), 0);
}

TEST_F(WorkloadTest, ClosedKeepsSoManyOutstanding) {
  workload_.closed = 4;
  spec_.producers[0].config["batch.size"] = "0";  // One record a batch: a round trip takes 2 ms and the connecting.
  const RunResult result = Run();
  EXPECT_GT(*result.Metric("records.acked"), 1000);
  EXPECT_LE(*result.Metric("buffer.peak"), 4 * 1024);
}

TEST_F(WorkloadTest, WithoutAPaceItSendsAsFastAsSendReturns) {
  spec_.producers[0].config["buffer.memory"] = "65536";
  workload_.count = 5000;
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.acked"), 5000);
  EXPECT_GT(*result.Metric("send.blocked.max"), 0);
}

TEST_F(WorkloadTest, ArrivalsThatFallDueWhileBlockedAreSentLate) {
  workload_.rate = Rate{.count = 100};
  spec_.producers[0].config["max.block.ms"] = "60000";
  // The first Send waits for the metadata for a second.
  spec_.faults = {{.action = PauseBroker{.broker = BrokerSelector::All()}, .trigger = {.at = 0s, .lasting = 1s}}};
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.acked"), 200);
  EXPECT_GE(*result.Metric("delivery.max"), 1000);
}

TEST_F(WorkloadTest, AnExplicitPartitionIsKept) {
  workload_.rate = Rate{.count = 50};
  workload_.partition = PartitionSelector::Index(2);
  EXPECT_EQ(Count(Run(), "records.acked", MetricFilter::kPartition, "2"), 100);
}

TEST_F(WorkloadTest, SeveralTopicsTakeTurns) {
  workload_.rate = Rate{.count = 50};
  workload_.topic = TopicSelector::All();
  const RunResult result = Run();
  EXPECT_EQ(Count(result, "records.acked", MetricFilter::kTopic, "a"), 50);
  EXPECT_EQ(Count(result, "records.acked", MetricFilter::kTopic, "b"), 50);
}

TEST_F(WorkloadTest, KeysSpreadOverPartitions) {
  workload_.rate = Rate{.count = 100};
  workload_.key_cardinality = 1000;
  workload_.value = SizeRange(8, 500);
  const RunResult result = Run();
  for (const char* partition : {"0", "1", "2"}) {
    EXPECT_GT(Count(result, "records.acked", MetricFilter::kPartition, partition), 30);
  }
}

TEST_F(WorkloadTest, CallbacksThatSendDoubleTheRecords) {
  workload_.rate = Rate{.count = 50};
  workload_.on_callback.kind = CallbackAction::Kind::kSend;
  EXPECT_EQ(*Run().Metric("records.acked"), 200);
}

TEST_F(WorkloadTest, CallbacksThatThrowHarmNobody) {
  workload_.rate = Rate{.count = 50};
  workload_.on_callback.kind = CallbackAction::Kind::kThrow;
  EXPECT_EQ(*Run().Metric("records.acked"), 100);
}

TEST_F(WorkloadTest, CallbacksThatFlushDoNotHang) {
  workload_.rate = Rate{.count = 50};
  workload_.on_callback.kind = CallbackAction::Kind::kFlush;
  EXPECT_EQ(*Run().Metric("records.acked"), 100);
}

TEST_F(WorkloadTest, CallbacksThatBlockHoldTheSenderUp) {
  workload_.rate = Rate{.count = 50};
  workload_.on_callback = {.kind = CallbackAction::Kind::kBlock, .block = 50ms};
  EXPECT_GT(*Run().Metric("delivery.max"), 1000);
}

TEST_F(WorkloadTest, AWorkloadEndsWhenItsProducerIsClosed) {
  workload_.rate = Rate{.count = 50};
  workload_.on_callback.kind = CallbackAction::Kind::kClose;
  const RunResult result = Run();
  EXPECT_GE(*result.Metric("records.acked"), 1);
  EXPECT_LT(*result.Metric("records.sent"), 10);
}

TEST_F(WorkloadTest, ThenFlushSendsWhatLingers) {
  spec_.producers[0].config["linger.ms"] = "60000";
  workload_.count = 3;
  workload_.then = AfterLastSend::kFlush;
  EXPECT_LT(*Run().Metric("delivery.max"), 100);
}

TEST_F(WorkloadTest, ThenCloseClosesOnce) {
  workload_.count = 3;
  workload_.then = AfterLastSend::kClose;
  EXPECT_EQ(*Run().Metric("records.acked"), 3);
}

TEST_F(WorkloadTest, TransactionsHaveSoManyRecordsEach) {
  spec_.producers[0].config["transactional.id"] = "t";
  workload_.rate = Rate{.count = 50};
  workload_.count = 25;
  workload_.transactions = TransactionsSpec{.records = 10};
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.acked"), 25);
  EXPECT_EQ(*result.Metric("transactions.committed"), 3);
}

TEST_F(WorkloadTest, EverySoManyTransactionsOneIsAborted) {
  spec_.producers[0].config["transactional.id"] = "t";
  workload_.rate = Rate{.count = 50};
  workload_.count = 60;
  workload_.transactions = TransactionsSpec{.records = 10, .abort_every = 3};
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("transactions.committed"), 4);
  EXPECT_EQ(*result.Metric("transactions.aborted"), 2);
}

TEST_F(WorkloadTest, ATransactionMayCommitWhatAGroupHasRead) {
  spec_.producers[0].config["transactional.id"] = "t";
  workload_.rate = Rate{.count = 50};
  workload_.count = 60;
  workload_.transactions =
      TransactionsSpec{.records = 10, .abort_every = 3, .offsets = ConsumedSpec{.group = "readers", .topic = "a"}};
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("transactions.committed"), 4);
  EXPECT_EQ(*result.Metric("offsets.committed"), 4 * 3);
}

TEST_F(WorkloadTest, OffsetsWhoseTimeRanOutAreAborted) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.producers[0].config["max.block.ms"] = "1000";
  spec_.cluster.version = "3.9";
  spec_.faults = {
      {.action = DropResponse{}, .trigger = {.on = RequestTrigger{.request = wire::ApiKey::kAddOffsetsToTxn}}}};
  workload_.rate = Rate{.count = 50};
  workload_.count = 20;
  workload_.transactions = TransactionsSpec{.records = 10, .offsets = ConsumedSpec{.group = "readers", .topic = "b"}};
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("transactions.committed"), 1);
  EXPECT_EQ(*result.Metric("transactions.aborted"), 1);
}

TEST_F(WorkloadTest, ATransactionThatARecordSpoilsIsAborted) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.producers[0].config["max.request.size"] = "1000";
  spec_.producers[0].config["batch.size"] = "100";
  workload_.value = SizeRange(5000);
  workload_.rate = Rate{.count = 50};
  workload_.count = 5;
  workload_.transactions = TransactionsSpec{.records = 10};
  EXPECT_EQ(*Run().Metric("transactions.aborted"), 5);
}

// Brokers before 0.11 know no transactions.
TEST_F(WorkloadTest, AProducerThatFailsForGoodIsNamedWithTheCallThatToldIt) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.cluster.version = "0.10";
  workload_.rate = Rate{.count = 50};
  workload_.transactions = TransactionsSpec{.records = 10};
  const RunResult result = Run();
  ASSERT_EQ(result.failed_producers.size(), 1U);
  EXPECT_EQ(result.failed_producers[0].producer, "producer");
  EXPECT_EQ(result.failed_producers[0].error, "UNSUPPORTED_VERSION");
  EXPECT_LT(result.failed_producers[0].at, 1s);
  ASSERT_EQ(result.failed_calls.size(), 1U);
  EXPECT_EQ(result.failed_calls[0].call, "init");
  EXPECT_EQ(result.failed_calls[0].error, "UNSUPPORTED_VERSION");
}

TEST_F(WorkloadTest, WithoutTransactionsAProducerMayFailForGoodToo) {
  spec_.cluster.version = "0.10";
  workload_.rate = Rate{.count = 50};
  const RunResult result = Run();
  ASSERT_EQ(result.failed_producers.size(), 1U);
  EXPECT_EQ(result.failed_producers[0].error, "UNSUPPORTED_VERSION");
}

TEST_F(WorkloadTest, OfSeveralInstancesTheOneThatFailedIsNamed) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.producers[0].instances = 2;
  workload_.rate = Rate{.count = 50};
  workload_.transactions = TransactionsSpec{.records = 10};
  const RunResult result = Run();
  ASSERT_EQ(result.failed_producers.size(), 1U);
  EXPECT_TRUE(result.failed_producers[0].producer.starts_with("producer-")) << result.failed_producers[0].producer;
  EXPECT_EQ(result.failed_producers[0].error, "PRODUCER_FENCED");
}

// 30 records in a transaction, 50 out of it, 80 in the next.
TEST_F(WorkloadTest, ItGoesOnWhereThereIsNoTransactionForARecord) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.calls = {{.at = 100ms, .call = BeginCall{}},
                 {.at = 695ms, .call = CommitCall{}},
                 {.at = 1195ms, .call = BeginCall{}},
                 {.at = 1995ms, .call = CommitCall{}}};
  workload_.rate = Rate{.count = 100};
  workload_.start = 400ms;
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.acked"), 110);
  EXPECT_EQ(*result.Metric("errors.FAILED_PRECONDITION"), 50);
}

TEST_F(WorkloadTest, ATransactionalProducerThatIsClosedEndsIt) {
  spec_.producers[0].config["transactional.id"] = "t";
  spec_.calls = {{.at = 995ms, .call = CloseCall{}}};
  workload_.rate = Rate{.count = 100};
  workload_.transactions = TransactionsSpec{.records = 1};
  EXPECT_EQ(*Run().Metric("records.sent"), 100);
}

TEST_F(WorkloadTest, RefusedRecordsAreCountedAsSendsThatFailed) {
  spec_.producers[0].config["max.request.size"] = "1000";
  spec_.producers[0].config["batch.size"] = "100";
  workload_.value = SizeRange(5000);
  workload_.count = 7;
  const RunResult result = Run();
  ASSERT_EQ(result.failed_calls.size(), 1U);
  EXPECT_EQ(result.failed_calls[0].call, "send");
  EXPECT_EQ(result.failed_calls[0].error, "MESSAGE_TOO_LARGE");
  EXPECT_EQ(result.failed_calls[0].count, 7);
}

TEST_F(WorkloadTest, ARunThatGoesWellHasNoFailures) {
  workload_.count = 3;
  workload_.then = AfterLastSend::kClose;
  const RunResult result = Run();
  EXPECT_TRUE(result.failed_calls.empty());
  EXPECT_TRUE(result.failed_producers.empty());
}

TEST_F(WorkloadTest, RefusedRecordsDoNotStopTime) {
  spec_.producers[0].config["max.request.size"] = "1000";
  spec_.producers[0].config["batch.size"] = "100";
  workload_.value = SizeRange(5000);
  const RunResult result = Run();
  EXPECT_EQ(*result.Metric("records.acked"), 0);
  EXPECT_GT(*result.Metric("errors.MESSAGE_TOO_LARGE"), 1000);
}

}  // namespace
}  // namespace ktrial::sim
