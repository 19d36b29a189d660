// order_writer_in_worlds [lose]: OrderWriter among simulated brokers that lose leaders, connections and time, once for each of 30
// seeds. Whatever happens, an order that counts as written is in the log, once, and the window holds.
// With "lose" the brokers forget what they acknowledge: the first seed must tell.
#include <ktrial/testing.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "order_writer.h"

using namespace std::chrono_literals;
namespace sim = ktrial::sim;

namespace {

constexpr int kOrders = 300;
constexpr int kWindow = 20;

sim::WorldSpec ATroubledWorld(std::uint64_t seed, bool brokers_lose) {
  sim::WorldSpec spec;
  spec.seed = seed;
  spec.duration = 60s;
  spec.cluster.brokers = 3;
  spec.topics = {{.name = "orders", .partitions = 6}};
  spec.network.latency = sim::Distribution::Constant(2ms);
  spec.producers = {{.config = {{"linger.ms", "5"}}}};
  spec.schedule.stalls = sim::StallMode::kRare;
  const sim::TopicSelector orders = sim::TopicSelector::Name("orders");
  const auto now_and_then = [](sim::FaultAction action, sim::DurationRange every) {
    return sim::FaultSpec{.action = action, .trigger = {.every = every}, .may_not_fire = true};
  };
  spec.faults = {now_and_then(sim::MoveLeader{.topic = orders}, {100ms, 2s}),
                 now_and_then(sim::Disconnect{.broker = sim::BrokerSelector::Any()}, {200ms, 3s})};
  if (brokers_lose) spec.faults = {{.action = sim::LoseAckedAppend{.topic = orders}, .trigger = {.at = 10ms}}};
  return spec;
}

// Whether the property holds for this seed; says on stderr what does not.
bool Holds(std::uint64_t seed, bool brokers_lose) {
  OrderWriter::Tally tally;
  sim::WorldSpec spec = ATroubledWorld(seed, brokers_lose);
  spec.threads = {{.name = "orders", .body = [&tally](sim::AppContext& app) {
                     OrderWriter writer(app.env(), app.producer(), kWindow);
                     for (int number = 0; number < kOrders; ++number) {
                       if (number % 10 == 0) app.SleepUntil(number * 10ms);
                       writer.Write("customer-" + std::to_string(number % 7), "order-" + std::to_string(number));
                     }
                     tally = writer.Finish();
                   }}};
  const absl::StatusOr<sim::RunResult> result = sim::RunWorld(spec);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    return false;
  }
  const int in_log = static_cast<int>(result->Metric("log.records").value());
  const auto fail = [seed](const std::string& text) {
    std::fprintf(stderr, "seed %d: %s\n", static_cast<int>(seed), text.c_str());
    return false;
  };
  if (tally.written + tally.failed != kOrders) return fail("orders have got lost in the writer");
  if (tally.most_at_once > kWindow) return fail(std::to_string(tally.most_at_once) + " orders at once");
  // With failures the log may hold more: what became of them, nobody knows.
  if (in_log < tally.written || (tally.failed == 0 && in_log > tally.written)) {
    return fail(std::to_string(tally.written) + " orders count as written, " + std::to_string(in_log) +
                " are in the log");
  }
  if (!result->Passed()) return fail(sim::Summary(*result));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const bool brokers_lose = count > 1 && std::strcmp(arguments[1], "lose") == 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    if (!Holds(seed, brokers_lose)) return 1;
  }
  std::printf("holds in 30 worlds\n");
  return 0;
}
