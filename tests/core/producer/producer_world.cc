#include "tests/core/producer/producer_world.h"

#include <optional>
#include <utility>

#include "core/check.h"
#include "core/env/site.h"
#include "core/wire/record_batch.h"

namespace ktrial::testing {

namespace {

std::string TextOf(std::optional<std::string_view> bytes) { return std::string(bytes.value_or("(null)")); }

}  // namespace

ProducerWorld::ProducerWorld(Options options) : options_(std::move(options)) {
  sandbox_ =
      std::make_unique<sim::Sandbox>(sim::KernelOptions{.seed = options_.seed, .stalls = options_.stalls},
                                     sim::NetworkOptions{.latency = sim::Distribution::Constant(options_.latency)});
  sim::ClusterSpec spec{.topics = options_.topics, .settings = options_.settings, .keep_raw_batches = true};
  spec.topics.push_back({.name = "t", .partitions = 3, .replication = options_.brokers});
  for (std::int32_t id = 1; id <= options_.brokers; ++id) {
    spec.brokers.push_back({.id = NodeId(id), .host = "10.0.0." + std::to_string(id), .port = 9092});
    sandbox_->network().MapBroker(NodeId(id), {.ip = spec.brokers.back().host, .port = 9092});
  }
  absl::StatusOr<std::unique_ptr<sim::Cluster>> cluster = sim::Cluster::Create(
      std::move(spec), sandbox_->env().clock(), sim::Stream(options_.seed, "brokers", "cluster", sandbox_->trace()));
  KT_CHECK_MSG(cluster.ok(), std::string(cluster.status().message()));
  cluster_ = *std::move(cluster);
  transport_ = sandbox_->network().NewTransport("brokers", "10.0.0.1");
  host_ =
      std::make_unique<sim::BrokerHost>(sim::BrokerHostOptions{}, *cluster_, *transport_, sandbox_->env().threads());
  KT_CHECK(host_->Start().ok());
}

ProducerWorld::~ProducerWorld() {
  // A body that could not end leaves the brokers running as well.
  if (sandbox_->kernel().LiveThreads() > 0) sandbox_->kernel().Abandon();
}

sim::KernelResult ProducerWorld::Run(absl::AnyInvocable<void()> body) {
  const std::unique_ptr<Thread> brokers = sandbox_->kernel().SpawnDaemon("brokers", [this] { host_->Run(); });
  return sandbox_->Run([this, body = std::move(body)]() mutable {
    body();
    host_->Stop();
  });
}

ProducerConfig ProducerWorld::ParseConfig(std::map<std::string, std::string> values) {
  values.emplace("bootstrap.servers", "10.0.0.1:9092");
  absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse(values);
  KT_CHECK_MSG(config.ok(), std::string(config.status().message()));
  return *std::move(config);
}

std::unique_ptr<Producer> ProducerWorld::StartProducer(ProducerConfig config, BatchCallback on_batch) {
  absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(std::move(config), env(), nullptr, on_batch);
  KT_CHECK(producer.ok());
  return *std::move(producer);
}

void ProducerWorld::Sleep(Duration length) { env().threads().SleepUntil(Now() + length, Site("test.sleep")); }

void ProducerWorld::At(Duration from_now, absl::AnyInvocable<void()> function) {
  const Instant moment = Now() + from_now;
  host_->Post([this, moment, function = std::move(function)]() mutable { host_->At(moment, std::move(function)); });
}

std::vector<ProducerWorld::Stored> ProducerWorld::Log(std::string_view topic, std::int32_t partition) const {
  std::vector<Stored> records;
  const sim::Partition* found = cluster_->FindPartition(topic, PartitionIndex(partition));
  KT_CHECK(found != nullptr);
  for (const sim::LogBatch& stored : found->log().batches()) {
    const auto batch = wire::RecordBatchView::Parse(stored.raw);
    KT_CHECK(batch.ok());
    wire::RecordReader reader(*batch);
    while (const wire::RecordView* record = reader.Next()) {
      Stored entry{.key = TextOf(record->key),
                   .value = TextOf(record->value),
                   .offset = stored.base_offset.value() + record->offset_delta,
                   .timestamp_ms = record->timestamp_ms};
      for (const Header& header : record->headers) {
        entry.headers.push_back(std::string(header.key) + "=" + TextOf(header.value));
      }
      records.push_back(std::move(entry));
    }
    KT_CHECK(reader.status().ok());
  }
  return records;
}

std::vector<std::string> ProducerWorld::Values(std::string_view topic, std::int32_t partition) const {
  std::vector<std::string> values;
  for (const Stored& record : Log(topic, partition)) values.push_back(record.value);
  return values;
}

std::size_t ProducerWorld::RecordCount(std::string_view topic) const {
  std::size_t count = 0;
  for (const auto& partition : cluster_->FindTopic(topic)->partitions) {
    count += static_cast<std::size_t>(partition->log().record_count());
  }
  return count;
}

}  // namespace ktrial::testing
