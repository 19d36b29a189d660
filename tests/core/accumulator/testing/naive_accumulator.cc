#include "tests/core/accumulator/testing/naive_accumulator.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

// Length, attributes, time delta, offset delta, null key, length of the value, no headers: a byte each while the numbers are small,
// and two for the lengths from 64 on.
std::int64_t RecordBytes(const std::string& value) {
  const auto size = static_cast<std::int64_t>(value.size());
  KT_CHECK(size < 58 || (size >= 64 && size < 8000));
  return size + (size < 58 ? 7 : 9);
}

std::int64_t BatchBound(const std::string& value) {
  const auto size = static_cast<std::int64_t>(value.size());
  return 61 + 21 + 1 + (size < 64 ? 1 : 2) + size + 1;
}

}  // namespace

std::int64_t NaiveAccumulator::Batch::Bytes() const {
  std::int64_t bytes = 61;
  for (const std::string& value : values) bytes += RecordBytes(value);
  return bytes;
}

NaiveAccumulator::Batch* NaiveAccumulator::Find(int id) {
  const auto found =
      std::find_if(batches_.begin(), batches_.end(), [id](const Batch& batch) { return batch.id == id; });
  KT_CHECK(found != batches_.end());
  return &*found;
}

const NaiveAccumulator::Batch& NaiveAccumulator::Get(int id) const {
  return *const_cast<NaiveAccumulator*>(this)->Find(id);
}

NaiveAccumulator::Batch* NaiveAccumulator::Front(const Partition& partition) {
  const std::vector<int>& queue = queues_[partition];
  return queue.empty() ? nullptr : Find(queue.front());
}

bool NaiveAccumulator::Full(const Batch& batch) const { return batch.closed || batch.Bytes() >= batch.capacity; }

bool NaiveAccumulator::BackingOff(Batch& batch, Instant now) const {
  const auto leader = leaders.find(batch.partition);
  if (leader != leaders.end() && leader->second.epoch > batch.epoch) {
    batch.epoch = leader->second.epoch;
    batch.attempts_at_epoch = batch.attempts;
  }
  return batch.attempts > 0 && batch.attempts != batch.attempts_at_epoch && now < batch.retry_at;
}

void NaiveAccumulator::Append(const Partition& partition, const std::string& value, Instant now) {
  std::vector<int>& queue = queues_[partition];
  if (!queue.empty()) {
    Batch& last = *Find(queue.back());
    if (!last.closed && last.Bytes() + RecordBytes(value) <= last.capacity) {
      last.values.push_back(value);
      return;
    }
    last.closed = true;
  }
  Batch batch;
  batch.id = ++last_id_;
  batch.partition = partition;
  batch.values = {value};
  batch.created = now;
  batch.retry_at = now;
  batch.capacity = std::max<std::int64_t>(options_.batch_size, BatchBound(value));
  batches_.push_back(batch);
  queue.push_back(batch.id);
}

NaiveAccumulator::Ready NaiveAccumulator::GetReady(Instant now) {
  Ready ready;
  for (auto& [partition, queue] : queues_) {
    Batch* front = Front(partition);
    if (front == nullptr) continue;
    const bool backing_off = BackingOff(*front, now);
    const std::int32_t leader = leaders.contains(partition) ? leaders[partition].node : -1;
    if (leader < 0) {
      ready.topics_without_leader.insert(partition.topic);
      continue;
    }
    if (muted.contains(partition) || ready.nodes.contains(leader)) continue;
    const Instant lingered = front->created + options_.linger;
    if (backing_off) {
      ready.next = std::min(ready.next, front->retry_at);
    } else if (queue.size() > 1 || Full(*front) || flushes > 0 || now >= lingered) {
      ready.nodes.insert(leader);
    } else {
      ready.next = std::min(ready.next, lingered);
    }
  }
  return ready;
}

std::vector<int> NaiveAccumulator::Drain(std::int32_t node, std::int64_t max_bytes, Instant now) {
  std::vector<Partition> led;
  for (const auto& [partition, queue] : queues_) {
    if (!queue.empty() && leaders.contains(partition) && leaders[partition].node == node) led.push_back(partition);
  }
  if (drain_from_.contains(node)) {
    const auto start = std::lower_bound(led.begin(), led.end(), drain_from_[node]);
    std::rotate(led.begin(), start, led.end());
  }
  std::vector<int> drained;
  std::int64_t bytes = 0;
  for (const Partition& partition : led) {
    drain_from_[node] = partition;
    Batch& front = *Front(partition);
    if (BackingOff(front, now) || muted.contains(partition)) continue;
    if (!drained.empty() && bytes + front.Bytes() > max_bytes) break;
    front.closed = true;
    front.in_flight = true;
    bytes += front.Bytes();
    queues_[partition].erase(queues_[partition].begin());
    drained.push_back(front.id);
  }
  return drained;
}

std::vector<int> NaiveAccumulator::Expire(Instant now) {
  std::vector<int> expired;
  for (Batch& batch : batches_) {
    if (batch.created + options_.delivery_timeout > now) continue;
    std::vector<int>& queue = queues_[batch.partition];
    queue.erase(std::remove(queue.begin(), queue.end(), batch.id), queue.end());
    batch.closed = true;
    expired.push_back(batch.id);
  }
  return expired;
}

Instant NaiveAccumulator::NextExpiry(Instant now) const {
  Instant next = Instant::Never();
  for (const Batch& batch : batches_) {
    const Instant expiry = batch.created + options_.delivery_timeout;
    if (expiry > now) next = std::min(next, expiry);
  }
  return next;
}

void NaiveAccumulator::Reenqueue(int id, Instant now) {
  Batch& batch = *Find(id);
  batch.in_flight = false;
  Duration backoff = options_.retry_backoff;
  for (int i = 0; i < batch.attempts; ++i) backoff = std::min(backoff * 2, options_.retry_backoff_max);
  ++batch.attempts;
  batch.retry_at = now + backoff;
  std::vector<int>& queue = queues_[batch.partition];
  queue.insert(queue.begin(), id);
}

void NaiveAccumulator::Split(int id) {
  const Batch whole = *Find(id);
  const std::int64_t limit = std::min<std::int64_t>(options_.batch_size, whole.Bytes() / 2);
  std::vector<Batch> parts;
  for (const std::string& value : whole.values) {
    if (parts.empty() || parts.back().Bytes() + RecordBytes(value) > limit) {
      Batch part;
      part.id = ++last_id_;
      part.partition = whole.partition;
      part.created = whole.created;
      part.retry_at = whole.created;
      part.capacity = std::max(limit, BatchBound(value));
      part.charged = false;
      part.closed = true;
      parts.push_back(part);
    }
    parts.back().values.push_back(value);
  }
  std::vector<int> ids;
  for (const Batch& part : parts) ids.push_back(part.id);
  std::vector<int>& queue = queues_[whole.partition];
  queue.insert(queue.begin(), ids.begin(), ids.end());
  const auto place =
      std::find_if(batches_.begin(), batches_.end(), [id](const Batch& batch) { return batch.id == id; });
  batches_.insert(place, parts.begin(), parts.end());
  End(id);
}

void NaiveAccumulator::End(int id) {
  const auto found =
      std::find_if(batches_.begin(), batches_.end(), [id](const Batch& batch) { return batch.id == id; });
  KT_CHECK(found != batches_.end());
  batches_.erase(found);
}

std::int64_t NaiveAccumulator::ChargedBytes() const {
  std::int64_t bytes = 0;
  for (const Batch& batch : batches_) bytes += batch.charged ? batch.capacity : 0;
  return bytes;
}

std::vector<int> NaiveAccumulator::Ids() const {
  std::vector<int> ids;
  for (const Batch& batch : batches_) ids.push_back(batch.id);
  return ids;
}

}  // namespace ktrial
