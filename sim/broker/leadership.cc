// Who leads and who is in sync: the part of Cluster that elections, crashes and pauses go through.
#include <algorithm>
#include <utility>

#include "core/check.h"
#include "fmt/format.h"
#include "sim/broker/cluster.h"

namespace ktrial::sim {
namespace {

// Old states that a partition remembers for brokers that lag. Beyond it the oldest is forgotten: its readers learn
// early.
constexpr std::size_t kOldStatesMax = 16;

}  // namespace

const PartitionState& Cluster::SeenBy(NodeId broker, const Partition& partition) const {
  if (partition.old_states_.empty()) return partition.state_;
  const Instant now = clock_.Now();
  const Broker* reader = FindBroker(broker);
  KT_CHECK(reader != nullptr);
  for (const Partition::OldState& old : partition.old_states_) {
    const Duration lag = old.told_at_once == broker ? Duration(0) : old.lag;
    if (now < old.changed + lag + reader->metadata_lag) return old.state;
  }
  return partition.state_;
}

void Cluster::Remember(Partition& partition, Duration lag, NodeId told_at_once) {
  Duration lag_max = lag;
  for (const auto& [id, broker] : brokers_) lag_max = std::max(lag_max, lag + broker.metadata_lag);
  if (lag_max == Duration(0)) return;
  auto& states = partition.old_states_;
  states.push_back({.state = partition.state_, .changed = clock_.Now(), .lag = lag, .told_at_once = told_at_once});
  if (states.size() > kOldStatesMax) states.pop_front();
}

bool Cluster::CanLead(const Partition& partition, NodeId broker) const {
  const Broker* candidate = FindBroker(broker);
  return candidate != nullptr && candidate->up && !candidate->fenced && partition.state_.IsInSync(broker);
}

bool Cluster::MoveLeader(std::string_view topic, PartitionIndex index, NodeId to, MoveOptions options) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || partition->state_.leader == kNoNode) return false;
  if (partition->state_.leader == to || !CanLead(*partition, to)) return false;
  Elect(*partition, to, options);
  return true;
}

bool Cluster::MoveLeaderAnywhere(std::string_view topic, PartitionIndex index, MoveOptions options) {
  const Partition* partition = FindPartition(topic, index);
  if (partition == nullptr) return false;
  const std::vector<NodeId>& replicas = partition->state_.replicas;
  const auto leader = std::ranges::find(replicas, partition->state_.leader);
  if (leader == replicas.end()) return false;
  const auto start = static_cast<std::size_t>(leader - replicas.begin());
  for (std::size_t step = 1; step < replicas.size(); ++step) {
    if (MoveLeader(topic, index, replicas[(start + step) % replicas.size()], options)) return true;
  }
  return false;
}

bool Cluster::RemoveLeader(std::string_view topic, PartitionIndex index) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || partition->state_.leader == kNoNode) return false;
  partition->withheld_ = true;
  Elect(*partition, kNoNode, {});
  return true;
}

bool Cluster::ElectLeader(std::string_view topic, PartitionIndex index) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || partition->state_.leader != kNoNode) return false;
  partition->withheld_ = false;
  return ElectFirst(*partition, kNoNode);
}

bool Cluster::ElectFirst(Partition& partition, NodeId but) {
  for (const NodeId replica : partition.state_.replicas) {
    if (replica == but || !CanLead(partition, replica)) continue;
    Elect(partition, replica, {});
    return true;
  }
  return false;
}

void Cluster::Elect(Partition& partition, NodeId leader, MoveOptions options) {
  Remember(partition, options.lag, leader);
  if (partition.state_.leader != kNoNode) {
    partition.last_leader_ = partition.state_.leader;
    partition.copied_end_ = CopiedEnd(partition);
    partition.pending_.clear();
    timers_.Cancel(std::exchange(partition.replication_timer_, 0));
  }
  partition.state_.leader = leader;
  partition.state_.epoch = LeaderEpoch(partition.state_.epoch.value() + 1);
  partition.hint_ = options.hint;
  std::int64_t lost = 0;
  if (leader != kNoNode) {
    // The old leader's log survives on its disk; anybody else continues from what it had copied.
    if (leader != partition.last_leader_) lost = partition.log_.TruncateTo(partition.copied_end_);
    if (lost > 0) partition.producers_.Rebuild(partition.log_);
    partition.high_watermark_ = std::min(partition.high_watermark_, partition.log_.end_offset());
    UpdateHold(partition);
    StartReplication(partition, partition.log_.end_offset());
  }
  FailWaiters(partition, wire::ErrorCode::kNotLeaderOrFollower);
  const std::string who = leader == kNoNode ? "has no leader" : fmt::format("is led by {}", leader.value());
  observer_->OnClusterChange(fmt::format("{}/{} {}, epoch {}{}", partition.topic(), partition.index().value(), who,
                                         partition.state_.epoch.value(),
                                         lost == 0 ? "" : fmt::format(", {} records cut off", lost)));
}

bool Cluster::ShrinkIsr(std::string_view topic, PartitionIndex index, NodeId follower) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || partition->state_.leader == follower || !partition->state_.IsInSync(follower))
    return false;
  RemoveFromIsr(*partition, follower);
  return true;
}

bool Cluster::ExpandIsr(std::string_view topic, PartitionIndex index, NodeId follower) {
  Partition* partition = FindPartition(topic, index);
  if (partition == nullptr || !partition->state_.IsReplica(follower)) return false;
  const Broker& broker = brokers_.at(follower);
  if (!broker.up || broker.fenced || partition->state_.IsInSync(follower)) return false;
  AddToIsr(*partition, follower);
  return true;
}

void Cluster::RemoveFromIsr(Partition& partition, NodeId follower) {
  Remember(partition, Duration(0), kNoNode);
  std::erase(partition.state_.isr, follower);
  observer_->OnClusterChange(
      fmt::format("{}/{}: {} is out of sync", partition.topic(), partition.index().value(), follower.value()));
  UpdateHold(partition);
}

void Cluster::AddToIsr(Partition& partition, NodeId follower) {
  Remember(partition, Duration(0), kNoNode);
  std::vector<NodeId>& isr = partition.state_.isr;
  isr.push_back(follower);
  const std::vector<NodeId>& replicas = partition.state_.replicas;
  std::ranges::sort(isr, {}, [&replicas](NodeId id) { return std::ranges::find(replicas, id) - replicas.begin(); });
  observer_->OnClusterChange(
      fmt::format("{}/{}: {} is in sync", partition.topic(), partition.index().value(), follower.value()));
  UpdateHold(partition);
}

void Cluster::AdmitFollowers(Partition& partition) {
  for (const NodeId replica : partition.state_.replicas) {
    const Broker& broker = brokers_.at(replica);
    if (broker.up && !broker.fenced && !partition.state_.IsInSync(replica)) AddToIsr(partition, replica);
  }
}

template <class Function>
void Cluster::ForEachPartition(Function function) {
  for (auto& [name, topic] : topics_) {
    for (const std::unique_ptr<Partition>& partition : topic->partitions) function(*partition);
  }
}

bool Cluster::SetDown(NodeId id) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || !broker->up) return false;
  broker->up = false;
  observer_->OnClusterChange(fmt::format("broker {} is down", id.value()));
  ForEachPartition([this](Partition& partition) { UpdateHold(partition); });
  return true;
}

bool Cluster::SetUp(NodeId id) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || broker->up) return false;
  broker->up = true;
  observer_->OnClusterChange(fmt::format("broker {} is up", id.value()));
  ForEachPartition([this](Partition& partition) { UpdateHold(partition); });
  return true;
}

bool Cluster::SetPaused(NodeId id, bool paused) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || broker->paused == paused) return false;
  broker->paused = paused;
  observer_->OnClusterChange(fmt::format("broker {} {}", id.value(), paused ? "stands still" : "goes on"));
  ForEachPartition([this](Partition& partition) { UpdateHold(partition); });
  return true;
}

bool Cluster::FenceBroker(NodeId id) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || broker->fenced) return false;
  broker->fenced = true;
  observer_->OnClusterChange(fmt::format("broker {} is given up", id.value()));
  ForEachPartition([this, id](Partition& partition) {
    if (partition.state_.leader == id && !ElectFirst(partition, id)) {
      Elect(partition, kNoNode, {});  // It stays in the ISR as the last one, and is waited for.
      return;
    }
    if (partition.state_.IsInSync(id) && partition.state_.isr.size() > 1) RemoveFromIsr(partition, id);
  });
  return true;
}

bool Cluster::UnfenceBroker(NodeId id) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || !broker->fenced || !broker->up) return false;
  broker->fenced = false;
  observer_->OnClusterChange(fmt::format("broker {} is back", id.value()));
  ForEachPartition([this, id](Partition& partition) {
    if (!partition.state_.IsReplica(id)) return;
    const bool leaderless = partition.state_.leader == kNoNode && !partition.withheld_;
    if (leaderless && CanLead(partition, id)) {
      Elect(partition, id, {});
      AdmitFollowers(partition);
    } else if (!leaderless && !partition.state_.IsInSync(id)) {
      AddToIsr(partition, id);
    }
  });
  return true;
}

bool Cluster::SetMetadataLag(NodeId id, Duration lag) {
  Broker* broker = MutableBroker(id);
  if (broker == nullptr || broker->metadata_lag == lag) return false;
  broker->metadata_lag = lag;
  return true;
}

void Cluster::SetRelease(NodeId id, std::string_view release) {
  Broker* broker = MutableBroker(id);
  const BrokerRelease* known = FindBrokerRelease(release);
  KT_CHECK(broker != nullptr && known != nullptr);
  broker->release = known;
}

void Cluster::SetPort(NodeId id, std::uint16_t port) {
  Broker* broker = MutableBroker(id);
  KT_CHECK(broker != nullptr);
  broker->spec.port = port;
}

}  // namespace ktrial::sim
