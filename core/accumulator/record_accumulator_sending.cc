#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/check.h"

namespace ktrial {
namespace {

// By topic name, then partition: an order that no hash and no address has a say in (D-5).
bool InOrder(const PartitionQueue* a, const PartitionQueue* b) {
  if (&a->topic == &b->topic) return a->partition < b->partition;
  return a->topic.name() < b->topic.name();
}

}  // namespace

void RecordAccumulator::TakeActivated() {
  std::vector<PartitionQueue*> activated;
  registry_.TakeActivated(activated);
  if (activated.empty()) return;
  for (PartitionQueue* queue : activated) {
    if (!std::exchange(queue->ever_active, true)) ++queue->topic.ever_active;
  }
  std::sort(activated.begin(), activated.end(), InOrder);
  std::vector<PartitionQueue*> merged;
  merged.reserve(active_.size() + activated.size());
  std::merge(active_.begin(), active_.end(), activated.begin(), activated.end(), std::back_inserter(merged), InOrder);
  active_ = std::move(merged);
}

void RecordAccumulator::LearnLeaders(const std::shared_ptr<const Cluster>& cluster) {
  if (cluster != cluster_) {
    cluster_ = cluster;
    ++cluster_number_;
  }
  for (PartitionQueue* queue : active_) {
    if (queue->leader_generation == cluster_number_) continue;
    queue->leader_generation = cluster_number_;
    const PartitionInfo* partition = cluster->FindPartition(queue->topic.name(), queue->partition);
    queue->leader = partition != nullptr ? partition->leader : kNoNode;
    queue->leader_epoch = partition != nullptr ? partition->leader_epoch : kUnknownEpoch;
    const TopicInfo* topic = config_.idempotent ? cluster->FindTopic(queue->topic.name()) : nullptr;
    queue->topic_id = topic != nullptr ? topic->id : TopicId{};
  }
}

std::optional<RecordAccumulator::Front> RecordAccumulator::Examine(PartitionQueue& queue, Instant now) {
  MutexLock lock(queue.mutex);
  ProducerBatch* front = queue.front;
  queue.seen_length = queue.length;
  if (front == nullptr) {
    queue.active = false;
    return std::nullopt;
  }
  front->ObserveLeaderEpoch(queue.leader_epoch);
  return Front{.length = queue.length,
               .full = queue.length > 1 || front->full(),
               .held = IsHeld(queue, *front),
               .backing_off = front->BackingOff(now),
               .retry_at = front->retry_at_,
               .linger_ends = front->created_ + config_.linger};
}

ReadyNodes RecordAccumulator::Ready(const std::shared_ptr<const Cluster>& cluster, Instant now) {
  TakeActivated();
  LearnLeaders(cluster);
  ++ready_pass_;
  // Memory pressure, flush, close and the end of a transaction override linger, for all partitions (AC-13).
  const bool hurry = hurry_ || pool_.HasWaiters() || flushes_.Load() > 0 || closed_.Load();
  std::vector<Examined>& examined = examined_;
  examined.clear();
  for (PartitionQueue* queue : active_) {
    if (const std::optional<Front> front = Examine(*queue, now)) examined.push_back({.queue = queue, .front = *front});
  }
  active_.clear();
  for (const Examined& one : examined) active_.push_back(one.queue);

  ReadyNodes ready;
  for (auto begin = examined.begin(); begin != examined.end();) {
    const auto other_topic = [begin](const Examined& one) { return &one.queue->topic != &begin->queue->topic; };
    const auto end = std::find_if(begin, examined.end(), other_topic);
    JudgeTopic(*cluster, {begin, end}, hurry, now, ready);
    begin = end;
  }
  ForgetStaleLoads();
  return ready;
}

void RecordAccumulator::JudgeTopic(const Cluster& cluster, std::span<const Examined> queues, bool hurry, Instant now,
                                   ReadyNodes& ready) {
  bool leader_missing = false;
  for (const auto& [queue, front] : queues) {
    if (queue->leader == kNoNode) {
      leader_missing = true;
      continue;
    }
    const auto place = std::lower_bound(ready.nodes.begin(), ready.nodes.end(), queue->leader);
    const bool leader_is_ready = place != ready.nodes.end() && *place == queue->leader;
    if (queue->muted || front.held || leader_is_ready) continue;  // Not examined: they do not bound the wait (AC-09).
    if (front.backing_off) {
      ready.next_ready = std::min(ready.next_ready, front.retry_at);
    } else if (front.full || hurry || now >= front.linger_ends) {
      ready.nodes.insert(place, queue->leader);
    } else {
      ready.next_ready = std::min(ready.next_ready, front.linger_ends);
    }
  }
  const TopicQueues& topic = queues.front().queue->topic;
  if (leader_missing) ready.topics_without_leader.push_back(topic.name());
  UpdateLoads(cluster, queues);
}

void RecordAccumulator::UpdateLoads(const Cluster& cluster, std::span<const Examined> queues) {
  TopicQueues& topic = queues.front().queue->topic;
  if (!config_.adaptive_partitioning || !topic.sticky().in_use()) return;
  const TopicInfo* info = cluster.FindTopic(topic.name());
  // A partition that never had a batch has no queue to be measured, and would never be chosen (PT-13).
  if (info == nullptr || topic.ever_active < info->partition_count()) return;
  PartitionLoads& loads = loads_;
  loads.Clear();
  loads.partition_count = info->partition_count();
  auto next = queues.begin();
  for (const PartitionInfo& partition : info->partitions) {
    next =
        std::find_if(next, queues.end(), [&](const Examined& one) { return one.queue->partition >= partition.index; });
    const bool has_data = next != queues.end() && next->queue->partition == partition.index;
    if (partition.leader == kNoNode || (has_data && IsUnavailable(partition.leader))) continue;
    loads.partitions.push_back(partition.index);
    loads.queue_lengths.push_back(has_data ? next->front.length : 0);
    if (config_.rack.empty()) continue;
    const Node* leader = cluster.FindNode(partition.leader);
    loads.in_rack.push_back(leader != nullptr && leader->rack == config_.rack);
  }
  topic.sticky().UpdateLoads(loads);
  if (topic.loads_pass == 0) topics_with_loads_.push_back(&topic);
  topic.loads_pass = ready_pass_;
}

// A topic without queued batches has queues of equal length, and so has one of which we know too little.
void RecordAccumulator::ForgetStaleLoads() {
  ForgetLoadsIf([this](const TopicQueues& topic) { return topic.loads_pass != ready_pass_; });
}

// The next turn, which would find the queues empty, may be long in coming; the next choice of a partition is not.
void RecordAccumulator::ForgetLoadsOfDrained() {
  ForgetLoadsIf([this](const TopicQueues& topic) {
    return std::ranges::none_of(
        active_, [&](const PartitionQueue* queue) { return &queue->topic == &topic && queue->seen_length > 0; });
  });
}

void RecordAccumulator::ForgetLoadsIf(absl::FunctionRef<bool(const TopicQueues&)> stale) {
  std::erase_if(topics_with_loads_, [&](TopicQueues* topic) {
    if (!stale(*topic)) return false;
    topic->sticky().ForgetLoads();
    topic->loads_pass = 0;
    return true;
  });
}

bool RecordAccumulator::IsUnavailable(NodeId node) const {
  const Duration timeout = config_.partition_availability_timeout;
  if (timeout <= Duration::zero()) return false;
  const auto found = latencies_.find(node);
  return found != latencies_.end() && found->second.had_data - found->second.could_send > timeout;
}

void RecordAccumulator::UpdateNodeLatency(NodeId node, Instant now, bool can_send) {
  if (config_.partition_availability_timeout <= Duration::zero()) return;
  const auto [place, is_new] = latencies_.try_emplace(node, NodeLatency{.had_data = now, .could_send = now});
  place->second.had_data = now;
  if (can_send) place->second.could_send = now;
}

std::vector<NodeBatches> RecordAccumulator::Drain(const std::shared_ptr<const Cluster>& cluster,
                                                  std::span<const NodeId> nodes, std::int64_t max_request_bytes,
                                                  Instant now) {
  std::vector<NodeBatches> drained;
  if (nodes.empty()) return drained;
  TakeActivated();
  LearnLeaders(cluster);
  std::vector<PartitionQueue*> by_leader = active_;
  std::sort(by_leader.begin(), by_leader.end(), [](const PartitionQueue* a, const PartitionQueue* b) {
    return a->leader != b->leader ? a->leader < b->leader : InOrder(a, b);
  });
  for (const NodeId node : nodes) {
    const auto begin =
        std::partition_point(by_leader.begin(), by_leader.end(), [node](auto* queue) { return queue->leader < node; });
    const auto end =
        std::partition_point(begin, by_leader.end(), [node](auto* queue) { return queue->leader == node; });
    NodeBatches batches = DrainNode(node, {begin, end}, max_request_bytes, now);
    if (!batches.batches.empty()) drained.push_back(std::move(batches));
  }
  ForgetLoadsOfDrained();
  return drained;
}

NodeBatches RecordAccumulator::DrainNode(NodeId node, std::span<PartitionQueue* const> queues,
                                         std::int64_t max_request_bytes, Instant now) {
  NodeBatches drained{.node = node, .batches = {}};
  if (queues.empty() || node == kNoNode) return drained;
  const PartitionQueue*& from = drain_from_[node];
  // The partition itself may have nothing to send any more, or another leader: then the next one in order.
  const auto first = from == nullptr ? queues.begin() : std::lower_bound(queues.begin(), queues.end(), from, InOrder);
  const auto start = static_cast<std::size_t>(first - queues.begin());
  std::int64_t size = 0;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    PartitionQueue& queue = *queues[(start + i) % queues.size()];
    ProducerBatch* batch = nullptr;
    const Take take = TakeFront(queue, max_request_bytes - size, drained.batches.empty(), now, batch);
    if (take.kind != Take::Kind::kEmpty) from = &queue;
    drained.left_some |= take.left_some;
    if (take.kind == Take::Kind::kDoesNotFit) break;
    if (take.kind != Take::Kind::kTaken) continue;
    // The encoding, which passes over all bytes for the CRC, is outside the lock (AC-19).
    Encode(*batch);
    batch->MoveTo(BatchState::kInFlight);
    batch->drained_ = std::max(batch->drained_, now);
    size += static_cast<std::int64_t>(batch->bytes().size());
    observer_.OnBatchDrained(batch->View(), node);
    drained.batches.emplace_back(*batch);
  }
  return drained;
}

void RecordAccumulator::Encode(ProducerBatch& batch) {
  if (compressor_.has_value() && !batch.compression_is_over()) {
    batch.queue_->topic.compression().Observe(batch.Compress(*compressor_));
  }
  batch.Encode();
}

RecordAccumulator::Take RecordAccumulator::TakeFront(PartitionQueue& queue, std::int64_t room, bool first, Instant now,
                                                     ProducerBatch*& taken) {
  MutexLock lock(queue.mutex);
  ProducerBatch* front = queue.front;
  if (front == nullptr) return {.kind = Take::Kind::kEmpty};
  front->ObserveLeaderEpoch(queue.leader_epoch);
  // What ends this is an answer, which is an event of its own, or a restart, after which the queue is looked at.
  if (queue.muted || IsHeld(queue, *front)) return {.kind = Take::Kind::kHeldBack};
  if (front->BackingOff(now)) return {.kind = Take::Kind::kHeldBack, .left_some = true};
  // One batch always goes, however large it is (AC-16).
  if (!first && front->size_bytes() > room) return {.kind = Take::Kind::kDoesNotFit, .left_some = true};
  queue.Remove(*front);
  queue.seen_length = queue.length;
  front->Seal();
  if (config_.idempotent) Number(queue, *front);
  taken = front;
  return {.kind = Take::Kind::kTaken, .left_some = queue.front != nullptr && !IsHeld(queue, *queue.front)};
}

void RecordAccumulator::Mute(const ProducerBatch& batch) { batch.queue_->muted = true; }

void RecordAccumulator::Unmute(const ProducerBatch& batch) { batch.queue_->muted = false; }

bool RecordAccumulator::HasUndrained() {
  TakeActivated();
  return std::any_of(active_.begin(), active_.end(), [](PartitionQueue* queue) {
    MutexLock lock(queue->mutex);
    return queue->front != nullptr;
  });
}

}  // namespace ktrial
