#include "sim/broker/cluster.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.h"
#include "core/wire/status.h"
#include "fmt/format.h"

namespace ktrial::sim {
namespace {

constexpr std::int64_t kProducerIdBlock = 1000;
constexpr std::size_t kTopicNameMax = 249;

// As random as a version 4 UUID looks, and a function of the arguments: a topic that is deleted and made again has
// another id.
TopicId MakeTopicId(std::string_view cluster_id, std::string_view name, std::int64_t serial) {
  const std::string text = fmt::format("{}\n{}\n{}", cluster_id, name, serial);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  TopicId id{};
  static_assert(sizeof id == sizeof canonical.digest);
  std::memcpy(id.data(), canonical.digest, sizeof id);
  id[6] = static_cast<std::uint8_t>((id[6] & 0x0f) | 0x40);
  id[8] = static_cast<std::uint8_t>((id[8] & 0x3f) | 0x80);
  return id;
}

}  // namespace

bool IsLegalTopicName(std::string_view name) {
  if (name.empty() || name.size() > kTopicNameMax || name == "." || name == "..") return false;
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

bool PartitionState::IsReplica(NodeId broker) const { return std::ranges::find(replicas, broker) != replicas.end(); }
bool PartitionState::IsInSync(NodeId broker) const { return std::ranges::find(isr, broker) != isr.end(); }

absl::StatusOr<std::unique_ptr<Cluster>> Cluster::Create(ClusterSpec spec, const Clock& clock, Stream draws) {
  std::unique_ptr<Cluster> cluster(new Cluster(std::move(spec), clock, std::move(draws)));
  if (absl::Status status = cluster->Init(); !status.ok()) return status;
  return cluster;
}

Cluster::Cluster(ClusterSpec spec, const Clock& clock, Stream draws)
    : spec_(std::move(spec)), clock_(clock), draws_(std::move(draws)), observer_(&NoBrokerObserver()) {}
Cluster::~Cluster() = default;

absl::Status Cluster::LearnRelease(std::string_view name) {
  const BrokerRelease* release = FindBrokerRelease(name);
  if (release == nullptr) {
    std::vector<std::string_view> names;
    for (const BrokerRelease& known : BrokerReleases()) names.push_back(known.name);
    return absl::InvalidArgumentError(fmt::format("version \"{}\" is not one of {}", name, fmt::join(names, ", ")));
  }
  releases_.push_back(release);
  return absl::OkStatus();
}

absl::Status Cluster::Init() {
  if (spec_.brokers.empty()) return absl::InvalidArgumentError("a cluster needs at least one broker");
  if (absl::Status status = ApplyBrokerSettings(spec_.settings, settings_); !status.ok()) return status;
  for (const BrokerSpec& broker : spec_.brokers) {
    if (absl::Status status = LearnRelease(broker.release); !status.ok()) {
      return absl::InvalidArgumentError(fmt::format("broker {}: {}", broker.id.value(), std::string(status.message())));
    }
    if (broker.id.value() < 0) return absl::InvalidArgumentError("a broker's id is never negative");
    if (!brokers_.try_emplace(broker.id, Broker{.spec = broker, .release = releases_.back()}).second) {
      return absl::InvalidArgumentError(fmt::format("broker {} stands there twice", broker.id.value()));
    }
  }
  for (const std::string& release : spec_.later_releases) {
    if (absl::Status status = LearnRelease(release); !status.ok()) return status;
  }
  for (const TopicSpec& topic : spec_.topics) {
    if (absl::Status status = CreateTopic(topic); !status.ok()) return status;
  }
  return absl::OkStatus();
}

const Broker* Cluster::FindBroker(NodeId id) const {
  const auto found = brokers_.find(id);
  return found == brokers_.end() ? nullptr : &found->second;
}

Broker* Cluster::MutableBroker(NodeId id) {
  const auto found = brokers_.find(id);
  return found == brokers_.end() ? nullptr : &found->second;
}

Topic* Cluster::FindTopic(std::string_view name) const {
  const auto found = topics_.find(name);
  return found == topics_.end() ? nullptr : found->second.get();
}

Topic* Cluster::FindTopicById(const TopicId& id) const {
  const auto found = std::ranges::find_if(topics_, [&id](const auto& entry) { return entry.second->id == id; });
  return found == topics_.end() ? nullptr : found->second.get();
}

Partition* Cluster::FindPartition(std::string_view topic, PartitionIndex partition) const {
  const Topic* found = FindTopic(topic);
  if (found == nullptr || partition.value() < 0) return nullptr;
  const auto index = static_cast<std::size_t>(partition.value());
  return index < found->partitions.size() ? found->partitions[index].get() : nullptr;
}

NodeId Cluster::LeaderOf(std::string_view topic, PartitionIndex partition) const {
  const Partition* found = FindPartition(topic, partition);
  return found == nullptr ? kNoNode : found->state().leader;
}

NodeId Cluster::controller() const {
  const auto found = std::ranges::find_if(brokers_, [](const auto& entry) { return entry.second.listed(); });
  return found == brokers_.end() ? kNoNode : found->first;
}

std::int32_t Cluster::MinInsyncReplicas(const Topic& topic) const {
  return topic.settings.min_insync_replicas.value_or(settings_.min_insync_replicas);
}
std::int32_t Cluster::MaxMessageBytes(const Topic& topic) const {
  return topic.settings.max_message_bytes.value_or(settings_.message_max_bytes);
}
TimestampType Cluster::timestamp_type(const Topic& topic) const {
  return topic.settings.timestamp_type.value_or(settings_.timestamp_type);
}

absl::Status Cluster::CreateTopic(const TopicSpec& spec) {
  using wire::ErrorCode;
  const auto refuse = [&spec](ErrorCode code, std::string_view why) {
    return wire::KafkaError(code, fmt::format("topic \"{}\": {}", spec.name, why));
  };
  if (!IsLegalTopicName(spec.name)) return refuse(ErrorCode::kInvalidTopicException, "not a legal name");
  if (topics_.contains(spec.name)) return refuse(ErrorCode::kTopicAlreadyExists, "exists already");
  if (spec.partitions < 1) return refuse(ErrorCode::kInvalidPartitions, "needs at least one partition");
  if (spec.replication < 1 || spec.replication > std::ssize(brokers_)) {
    return refuse(ErrorCode::kInvalidReplicationFactor,
                  fmt::format("replication {} with {} brokers", spec.replication, brokers_.size()));
  }
  auto topic = std::make_unique<Topic>();
  topic->name = spec.name;
  if (absl::Status status = ApplyTopicSettings(spec.settings, topic->settings); !status.ok()) {
    return refuse(ErrorCode::kInvalidConfig, std::string_view(status.message().data(), status.message().size()));
  }
  topic->id = MakeTopicId(spec_.cluster_id, spec.name, topics_created_++);
  topic->replication = spec.replication;
  for (std::int32_t p = 0; p < spec.partitions; ++p) AddPartition(*topic);
  topics_.emplace(spec.name, std::move(topic));
  return absl::OkStatus();
}

void Cluster::AddPartition(Topic& topic) {
  const auto index = static_cast<std::int32_t>(topic.partitions.size());
  auto partition = std::make_unique<Partition>(topic.name, PartitionIndex(index));
  const auto count = static_cast<std::int32_t>(brokers_.size());
  for (std::int32_t k = 0; k < topic.replication; ++k) {
    partition->state_.replicas.push_back(std::next(brokers_.begin(), (index + k) % count)->first);
  }
  for (const NodeId replica : partition->state_.replicas) {
    if (brokers_.at(replica).listed()) partition->state_.isr.push_back(replica);
  }
  if (partition->state_.isr.empty()) {
    partition->state_.isr.push_back(partition->state_.replicas.front());  // leads once it is back
  } else {
    partition->state_.leader = partition->state_.isr.front();
  }
  UpdateHold(*partition);
  topic.partitions.push_back(std::move(partition));
}

bool Cluster::DeleteTopic(std::string_view name) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return false;
  for (const std::unique_ptr<Partition>& partition : found->second->partitions) {
    timers_.Cancel(partition->replication_timer_);
    FailWaiters(*partition, wire::ErrorCode::kUnknownTopicOrPartition);
  }
  topics_.erase(found);
  observer_->OnClusterChange(fmt::format("topic {} is deleted", name));
  return true;
}

bool Cluster::AddPartitions(std::string_view name, std::int32_t total) {
  Topic* topic = FindTopic(name);
  if (topic == nullptr || total <= std::ssize(topic->partitions)) return false;
  while (std::ssize(topic->partitions) < total) AddPartition(*topic);
  observer_->OnClusterChange(fmt::format("topic {} has {} partitions", name, total));
  return true;
}

bool Cluster::DeleteRecords(std::string_view topic, PartitionIndex index, Offset start) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || partition->state_.leader == kNoNode || start > partition->high_watermark_) return false;
  if (!partition->log_.DeleteBefore(start)) return false;
  if (brokers_.at(partition->state_.leader).release->producers != ProducerRules::kAnyFirstSequence) {
    partition->producers_.ForgetBefore(start);
  }
  observer_->OnClusterChange(fmt::format("{}/{} starts at {}", topic, index.value(), start.value()));
  return true;
}

wire::ErrorCode Cluster::AutoCreateTopic(std::string_view name) {
  if (!IsLegalTopicName(name)) return wire::ErrorCode::kInvalidTopicException;
  if (!settings_.auto_create_topics) return wire::ErrorCode::kUnknownTopicOrPartition;
  const absl::Status status = CreateTopic({.name = std::string(name),
                                           .partitions = settings_.num_partitions,
                                           .replication = settings_.default_replication_factor});
  if (status.ok()) observer_->OnClusterChange(fmt::format("topic {} is created on first use", name));
  return wire::KafkaCode(status);
}

ProducerId Cluster::NextProducerId(NodeId broker) {
  ProducerIdBlock& block = producer_ids_[broker];
  if (block.next == block.end) {
    block.next = producer_id_blocks_++ * kProducerIdBlock;
    block.end = block.next + kProducerIdBlock;
  }
  return ProducerId(block.next++);
}

Duration Cluster::DrawServiceTime(NodeId broker) { return brokers_.at(broker).spec.service.Draw(draws_); }

void Cluster::SetObserver(BrokerObserver* observer) {
  observer_ = observer == nullptr ? &NoBrokerObserver() : observer;
}

}  // namespace ktrial::sim
