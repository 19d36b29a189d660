#include <gtest/gtest.h>

#include <chrono>

#include "core/producer/producer.h"
#include "sim/workload/app_context.h"
#include "sim/world.h"

namespace ktrial::sim {
namespace {

using namespace std::chrono_literals;

WorldSpec Base() {
  WorldSpec spec;
  spec.duration = 2s;
  spec.topics = {{.name = "a"}};
  spec.network.latency = Distribution::Constant(1ms);
  spec.producers = {{}};
  return spec;
}

TEST(AppContextTest, ApplicationCodeBlocksAsInProduction) {
  WorldSpec spec = Base();
  absl::StatusOr<Acknowledgement> got = absl::UnknownError("not run");
  spec.threads = {{.name = "main", .body = [&](AppContext& app) {
                     got = app.producer().Send({.topic = "a", .value = "hello"}).Get();
                   }}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->Passed()) << Summary(*result);
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ(got->offset, Offset(0));
  EXPECT_EQ(got->value_bytes, 5);
}

TEST(AppContextTest, TimeIsTheWorlds) {
  WorldSpec spec = Base();
  Duration slept{0};
  spec.threads = {{.name = "main",
                   .body =
                       [&](AppContext& app) {
                         app.SleepUntil(1500ms);
                         slept = app.env().clock().Now() - app.start();
                       },
                   .start = 1s}};
  ASSERT_TRUE(RunWorld(spec).ok());
  EXPECT_EQ(slept, 1500ms);
}

TEST(AppContextTest, TrackedRecordsAreJudged) {
  WorldSpec spec = Base();
  spec.threads = {{.name = "main", .body = [](AppContext& app) {
                     for (int i = 0; i < 10; ++i) app.SendTracked("a");
                   }}};
  const absl::StatusOr<RunResult> result = RunWorld(spec);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(*result->Metric("records.acked"), 10);
  EXPECT_EQ(*result->Query({.metric = "records.acked", .where = {{MetricFilter::kWorkload, "main"}}}), 10);
}

TEST(AppContextTest, ProducersAreFoundByName) {
  WorldSpec spec = Base();
  spec.producers = {{.name = "p", .instances = 2}};
  std::string id;
  spec.threads = {{.name = "main", .body = [&](AppContext& app) { id = app.producer("p-2").client_id(); }}};
  ASSERT_TRUE(RunWorld(spec).ok());
  EXPECT_EQ(id, "producer-2");
}

}  // namespace
}  // namespace ktrial::sim
