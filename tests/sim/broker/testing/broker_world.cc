#include "tests/sim/broker/testing/broker_world.h"

#include <algorithm>

#include "core/wire/big_endian.h"
#include "core/wire/record_batch.h"

namespace ktrial::sim {

ClusterSpec SpecOf(int count) {
  ClusterSpec spec;
  for (int id = 1; id <= count; ++id) spec.brokers.push_back({.id = NodeId(id)});
  spec.topics.push_back({.name = "orders", .partitions = 1, .replication = count});
  return spec;
}

BrokerWorld::BrokerWorld(ClusterSpec spec, BrokerHostOptions options) {
  absl::StatusOr<std::unique_ptr<Cluster>> made =
      Cluster::Create(std::move(spec), clock, Stream(1, "cluster", "replication", trace));
  KT_CHECK_MSG(made.ok(), std::string(made.status().message()));
  cluster = *std::move(made);
  host = std::make_unique<BrokerHost>(options, *cluster, transport, threads, notes);
  KT_CHECK(host->Start().ok());
}

void BrokerWorld::Settle() {
  do host->Turn(clock.Now());
  while (transport.HasEvents() || cluster->timers().Next() <= clock.Now());
}

void BrokerWorld::Advance(Duration by) {
  const Instant end = clock.Now() + by;
  Settle();
  while (cluster->timers().Next() <= end) {
    clock.Advance(std::max(Duration(0), cluster->timers().Next() - clock.Now()));
    Settle();
  }
  clock.Advance(end - clock.Now());
  Settle();
}

ConnectionId BrokerWorld::Connect(std::int32_t broker) {
  const std::optional<ConnectionId> id = transport.Connect(host->address(NodeId(broker)).port);
  KT_CHECK(id.has_value());
  Settle();
  return *id;
}

void BrokerWorld::SendFrame(ConnectionId connection, std::string_view frame) {
  std::string bytes(4, '\0');
  wire::StoreBigEndian(bytes.data(), static_cast<std::int32_t>(frame.size()));
  transport.Write(connection, bytes + std::string(frame));
  Settle();
}

std::optional<std::string> BrokerWorld::NextAnswer(ConnectionId connection) {
  std::string& read = read_[connection];
  read += transport.Read(connection);
  if (read.size() < 4) return std::nullopt;
  const auto size = static_cast<std::size_t>(wire::LoadBigEndian<std::int32_t>(read.data()));
  if (read.size() < 4 + size) return std::nullopt;
  std::string frame = read.substr(4, size);
  read.erase(0, 4 + size);
  return frame;
}

std::string BatchOf(const std::vector<std::string>& values, const wire::BatchProducer& producer) {
  std::string buffer(1 << 16, '\0');
  wire::RecordBatchBuilder builder(buffer);
  for (const std::string& value : values) KT_CHECK(builder.Append(kBatchTimestampMs, std::nullopt, value, {}) > 0);
  return std::string(builder.Close(producer));
}

wire::ProduceRequest ProduceOf(std::string_view records, std::int16_t acks, std::string_view topic,
                               std::int32_t partition) {
  wire::ProduceRequest request{.acks = acks, .timeout_ms = 30000};
  request.topics.push_back({.name = topic, .partitions = {{.index = partition, .records = records}}});
  return request;
}

}  // namespace ktrial::sim
