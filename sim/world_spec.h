// A world as data: a cluster, a network, producers, what applications do with them, what goes wrong, and a seed.
// Aggregates with defaults, so that a test writes down only what its story is about (each member has an initializer, so that no
// compiler warns of those that are left out):
//
//   WorldSpec spec;
//   spec.cluster.brokers = 3;
//   spec.topics = {{.name = "orders", .partitions = 6}};
//   spec.producers = {{.config = {{"acks", "all"}, {"linger.ms", "5"}}}};
//   spec.workloads = {{.topic = TopicSelector::Name("orders"), .rate = Rate{1000}}};
//   spec.faults = {{.action = MoveLeader{.topic = TopicSelector::Name("orders")}, .trigger = {.at = 10s}}};
//   absl::StatusOr<RunResult> result = RunWorld(spec);      // sim/world.h
//
// Own application code, in plain blocking style, runs beside or instead of workloads: `threads`.
#ifndef SIM_WORLD_SPEC_H_
#define SIM_WORLD_SPEC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"
#include "sim/fault/fault_spec.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/strategy.h"
#include "sim/workload/workload_spec.h"

namespace ktrial {
class ProducerObserver;
struct ConfigProfile;
}  // namespace ktrial

namespace ktrial::sim {

class AppContext;  // sim/workload/app_context.h

struct ClusterShape {
  std::int32_t brokers = 1;                          // Ids 1 to `brokers`.
  std::string version = "4.0";                       // What they advertise.
  bool resets_unknown_versions = false;              // As in BrokerSpec, of all brokers.
  std::vector<std::string> bootstrap = {};           // Ids or "host:port". Empty: all brokers.
  std::map<std::string, std::string> settings = {};  // Kafka's names: "min.insync.replicas".
};

// One broker that differs from the others.
struct BrokerShape {
  std::int32_t id = 0;
  std::optional<std::string> version = {};
  std::string rack = {};
  std::optional<Distribution> latency = {};  // One way, in place of the network's.
  std::optional<Distribution> service = {};  // How long it works on a request.
};

// A topic that is not in the list is created, with one partition, when a call or a thread's code sends to it, as brokers do
// by default: a name with a typo works there. cluster.settings = {{"auto.create.topics.enable", "false"}} makes it an error.
// Workloads name those of the list only; faults also those of calls and of ThreadSpec::creates.
struct TopicShape {
  std::string name = {};
  std::int32_t partitions = 1;
  // 0: min(3, brokers). Replicas of partition p: brokers 1 + (p + k) mod n; the first leads.
  std::int32_t replication = 0;
  std::map<std::string, std::string> settings = {};
};

struct NetworkShape {
  Distribution latency = {};          // One way.
  std::int64_t bytes_per_second = 0;  // Of each broker, each way. 0: unlimited.
  bool splits = true;                 // Sends take, and receives give, parts of drawn sizes.
};

struct ProducerSpec {
  std::string name = {};                           // Empty: "producer" ("producer-N" where there are several).
  std::int32_t instances = 1;                      // Several alike are named "NAME-1", "NAME-2", ...
  std::map<std::string, std::string> config = {};  // Kafka's keys. bootstrap.servers is filled in from the cluster.
  const ConfigProfile* profile = nullptr;          // Null: Kafka's defaults and names (core/producer/profile.h).
  ProducerObserver* observer = nullptr;            // Told besides the world's own; outlives the run.
};

// Application code of your own (sim/workload/app_context.h says what it may do).
// Runs on a thread of that name from `start`; the run's first phase does not end before
// it has returned, or its duration is over.
struct ThreadSpec {
  std::string name = {};
  std::function<void(AppContext&)> body = {};
  Duration start{0};
  std::vector<std::string> starts = {};   // Names of threads that the body starts, where a fault is about them.
  std::vector<std::string> creates = {};  // Names of topics that its sends let brokers create, likewise.
};

struct ScheduleSpec {
  StrategyKind strategy = StrategyKind::kRandomWalk;
  StallMode stalls = StallMode::kNone;
};

struct WorldSpec {
  std::uint64_t seed = 1;
  Duration duration = std::chrono::seconds(60);  // Workloads stop by then, and everything heals.
  Duration settle = std::chrono::seconds(180);   // Then everything must complete within this.
  ClusterShape cluster = {};
  std::vector<BrokerShape> brokers = {};
  std::vector<TopicShape> topics = {};
  NetworkShape network = {};
  std::vector<ProducerSpec> producers = {};
  std::vector<WorkloadSpec> workloads = {};
  std::vector<CallSpec> calls = {};
  std::vector<ThreadSpec> threads = {};
  std::vector<FaultSpec> faults = {};
  ScheduleSpec schedule = {};
};

}  // namespace ktrial::sim

#endif  // SIM_WORLD_SPEC_H_
