#include "core/producer/topic_wait.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "core/producer/text.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using wire::ErrorCode;

// MD-26: the topic is there, and so is the partition, if one was named.
bool Knows(const Cluster& cluster, std::string_view topic, PartitionIndex partition) {
  const TopicInfo* info = cluster.FindTopic(topic);
  return info != nullptr && info->partition_count() > 0 && partition.value() < info->partition_count();
}

std::uint64_t WordFor(const Cluster& cluster, std::string_view topic) {
  return cluster.generation() << 32 | static_cast<std::uint32_t>(cluster.FindTopic(topic)->partition_count());
}

}  // namespace

TopicWait::TopicWait(Metadata& metadata, const ProducerEvents& events, MetricsRecorder& metrics, const Clock& clock,
                     Threads& threads, Hooks hooks)
    : metadata_(metadata),
      events_(events),
      metrics_(metrics),
      clock_(clock),
      hooks_(std::move(hooks)),
      closing_(threads, Site("producer.closing"), false) {}

absl::StatusOr<std::int32_t> TopicWait::PartitionCount(TopicQueues& topic, PartitionIndex partition,
                                                       Duration& max_block) {
  const std::int32_t known = KnownPartitionCount(topic);
  if (known > 0 && partition.value() < known) return known;
  absl::StatusOr<std::shared_ptr<const Cluster>> cluster = ClusterWith(topic.name(), partition, max_block);
  if (!cluster.ok()) return std::move(cluster).status();
  topic.caller_word().StoreRelaxed(WordFor(**cluster, topic.name()));
  return (*cluster)->FindTopic(topic.name())->partition_count();
}

absl::StatusOr<std::shared_ptr<const Cluster>> TopicWait::ClusterWith(std::string_view topic, PartitionIndex partition,
                                                                      Duration& max_block) {
  std::shared_ptr<const Cluster> cluster = metadata_.Fetch();
  if (Knows(*cluster, topic, partition)) return cluster;
  // A name that cannot be one: no request would change that (MD-31).
  if (cluster->TopicError(topic) == ErrorCode::kInvalidTopicException) {
    return wire::KafkaError(ErrorCode::kInvalidTopicException, fmt::format("{} is not a valid topic name", topic));
  }
  const Instant start = clock_.Now();
  if (hooks_.on_sender_thread()) {
    metadata_.Add(topic, start);
    metadata_.RequestUpdateForTopic(topic);
    return absl::FailedPreconditionError(
        fmt::format("the metadata of {} is not known yet, and a callback cannot wait for it", topic));
  }
  absl::StatusOr<std::shared_ptr<const Cluster>> awaited = Await(topic, partition, start, start + max_block);
  const Duration waited = clock_.Now() - start;
  metrics_.MetadataWaited(waited);
  max_block = waited < max_block ? max_block - waited : Duration::zero();
  return awaited;
}

absl::StatusOr<std::shared_ptr<const Cluster>> TopicWait::Await(std::string_view topic, PartitionIndex partition,
                                                                Instant start, Instant deadline) {
  Instant now = start;
  while (true) {
    if (closing()) return absl::CancelledError("the producer was closed while Send waited for metadata");
    metadata_.Add(topic, now);
    const std::int64_t version = metadata_.RequestUpdateForTopic(topic);
    hooks_.wake_sender();
    absl::Status status = metadata_.AwaitUpdate(version, deadline);
    now = clock_.Now();
    if (!status.ok() && wire::KafkaCode(status) != ErrorCode::kRequestTimedOut) return status;
    // The time comes first: news that come with its last moment are too late (MD-28, D-9).
    if (!status.ok() || now >= deadline) return TimedOut(topic, partition, now - start);
    status = metadata_.TakeErrors(topic);
    if (!status.ok()) return status;
    std::shared_ptr<const Cluster> cluster = metadata_.Fetch();
    if (Knows(*cluster, topic, partition)) return cluster;
  }
}

absl::Status TopicWait::TimedOut(std::string_view topic, PartitionIndex partition, Duration waited) const {
  const std::shared_ptr<const Cluster> cluster = metadata_.Fetch();
  const TopicInfo* info = cluster->FindTopic(topic);
  std::string text;
  if (info == nullptr || info->partition_count() == 0) {
    text = fmt::format("topic {} is not in the metadata after {} ms (max.block.ms)", topic, Millis(waited));
  } else if (Knows(*cluster, topic, partition)) {
    text = fmt::format("the metadata of topic {} came only after {} ms (max.block.ms)", topic, Millis(waited));
  } else {
    text = fmt::format("partition {} of topic {}, which has {}, is not in the metadata after {} ms (max.block.ms)",
                       partition.value(), topic, info->partition_count(), Millis(waited));
  }
  const ErrorCode error = metadata_.LastTopicError(topic);
  if (error != ErrorCode::kNone) text += fmt::format("; the broker says {}", wire::ErrorCodeName(error));
  const std::string trouble = events_.Trouble();
  if (!trouble.empty()) text += fmt::format("; {}", trouble);
  return wire::KafkaError(ErrorCode::kRequestTimedOut, text);
}

}  // namespace ktrial
