#include "scenarios/serve/trial.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/check.h"
#include "core/env/posix/posix_env.h"
#include "scenarios/serve/served_network.h"
#include "scenarios/serve/wire_witness.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/fault/fault_scheduler.h"
#include "sim/trace/trace.h"

namespace ktrial::scenario {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";
constexpr std::string_view kAllInterfaces = "0.0.0.0";

sim::ClusterSpec MakeClusterSpec(const sim::WorldSpec& world, const TrialSettings& settings) {
  sim::ClusterSpec spec;
  for (std::int32_t id = 1; id <= world.cluster.brokers; ++id) {
    sim::BrokerSpec broker;
    broker.id = NodeId(id);
    broker.host = settings.advertise.empty() ? kLoopback : kAllInterfaces;
    broker.advertised_host = settings.advertise;
    broker.port = settings.port == 0 ? 0 : static_cast<std::uint16_t>(settings.port + id - 1);
    broker.release = world.cluster.version;
    broker.resets_unknown_versions = world.cluster.resets_unknown_versions;
    for (const sim::BrokerShape& shape : world.brokers) {
      if (shape.id != id) continue;
      broker.release = shape.version.value_or(world.cluster.version);
      if (!shape.rack.empty()) broker.rack = shape.rack;
      broker.service = shape.service.value_or(sim::Distribution());
    }
    spec.brokers.push_back(std::move(broker));
  }
  for (const sim::TopicShape& topic : world.topics) {
    spec.topics.push_back({topic.name, topic.partitions, topic.replication,
                           sim::SettingsMap(topic.settings.begin(), topic.settings.end())});
  }
  spec.settings = sim::SettingsMap(world.cluster.settings.begin(), world.cluster.settings.end());
  spec.later_releases = sim::ReleasesIn(world.faults);
  spec.identity = sim::IdentityRule::kWholeRecord;
  return spec;
}

std::vector<NodeId> Ids(const sim::WorldSpec& world) {
  std::vector<NodeId> ids;
  for (std::int32_t id = 1; id <= world.cluster.brokers; ++id) ids.push_back(NodeId(id));
  return ids;
}

// A foreign client has no threads of ours.
std::vector<sim::FaultSpec> FaultsOfBrokers(const std::vector<sim::FaultSpec>& faults) {
  std::vector<sim::FaultSpec> kept;
  for (const sim::FaultSpec& fault : faults) {
    if (!std::holds_alternative<sim::StallThread>(fault.action)) kept.push_back(fault);
  }
  return kept;
}

}  // namespace

// Members are in the order in which they need each other.
struct Trial::State {
  State(const Scenario& the_scenario, const TrialSettings& the_settings)
      : scenario(the_scenario),
        settings(the_settings),
        env(MakePosixEnv(settings.seed)),
        witness(env->clock(), settings.loud),
        transport(env->NewTransport("brokers")),
        network(*transport, env->clock(), Ids(scenario.world), sim::Stream(settings.seed, "served", "network", trace)) {
  }

  absl::Status Listen();
  std::string Bootstrap() const;

  const Scenario scenario;
  const TrialSettings settings;
  const std::unique_ptr<Env> env;
  sim::Trace trace;
  WireWitness witness;
  const std::unique_ptr<Transport> transport;
  ServedNetwork network;
  std::unique_ptr<sim::Cluster> cluster;
  std::unique_ptr<sim::BrokerHost> host;
  std::unique_ptr<sim::FaultScheduler> faults;
  std::string bootstrap;
  Instant start;
  std::unique_ptr<Thread> thread;
};

absl::Status Trial::State::Listen() {
  const int last_port = settings.port + scenario.world.cluster.brokers - 1;
  if (settings.port != 0 && last_port > 65535) {
    return absl::InvalidArgumentError("--port " + std::to_string(settings.port) + " leaves no room for " +
                                      std::to_string(scenario.world.cluster.brokers) +
                                      " brokers, allowed: 0, or up to " +
                                      std::to_string(65536 - scenario.world.cluster.brokers));
  }
  absl::StatusOr<std::unique_ptr<sim::Cluster>> created = sim::Cluster::Create(
      MakeClusterSpec(scenario.world, settings), env->clock(), sim::Stream(settings.seed, "served", "cluster", trace));
  if (!created.ok()) return created.status();
  cluster = *std::move(created);
  host = std::make_unique<sim::BrokerHost>(sim::BrokerHostOptions{.detect_pipelining = true}, *cluster, network,
                                           env->threads(), witness);
  network.Attach(*host);
  if (absl::Status status = host->Start(); !status.ok()) return status;
  bootstrap = Bootstrap();
  faults = std::make_unique<sim::FaultScheduler>(
      FaultsOfBrokers(scenario.world.faults), settings.seed, scenario.world.duration,
      sim::FaultWorld{.cluster = *cluster, .host = *host, .network = network, .trace = trace});
  return absl::OkStatus();
}

std::string Trial::State::Bootstrap() const {
  std::vector<std::string> servers = scenario.world.cluster.bootstrap;
  if (servers.empty()) {
    for (const NodeId id : Ids(scenario.world)) servers.push_back(std::to_string(id.value()));
  }
  std::string text;
  for (const std::string& server : servers) {
    if (!text.empty()) text += ",";
    if (server.find(':') != std::string::npos) {
      text += server;
      continue;
    }
    const Address address = host->address(NodeId(std::stoi(server)));
    text += (settings.advertise.empty() ? address.ip : settings.advertise) + ":" + std::to_string(address.port);
  }
  return text;
}

Trial::Trial(std::unique_ptr<State> state) : state_(std::move(state)) {}

Trial::~Trial() {
  if (state_->thread == nullptr) return;
  state_->host->Stop();
  state_->thread->Join(Instant::Never());
}

const std::string& Trial::bootstrap() const { return state_->bootstrap; }

absl::StatusOr<std::unique_ptr<Trial>> Trial::Start(const Scenario& scenario, const TrialSettings& settings) {
  auto state = std::make_unique<State>(scenario, settings);
  if (absl::Status status = state->Listen(); !status.ok()) return status;
  State& shared = *state;
  shared.start = shared.env->clock().Now();
  // Timers belong to the loop's thread.
  shared.host->Post([&shared] { shared.faults->Start(shared.start); });
  shared.thread = shared.env->threads().Spawn("brokers", [&shared] { shared.host->Run(); });
  return std::unique_ptr<Trial>(new Trial(std::move(state)));
}

RunReport Trial::Finish() {
  State& state = *state_;
  KT_CHECK(state.thread != nullptr);
  state.host->Post([&state] { state.faults->HealAll(); });
  state.host->Stop();
  state.thread->Join(Instant::Never());
  state.thread.reset();

  sim::RunResult result;
  result.seed = state.settings.seed;
  result.virtual_time = state.env->clock().Now() - state.start;
  result.violations = state.witness.Judge(*state.cluster);
  result.faults = state.faults->outcomes();
  result.metrics = state.witness.Metrics(*state.cluster);
  for (const auto& [name, value] : result.metrics) {
    if (name.starts_with("requests.")) result.events += static_cast<std::int64_t>(value);
  }
  for (const std::string& text : state.witness.not_served()) result.warnings.push_back("not served: " + text);
  if (!state.witness.judges_order()) {
    result.warnings.push_back("order is not judged: the client had two requests in flight to a partition");
  }
  Scenario judged = state.scenario;
  judged.expectations.clear();  // They are about our own producer.
  RunReport report = Judge(judged, std::move(result));
  // Who was never there has kept every promise.
  const bool connected = report.Metric("connects") > 0;
  if (!connected || report.Metric("requests.Produce") == 0) {
    report.AddFailure("client", connected ? "no client sent a Produce request: there was nothing to judge"
                                          : "no client ever connected: there was nothing to judge");
  }
  report.wall_seconds = static_cast<double>(report.result.virtual_time.count()) / 1e9;
  return report;
}

}  // namespace ktrial::scenario
