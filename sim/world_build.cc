// How a SimulatedWorld is put together from its spec.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/check.h"
#include "core/producer/config.h"
#include "fmt/format.h"
#include "sim/simulated_world.h"
#include "sim/world_names.h"

namespace ktrial::sim {
namespace {

constexpr std::uint16_t kBrokerPort = 9092;

std::string BrokerIp(std::int32_t id) { return fmt::format("10.0.{}.{}", id / 250, id % 250 + 1); }

SettingsMap Settings(const std::map<std::string, std::string>& settings) { return {settings.begin(), settings.end()}; }

ClusterSpec ClusterOf(const WorldSpec& spec) {
  ClusterSpec cluster{.settings = Settings(spec.cluster.settings), .replication_delay = spec.network.latency};
  cluster.later_releases = ReleasesIn(spec.faults);
  for (std::int32_t id = 1; id <= spec.cluster.brokers; ++id) {
    BrokerSpec broker{.id = NodeId(id),
                      .host = BrokerIp(id),
                      .port = kBrokerPort,
                      .release = spec.cluster.version,
                      .resets_unknown_versions = spec.cluster.resets_unknown_versions};
    for (const BrokerShape& shape : spec.brokers) {
      if (shape.id != id) continue;
      if (shape.version) broker.release = *shape.version;
      if (!shape.rack.empty()) broker.rack = shape.rack;
      if (shape.service) broker.service = *shape.service;
    }
    cluster.brokers.push_back(std::move(broker));
  }
  for (const TopicShape& shape : spec.topics) {
    cluster.topics.push_back({.name = shape.name,
                              .partitions = shape.partitions,
                              .replication = ReplicationOf(shape, spec),
                              .settings = Settings(shape.settings)});
  }
  return cluster;
}

// The broker that an entry of `bootstrap` means; kNoNode if it is no broker's id.
NodeId BootstrapBroker(const std::string& entry, const WorldSpec& spec) {
  std::int32_t id = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), id);
  if (error != std::errc() || end != entry.data() + entry.size()) return kNoNode;
  return id >= 1 && id <= spec.cluster.brokers ? NodeId(id) : kNoNode;
}

struct Bootstrap {
  std::string servers;
  std::vector<NodeId> brokers;  // Of each entry.
};

Bootstrap BootstrapOf(const WorldSpec& spec) {
  std::vector<std::string> entries = spec.cluster.bootstrap;
  for (std::int32_t id = 1;
       entries.size() < static_cast<std::size_t>(spec.cluster.brokers) && spec.cluster.bootstrap.empty(); ++id) {
    entries.push_back(std::to_string(id));
  }
  Bootstrap bootstrap;
  for (const std::string& entry : entries) {
    const NodeId broker = BootstrapBroker(entry, spec);
    if (!bootstrap.servers.empty()) bootstrap.servers += ",";
    bootstrap.servers += broker == kNoNode ? entry : fmt::format("{}:{}", BrokerIp(broker.value()), kBrokerPort);
    bootstrap.brokers.push_back(broker);
  }
  return bootstrap;
}

// The smallest delay that an exponential backoff draws: its jitter takes a fifth off, unless it is constant.
Duration SmallestBackoff(Duration base, Duration max) { return max <= base ? std::min(base, max) : base * 4 / 5; }

ProducerEvidence EvidenceOf(const std::string& name, const ProducerConfig& config) {
  return {.name = name,
          .acks = static_cast<std::int32_t>(config.acks),
          .max_in_flight = config.max_in_flight_requests_per_connection,
          .idempotent = config.enable_idempotence,
          .delivery_timeout = config.delivery_timeout,
          .retry_backoff = SmallestBackoff(config.retry_backoff, config.retry_backoff_max),
          .reconnect_backoff = SmallestBackoff(config.reconnect_backoff, config.reconnect_backoff_max),
          .buffer_memory = config.buffer_memory};
}

}  // namespace

absl::Status SimulatedWorld::Build() {
  if (absl::Status status = BuildCluster(); !status.ok()) return status;
  app_.start = kernel_.Now();
  app_.stop = app_.start + spec_.duration;
  for (const TopicShape& topic : spec_.topics) {
    app_.topics.push_back(topic.name);
    app_.partitions.emplace(topic.name, topic.partitions);
  }
  if (absl::Status status = BuildProducers(); !status.ok()) return status;
  BuildApplication();
  faults_ = std::make_unique<FaultScheduler>(
      spec_.faults, spec_.seed, spec_.duration,
      FaultWorld{.cluster = *cluster_, .host = *host_, .network = network_, .trace = trace_, .threads = this});
  faults_->Start(app_.start);
  return absl::OkStatus();
}

absl::Status SimulatedWorld::BuildCluster() {
  absl::StatusOr<std::unique_ptr<Cluster>> cluster =
      Cluster::Create(ClusterOf(spec_), broker_clock_, kernel_.NewStream("brokers", "cluster"));
  if (!cluster.ok()) return cluster.status();
  cluster_ = *std::move(cluster);
  for (const auto& [id, broker] : cluster_->brokers()) network_.MapBroker(id, {broker.spec.host, broker.spec.port});
  for (const BrokerShape& shape : spec_.brokers) {
    if (shape.latency) network_.SetBrokerLatency(NodeId(shape.id), *shape.latency);
  }
  broker_transport_ = network_.NewTransport("brokers", "10.0.255.1");
  host_ = std::make_unique<BrokerHost>(BrokerHostOptions{}, *cluster_, *broker_transport_, kernel_.threads(), tap_);
  return host_->Start();
}

absl::Status SimulatedWorld::BuildProducers() {
  const Bootstrap bootstrap = BootstrapOf(spec_);
  for (const ProducerInstance& instance : ProducerInstances(spec_)) {
    std::map<std::string, std::string> values = instance.spec->config;
    values.emplace("bootstrap.servers", bootstrap.servers);
    absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse(values, nullptr, instance.spec->profile);
    if (!config.ok()) return config.status();
    for (const std::string& warning : config->warnings)
      warnings_.push_back(fmt::format("{}: {}", instance.name, warning));
    auto client = std::make_unique<ClientProducer>();
    client->name = instance.name;
    client->group = instance.group;
    client->index = static_cast<std::int32_t>(app_.producers.size());
    record_->producers.push_back(instance.name);
    client->recorder = std::make_unique<ProducerRecorder>(
        ProducerRecorder::Options{.name = instance.name,
                                  .producer = static_cast<std::int16_t>(client->index),
                                  .bootstrap = bootstrap.brokers,
                                  .next = instance.spec->observer},
        env_.clock(), record_->events, trace_);
    absl::StatusOr<std::unique_ptr<Producer>> producer =
        Producer::Create(*std::move(config), env_, client->recorder.get());
    if (!producer.ok()) return producer.status();
    client->producer = *std::move(producer);
    producer_evidence_.push_back(EvidenceOf(instance.name, client->producer->config()));
    app_.producers.push_back(std::move(client));
  }
  return absl::OkStatus();
}

SimulatedWorld::AppThread& SimulatedWorld::ThreadNamed(const std::string& name) {
  for (const auto& one : threads_) {
    if (one->name == name) return *one;
  }
  threads_.push_back(std::make_unique<AppThread>());
  threads_.back()->name = name;
  threads_.back()->context = std::make_unique<WorldAppContext>(app_, name);
  return *threads_.back();
}

std::vector<ClientProducer*> SimulatedWorld::ClientsOf(const std::string& name) {
  std::vector<ClientProducer*> clients;
  for (const auto& client : app_.producers) {
    if (name.empty() || client->name == name || client->group == name) clients.push_back(client.get());
  }
  return clients;
}

// A workload or call of several instances has a thread for each, numbered like them.
void SimulatedWorld::BuildApplication() {
  const auto for_each_client = [this](const std::string& producer, const std::string& thread, const auto& add) {
    const std::vector<ClientProducer*> clients = ClientsOf(producer);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      add(*clients[i], clients.size() == 1 ? thread : fmt::format("{}-{}", thread, i + 1));
    }
  };
  for (std::size_t i = 0; i < spec_.workloads.size(); ++i) {
    const WorkloadSpec& workload = spec_.workloads[i];
    const std::string thread = WorkloadThread(spec_, i);
    for_each_client(workload.producer, thread, [&](ClientProducer& client, const std::string& name) {
      ThreadNamed(name).sources.push_back(MakeWorkloadSource(workload, name, app_, client));
    });
  }
  for (std::size_t i = 0; i < spec_.calls.size(); ++i) {
    const CallSpec& call = spec_.calls[i];
    const std::string thread = CallThread(spec_, i);
    for_each_client(call.producer, thread, [&](ClientProducer& client, const std::string& name) {
      ThreadNamed(name).sources.push_back(MakeCallSource(call, name, app_, client));
    });
  }
  for (const ThreadSpec& thread : spec_.threads) ThreadNamed(thread.name);
}

}  // namespace ktrial::sim
