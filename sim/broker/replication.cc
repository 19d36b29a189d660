// How far followers have copied and who waits for it: the part of Cluster between an append and its answer.
//
//   append            copied            known
//     |---- delay/2 ----|---- delay/2 ----|
//   on the leader     on every follower   the leader has heard of it: the high watermark moves, acks=all is answered
//
// An election before `copied` cuts the batch off. One between `copied` and `known` keeps it, although the leader of
// before could not acknowledge it any more.
#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/wire/control_batch.h"
#include "sim/broker/cluster.h"

namespace ktrial::sim {

ProducerState::Verdict Cluster::JudgeProducer(Partition& partition, const LogBatch& batch) {
  if (batch.producer_id == kNoProducerId) return {};
  partition.producers_.ForgetIfIdle(batch.producer_id, clock_.Now(), settings_.producer_id_expiration);
  return partition.producers_.Judge(batch, brokers_.at(partition.state_.leader).release->producers);
}

Cluster::AppendResult Cluster::Append(Partition& partition, LogBatch batch,
                                      std::span<const RecordIdentity> identities) {
  KT_CHECK(partition.state_.leader != kNoNode);
  batch.leader_epoch = partition.state_.epoch;
  batch.appended = clock_.Now();
  batch.base_offset = partition.log_.end_offset();
  batch.record_count = std::max(static_cast<std::int32_t>(identities.size()), 1);
  partition.producers_.Note(batch);
  const Offset base = partition.log_.Append(std::move(batch), identities);
  const Offset needed = partition.log_.end_offset();
  StartReplication(partition, needed);
  return {.base_offset = base, .needed = needed};
}

Cluster::AppendResult Cluster::AppendMarker(Partition& partition, ProducerId id, ProducerEpoch epoch,
                                            BatchKind marker) {
  const std::int64_t now_ms = clock_.WallNow().millis();
  const std::string bytes = wire::EncodeTransactionMarker(
      {.type = marker == BatchKind::kCommitMarker ? wire::MarkerType::kCommit : wire::MarkerType::kAbort,
       .producer_id = id,
       .producer_epoch = epoch,
       .timestamp_ms = now_ms});
  LogBatch batch{.bytes = static_cast<std::int32_t>(bytes.size()),
                 .producer_id = id,
                 .producer_epoch = epoch,
                 .max_timestamp_ms = now_ms,
                 .transactional = true,
                 .kind = marker};
  if (spec_.keep_raw_batches) batch.raw = bytes;
  return Append(partition, std::move(batch), {});
}

void Cluster::StartReplication(Partition& partition, Offset end) {
  if (end <= partition.high_watermark_) return;
  const bool alone = partition.state_.isr.size() == 1;
  const Duration delay = alone ? Duration(0) : spec_.replication_delay.Draw(draws_);
  if (delay == Duration(0) && !partition.held_up_ && partition.pending_.empty()) {
    partition.high_watermark_ = end;
    return;
  }
  Partition::Pending next{.end = end, .copied = Instant::Never(), .known = Instant::Never()};
  if (!partition.held_up_) {
    const Instant now = clock_.Now();
    next.copied = now + delay / 2;
    next.known = now + delay;
    if (!partition.pending_.empty()) {  // followers copy in order
      next.copied = std::max(next.copied, partition.pending_.back().copied);
      next.known = std::max(next.known, partition.pending_.back().known);
    }
  }
  partition.pending_.push_back(next);
  ScheduleReplication(partition);
}

Offset Cluster::CopiedEnd(const Partition& partition) const {
  Offset end = partition.high_watermark_;
  const Instant now = clock_.Now();
  for (const Partition::Pending& pending : partition.pending_) {
    if (pending.copied <= now) end = std::max(end, pending.end);
  }
  return end;
}

void Cluster::ScheduleReplication(Partition& partition) {
  if (partition.replication_timer_ != 0 || partition.pending_.empty()) return;
  const Instant moment = partition.pending_.front().known;
  if (moment == Instant::Never()) return;
  // Partitions go only with their topic, which takes this timer away first.
  partition.replication_timer_ = timers_.At(moment, [this, &partition] {
    partition.replication_timer_ = 0;
    AdvanceReplication(partition);
  });
}

void Cluster::AdvanceReplication(Partition& partition) {
  const Instant now = clock_.Now();
  while (!partition.pending_.empty() && partition.pending_.front().known <= now) {
    partition.high_watermark_ = std::max(partition.high_watermark_, partition.pending_.front().end);
    partition.pending_.pop_front();
  }
  ScheduleReplication(partition);
  SettleWaiters(partition);
}

void Cluster::UpdateHold(Partition& partition) {
  // The leader counts too: nobody copies from one that is gone, even before the controller notices.
  const bool held = std::ranges::any_of(partition.state_.isr, [this](NodeId id) {
    const Broker& broker = brokers_.at(id);
    return !broker.up || broker.paused || broker.fenced;
  });
  if (held == partition.held_up_) {
    // With the last follower gone there is nothing left to wait for.
    if (!held && partition.state_.isr.size() == 1 && !partition.pending_.empty()) Resume(partition, Duration(0));
    return;
  }
  partition.held_up_ = held;
  if (held) {
    timers_.Cancel(std::exchange(partition.replication_timer_, 0));
    const Instant now = clock_.Now();
    for (Partition::Pending& pending : partition.pending_) {
      pending.known = Instant::Never();
      if (pending.copied > now) pending.copied = Instant::Never();
    }
  } else if (!partition.pending_.empty()) {
    const bool alone = partition.state_.isr.size() == 1;
    Resume(partition, alone ? Duration(0) : spec_.replication_delay.Draw(draws_));
  }
}

void Cluster::Resume(Partition& partition, Duration delay) {
  timers_.Cancel(std::exchange(partition.replication_timer_, 0));
  const Instant now = clock_.Now();
  for (Partition::Pending& pending : partition.pending_) {
    pending.copied = std::min(pending.copied, now + delay / 2);
    pending.known = std::min(pending.known, now + delay);
  }
  ScheduleReplication(partition);
}

void Cluster::AwaitReplication(Partition& partition, Offset needed, Instant deadline,
                               absl::AnyInvocable<void(wire::ErrorCode)> done) {
  if (partition.high_watermark_ >= needed) {
    done(EnoughInSync(partition));
    return;
  }
  const std::uint64_t id = ++last_waiter_id_;
  const TimerId timeout = timers_.At(deadline, [&partition, id] {
    const auto waiter = std::ranges::find(partition.waiters_, id, &Partition::Waiter::id);
    KT_CHECK(waiter != partition.waiters_.end());
    auto late = std::move(waiter->done);
    partition.waiters_.erase(waiter);
    late(wire::ErrorCode::kRequestTimedOut);
  });
  // What a duplicate waits for was appended before others that wait already.
  const auto place = std::ranges::upper_bound(partition.waiters_, needed, {}, &Partition::Waiter::needed);
  partition.waiters_.insert(place, {.needed = needed, .id = id, .timeout = timeout, .done = std::move(done)});
}

wire::ErrorCode Cluster::EnoughInSync(const Partition& partition) const {
  const Topic* topic = FindTopic(partition.topic());
  KT_CHECK(topic != nullptr);
  return std::ssize(partition.state_.isr) >= MinInsyncReplicas(*topic) ? wire::ErrorCode::kNone
                                                                       : wire::ErrorCode::kNotEnoughReplicasAfterAppend;
}

void Cluster::SettleWaiters(Partition& partition) {
  // Whoever is told may change the cluster, so nothing is held across a call but the names. `partition` itself may be
  // gone then.
  const std::string topic = partition.topic();
  const PartitionIndex index = partition.index();
  for (Partition* found = &partition; found != nullptr; found = FindPartition(topic, index)) {
    if (found->waiters_.empty() || found->waiters_.front().needed > found->high_watermark_) return;
    Partition::Waiter waiter = std::move(found->waiters_.front());
    found->waiters_.pop_front();
    timers_.Cancel(waiter.timeout);
    waiter.done(EnoughInSync(*found));
  }
}

void Cluster::FailWaiters(Partition& partition, wire::ErrorCode code) {
  // Later, and not from here: the change that fails them is still being made.
  for (Partition::Waiter& waiter : partition.waiters_) {
    timers_.Cancel(waiter.timeout);
    timers_.At(clock_.Now(), [code, done = std::move(waiter.done)]() mutable { done(code); });
  }
  partition.waiters_.clear();
}

}  // namespace ktrial::sim
