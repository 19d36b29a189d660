#include "tests/core/accumulator/testing/accumulator_world.h"

#include <utility>

#include "core/check.h"
#include "core/compression/decompressor.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial {

std::shared_ptr<const Cluster> MakeCluster(const Leaderships& topics) {
  Cluster::Parts parts;
  for (std::int32_t id = 1; id <= 4; ++id)
    parts.nodes.push_back({.id = NodeId(id), .host = "broker", .port = 9092, .rack = {}});
  for (const auto& [name, leaders] : topics) {
    auto topic = std::make_shared<TopicInfo>();
    topic->name = name;
    for (const Leadership& leader : leaders) {
      PartitionInfo partition;
      partition.index = PartitionIndex(static_cast<std::int32_t>(topic->partitions.size()));
      partition.leader = partition.reported_leader = leader.node < 0 ? kNoNode : NodeId(leader.node);
      partition.leader_epoch = LeaderEpoch(leader.epoch);
      if (leader.node >= 0) topic->available.push_back(partition.index);
      topic->partitions.push_back(std::move(partition));
    }
    parts.topics.push_back(std::move(topic));
  }
  return std::make_shared<const Cluster>(std::move(parts));
}

AccumulatorWorld::AccumulatorWorld(const WorldOptions& options) {
  SetCluster({{"orders", {{1}, {1}, {2}}}});
  const AccumulatorConfig config{.batch_size = options.batch_size,
                                 .buffer_memory = options.buffer_memory,
           .incremental_allocation = options.incremental_allocation,
                                 .linger = options.linger,
                                 .delivery_timeout = options.delivery_timeout,
                                 .retry_backoff = options.retry_backoff,
                                 .retry_backoff_max = options.retry_backoff_max,
                                 .adaptive_partitioning = options.adaptive_partitioning,
                                 .partition_availability_timeout = options.partition_availability_timeout,
                                 .codec = options.codec,
                                 .compression_level = DefaultLevel(options.codec),
                                 .on_batch = options.on_batch,
                                 .heap = options.heap};
  accumulator =
      std::make_unique<RecordAccumulator>(config, env->threads(), clock, entropy, [this] { return cluster; }, observer);
}

void AccumulatorWorld::OnRecord(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  const Context& record = *static_cast<Context*>(context);
  record.world->told.push_back({.value = record.value,
                                .topic = std::string(metadata.topic),
                                .partition = metadata.partition.value(),
                                .offset = metadata.offset.value(),
                                .timestamp = metadata.timestamp.millis(),
                                .key_bytes = metadata.key_bytes,
                                .value_bytes = metadata.value_bytes,
                                .error = wire::KafkaCode(status),
                                .message = std::string(status.message())});
}

absl::StatusOr<AppendResult> AccumulatorWorld::TryAppend(std::string_view topic, std::int32_t partition,
                                                         std::string_view value) {
  contexts_.push_back(std::make_unique<Context>(Context{this, std::string(value)}));
  NewRecord record;
  record.partition = PartitionIndex(partition);
  record.timestamp = clock.WallNow();
  record.value = value;
  record.callback = {.function = &OnRecord, .context = contexts_.back().get()};
  return accumulator->Append(accumulator->Topic(topic), record);
}

AppendResult AccumulatorWorld::Append(std::string_view topic, std::int32_t partition, std::string_view value) {
  absl::StatusOr<AppendResult> result = TryAppend(topic, partition, value);
  KT_CHECK_MSG(result.ok(), std::string(result.status().message()));
  return *std::move(result);
}

std::vector<BatchRef> AccumulatorWorld::Drain(std::int32_t node, std::int64_t max_request_bytes) {
  const std::vector<NodeId> nodes = {NodeId(node)};
  std::vector<NodeBatches> drained = accumulator->Drain(cluster, nodes, max_request_bytes, clock.now);
  KT_CHECK(drained.size() <= 1);
  return drained.empty() ? std::vector<BatchRef>() : std::move(drained.front().batches);
}

void AccumulatorWorld::Succeed(ProducerBatch& batch, std::int64_t base_offset) {
  BatchOutcome outcome;
  outcome.base_offset = Offset(base_offset);
  accumulator->Finish(batch, std::move(outcome));
}

void AccumulatorWorld::Fail(ProducerBatch& batch, wire::ErrorCode code) {
  BatchOutcome outcome;
  outcome.status = wire::KafkaError(code);
  accumulator->Finish(batch, std::move(outcome));
}

std::int64_t AccumulatorWorld::used_bytes() const {
  const BufferPoolStats stats = accumulator->buffer_pool_stats();
  return stats.total_bytes - stats.available_bytes;
}

std::vector<std::string> ValuesOf(const ProducerBatch& batch) {
  const absl::StatusOr<wire::RecordBatchView> view = wire::RecordBatchView::Parse(batch.bytes());
  KT_CHECK(view.ok());
  Decompressor decompressor;
  std::string buffer;
  const absl::StatusOr<std::string_view> records = view->PlainRecords(decompressor, 1'000'000, buffer);
  KT_CHECK(records.ok());
  KT_CHECK(view->ValidateRecords(*records).ok());
  wire::RecordReader reader(*view, *records);
  std::vector<std::string> values;
  while (const wire::RecordView* record = reader.Next()) values.emplace_back(record->value.value_or("null"));
  return values;
}

std::vector<std::string> Contents(const std::vector<BatchRef>& batches) {
  std::vector<std::string> contents;
  for (const BatchRef& batch : batches) {
    std::string text = std::string(batch->topic()) + "/" + std::to_string(batch->partition().value());
    char separator = ' ';
    for (const std::string& value : ValuesOf(*batch)) {
      text += std::exchange(separator, ',') + value;
    }
    contents.push_back(std::move(text));
  }
  return contents;
}

}  // namespace ktrial
