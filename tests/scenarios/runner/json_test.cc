#include <gtest/gtest.h>

#include <limits>

#include "scenarios/runner/report.h"

namespace ktrial::scenario {
namespace {

TEST(JsonTest, AReportIsOneObjectWithTheKeysOfTheSchema) {
  RunReport report;
  report.scenario = "a.toml";
  report.seed = 18446744073709551615u;
  report.passed = false;
  report.result.hash = 0xabc;
  report.result.virtual_time = std::chrono::milliseconds(1500);
  report.result.events = 42;
  report.result.violations = {{"loss", Instant::FromNanos(2'000'000'000), "gone"}};
  report.result.faults = {{.kind = "crash", .fired = 3}};
  report.result.failed_producers = {
      {.producer = "p", .error = "PRODUCER_FENCED", .text = "taken over", .at = std::chrono::seconds(1)}};
  report.result.failed_calls = {{.call = "commit",
                                 .producer = "p",
                                 .error = "PRODUCER_FENCED",
                                 .text = "taken over",
                                 .first = std::chrono::milliseconds(1250),
                                 .count = 2}};
  report.result.metrics = {{"batch.fill", 0.25}, {"lost", 1}};
  report.expectations = {{.name = "lost", .want = "0", .got = 1, .holds = false}};
  report.wall_seconds = 0.5;
  report.repro = "ktrial run a.toml --seed 18446744073709551615";
  EXPECT_EQ(RenderJson(report),
            R"({"schema":1,"version":"0.1","scenario":"a.toml","seed":"18446744073709551615","verdict":"fail",)"
            R"("hash":"0000000000000abc","virtual_seconds":1.5,"wall_seconds":0.5,"events":42,)"
            R"("violations":[{"checker":"loss","at":2.0,"text":"gone"}],)"
            R"("expectations":[{"name":"lost","want":"0","got":1,"holds":false}],)"
            R"("faults":[{"kind":"crash","fired":3}],)"
            R"("failed_producers":[{"producer":"p","at":1.0,"error":"PRODUCER_FENCED","text":"taken over"}],)"
            R"("failed_calls":[{"call":"commit","producer":"p","error":"PRODUCER_FENCED","count":2,"first":1.25,)"
            R"("text":"taken over"}],"metrics":{"batch.fill":0.25,"lost":1},)"
            R"("repro":"ktrial run a.toml --seed 18446744073709551615"})");
}

TEST(JsonTest, WhatIsNoNumberIsNull) {
  RunReport report;
  report.result.metrics = {{"delivery.p99", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_NE(RenderJson(report).find(R"("metrics":{"delivery.p99":null})"), std::string::npos);
}

TEST(JsonTest, BytesThatAreNoTextDoNotFail) {
  RunReport report;
  report.scenario = "\xff.toml";
  EXPECT_NE(RenderJson(report).find("\xef\xbf\xbd.toml"), std::string::npos);
}

TEST(JsonTest, AnInputErrorIsAnObjectWithItsPlace) {
  EXPECT_EQ(RenderJsonError({"a.toml", 3, 7, "key: wrong"}),
            R"({"error":"key: wrong","file":"a.toml","line":3,"column":7})");
}

}  // namespace
}  // namespace ktrial::scenario
