#include "sim/broker/cluster.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
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

TopicSpec Topic::Shape() const {
  return {.name = name,
          .partitions = static_cast<std::int32_t>(partitions.size()),
          .replication = replication,
          .settings = settings_as_given};
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

const Topic* Cluster::FindDeletedTopic(std::string_view name) const {
  const auto found = std::find_if(deleted_topics_.rbegin(), deleted_topics_.rend(),
                                  [name](const auto& topic) { return topic->name == name; });
  return found == deleted_topics_.rend() ? nullptr : found->get();
}

std::map<NodeId, Instant> Cluster::HeardAt(const TopicLags& lags) const {
  std::map<NodeId, Instant> heard;
  for (const auto& [id, broker] : brokers_) {
    const auto lag = lags.find(id);
    const Duration later = broker.metadata_lag + (lag == lags.end() ? Duration(0) : lag->second);
    if (later > Duration(0)) heard.emplace(id, clock_.Now() + later);
  }
  return heard;
}

bool Cluster::Knows(NodeId broker, const Topic& topic) const {
  const auto from = topic.known_from.find(broker);
  if (from != topic.known_from.end() && clock_.Now() < from->second) return false;
  if (FindTopic(topic.name) == &topic) return true;
  const auto until = topic.known_until.find(broker);
  return until != topic.known_until.end() && clock_.Now() < until->second;
}

const Topic* Cluster::SeenTopic(NodeId broker, std::string_view name) const {
  const Topic* topic = FindTopic(name);
  if (topic != nullptr && Knows(broker, *topic)) return topic;
  const auto seen = std::find_if(deleted_topics_.rbegin(), deleted_topics_.rend(),
                                 [&](const auto& deleted) { return deleted->name == name && Knows(broker, *deleted); });
  return seen == deleted_topics_.rend() ? nullptr : seen->get();
}

const Topic* Cluster::SeenTopicById(NodeId broker, const TopicId& id) const {
  const Topic* topic = FindTopicById(id);
  if (topic == nullptr) {
    const auto deleted = std::ranges::find(deleted_topics_, id, [](const auto& one) { return one->id; });
    if (deleted == deleted_topics_.end()) return nullptr;
    topic = deleted->get();
  }
  // Of two with its name it has heard of one alone.
  return SeenTopic(broker, topic->name) == topic ? topic : nullptr;
}

std::vector<const Topic*> Cluster::SeenTopics(NodeId broker) const {
  std::set<std::string_view> names;
  for (const auto& [name, topic] : topics_) names.insert(name);
  for (const auto& topic : deleted_topics_) {
    if (Knows(broker, *topic)) names.insert(topic->name);
  }
  std::vector<const Topic*> seen;
  for (const std::string_view name : names) {
    if (const Topic* topic = SeenTopic(broker, name)) seen.push_back(topic);
  }
  return seen;
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

absl::Status Cluster::CreateTopic(const TopicSpec& spec, const TopicLags& lags) {
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
  topic->settings_as_given = spec.settings;
  topic->replication = spec.replication;
  topic->known_from = HeardAt(lags);
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

bool Cluster::DeleteTopic(std::string_view name, const TopicLags& lags) {
  const auto found = topics_.find(name);
  if (found == topics_.end()) return false;
  for (const std::unique_ptr<Partition>& partition : found->second->partitions) {
    timers_.Cancel(partition->replication_timer_);
    FailWaiters(*partition, wire::ErrorCode::kUnknownTopicOrPartition);
  }
  found->second->known_until = HeardAt(lags);
  deleted_topics_.push_back(std::move(found->second));
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
