#include "core/accumulator/record_accumulator.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

absl::Status ClosedError() { return absl::CancelledError("the producer was closed"); }

bool NoneHalfFilled(std::int32_t queue_length, bool last_is_full) { return queue_length == 0 || last_is_full; }

}  // namespace

RecordAccumulator::RecordAccumulator(const AccumulatorConfig& config, Threads& threads, const Clock& clock,
                                     Entropy& entropy, ClusterSource cluster_source, ProducerObserver& observer)
    : config_(config),
      threads_(threads),
      clock_(clock),
      entropy_(entropy),
      cluster_source_(std::move(cluster_source)),
      observer_(observer),
      retry_backoff_(config.retry_backoff, config.retry_backoff_max),
      pool_(
          {.total_bytes = config.buffer_memory, .poolable_bytes = std::max(config.batch_size, 1), .heap = config.heap},
          threads, clock, observer),
      registry_(threads, clock, *this),
      topics_({.bytes = std::max(config.batch_size, 1), .rack = config.rack}, threads, entropy),
      flushes_(threads, Site("accumulator.flushes"), 0),
      closed_(threads, Site("accumulator.closed"), false) {
  if (config.codec != Codec::kNone) compressor_.emplace(config.codec, config.compression_level);
}

RecordAccumulator::~RecordAccumulator() = default;

// One result, filled in where the caller will find it: copying it right after its flags were written stalls for ten cycles.
absl::StatusOr<AppendResult> RecordAccumulator::Append(TopicQueues& topic, const NewRecord& record) {
  absl::StatusOr<AppendResult> result = AppendResult();
  if (closed_.LoadRelaxed()) [[unlikely]] {
    result = ClosedError();
    return result;
  }
  if (record.partition != kUnknownPartition) [[likely]] {
    PartitionQueue& queue = topic.Queue(record.partition);
    MutexLock lock(queue.mutex);
    if (AppendToLast(queue, record, *result)) [[likely]]
      return result;
  }
  AppendInSteps(topic, record, result);
  return result;
}

void RecordAccumulator::Describe(PartitionQueue& queue, ProducerBatch& batch, const NewRecord& record,
                                 AppendResult& result) {
  if (record.want_result) result.result = batch.ShareResult();
  result.index = batch.record_count() - 1;
  result.partition = queue.partition;
  result.batch_full = batch.full();
}

bool RecordAccumulator::AppendToLast(PartitionQueue& queue, const NewRecord& record, AppendResult& result) {
  ProducerBatch* last = queue.back;
  if (last == nullptr || !last->filling()) return false;
  if (!last->TryAppend(record.timestamp, record.key, record.value, record.headers, record.callback) &&
      !(Grow(*last, record) &&
        last->TryAppend(record.timestamp, record.key, record.value, record.headers, record.callback))) {
    last->Seal();  // Even if a smaller record would fit: the batch counts as full from now on (AC-02).
    return false;
  }
  Describe(queue, *last, record, result);
  return true;
}

// Without waiting, as the queue is locked: where there is no memory to grow, the batch is full. What it has then comes back when it
// was sent, and the record waits in line for a new one.
bool RecordAccumulator::Grow(ProducerBatch& batch, const NewRecord& record) {
  const std::int64_t size = batch.BufferToGrowInto(record.key, record.value, record.headers);
  if (size == 0) return false;
  PoolBuffer buffer = pool_.TryAllocate(size);
  if (buffer.memory == nullptr) return false;
  pool_.Deallocate(batch.GrowInto(std::move(buffer)));
  return true;
}

bool RecordAccumulator::AppendToNew(PartitionQueue& queue, const NewRecord& record, PoolBuffer& buffer,
                                    AppendResult& result) {
  ProducerBatch* batch = registry_.Admit(queue, buffer);
  if (batch == nullptr) return false;
  if (config_.incremental_allocation) batch->MayGrowTo(GatheringBytes(queue.topic));
  if (config_.codec != Codec::kNone) {
    batch->ExpectCompression(std::max(config_.batch_size, 1), queue.topic.compression().ratio());
  }
  const bool appended = batch->TryAppend(record.timestamp, record.key, record.value, record.headers, record.callback);
  KT_CHECK(appended);  // The buffer was made to measure.
  if (config_.batch_size == 0) batch->Seal();
  queue.PushBack(*batch);
  observer_.OnBatchCreated(batch->View());
  Describe(queue, *batch, record, result);
  result.new_batch = true;
  result.batch_full |= queue.length > 1;
  return true;
}

// Records are gathered as they are and compressed when the batch is drained. For a full batch of batch.size then, it takes a
// larger buffer before; all of it counts as used memory. Doubled sizes, so that the allocator meets few different ones; and no
// batch may take more than an eighth of all memory for that.
std::int64_t RecordAccumulator::GatheringBytes(TopicQueues& topic) const {
  std::int64_t size = config_.batch_size;
  if (config_.codec == Codec::kNone || size == 0) return size;
  constexpr int kDoublingsMax = 4;
  const std::int64_t ratio = topic.compression().ratio();
  for (int i = 0; i < kDoublingsMax && CompressionEstimate::Compressed(size, ratio) < config_.batch_size; ++i) {
    if (2 * size > config_.buffer_memory / 8) break;
    size *= 2;
  }
  return size;
}

absl::StatusOr<PoolBuffer> RecordAccumulator::AllocateFor(TopicQueues& topic, const NewRecord& record) {
  const auto bound = static_cast<std::int64_t>(wire::RecordBatchUpperBound(record.key, record.value, record.headers));
  constexpr std::int64_t kFirstBytes = 1024;
  const std::int64_t full = GatheringBytes(topic);
  const std::int64_t size = std::max(config_.incremental_allocation ? std::min(full, kFirstBytes) : full, bound);
  if (size <= config_.buffer_memory) {
    PoolBuffer buffer = pool_.TryAllocate(size);
    if (buffer.memory != nullptr) return buffer;
    if (!record.may_block) {
      return absl::FailedPreconditionError("buffer.memory is exhausted, and this thread must not wait for it");
    }
  }
  return pool_.Allocate(size, clock_.Now() + record.max_block);
}

// The way of a record that does not go straight to the last batch of a known partition: memory is fetched without a lock, and what was
// true before is looked at again under it. A buffer that turns out not to be needed goes back.
void RecordAccumulator::AppendInSteps(TopicQueues& topic, const NewRecord& record,
                                      absl::StatusOr<AppendResult>& result) {
  const bool choose = record.partition == kUnknownPartition;
  PoolBuffer buffer;
  while (true) {
    const StickyPartitioner::Choice choice =
        choose ? Choose(topic) : StickyPartitioner::Choice{.partition = record.partition};
    if (choice.partition == kUnknownPartition) {
      result = wire::KafkaError(wire::ErrorCode::kUnknownTopicOrPartition,
                                "there is no partition to choose in " + topic.name());
      break;
    }
    PartitionQueue& queue = topic.Queue(choice.partition);
    {
      MutexLock lock(queue.mutex);
      // Another thread may have moved on to the next partition, or it is time to do so ourselves (PT-09, PT-10).
      if (choose && !ChoiceHolds(topic, queue, choice)) continue;
      const std::int64_t before = queue.back != nullptr && queue.back->filling() ? queue.back->size_bytes() : 0;
      bool appended = AppendToLast(queue, record, *result);
      const bool needs_batch = !appended;
      if (needs_batch && buffer.memory != nullptr) {
        appended = AppendToNew(queue, record, buffer, *result);
        if (!appended) {
          result = ClosedError();
          break;
        }
      }
      if (appended) {
        if (choose) CountProduced(topic, queue, queue.back->size_bytes() - (needs_batch ? 0 : before));
        break;
      }
    }
    absl::StatusOr<PoolBuffer> allocated = AllocateFor(topic, record);
    if (!allocated.ok()) {
      result = allocated.status();
      break;
    }
    buffer = *std::move(allocated);
  }
  pool_.Deallocate(std::move(buffer));
}

StickyPartitioner::Choice RecordAccumulator::Choose(TopicQueues& topic) {
  const StickyPartitioner::Choice choice = topic.sticky().Current();
  if (choice.partition != kUnknownPartition) [[likely]]
    return choice;
  return topic.sticky().Start(*cluster_source_(), topic.name());
}

bool RecordAccumulator::ChoiceHolds(TopicQueues& topic, PartitionQueue& queue, StickyPartitioner::Choice choice) {
  StickyPartitioner& sticky = topic.sticky();
  if (!sticky.IsCurrent(choice)) return false;
  // A move that was put off until the batch is full is made here, by whoever comes next.
  if (NoneHalfFilled(queue.length, queue.back == nullptr || queue.back->full()) && sticky.Produced(0, true)) {
    sticky.Switch(*cluster_source_(), topic.name());
    return sticky.IsCurrent(choice);
  }
  return true;
}

void RecordAccumulator::CountProduced(TopicQueues& topic, PartitionQueue& queue, std::int64_t bytes) {
  StickyPartitioner& sticky = topic.sticky();
  const bool may_switch = NoneHalfFilled(queue.length, queue.back == nullptr || queue.back->full());
  if (sticky.Produced(bytes, may_switch)) sticky.Switch(*cluster_source_(), topic.name());
}

void RecordAccumulator::Close() {
  closed_.Store(true);
  registry_.Close();
  pool_.Close();
}

bool RecordAccumulator::HasIncomplete() const { return registry_.HasIncomplete(); }

RecordAccumulator::Flush::Flush(RecordAccumulator& accumulator) : accumulator_(accumulator) {
  accumulator_.flushes_.FetchAdd(1);
}

RecordAccumulator::Flush::~Flush() { accumulator_.flushes_.FetchAdd(-1); }

bool RecordAccumulator::Flush::Await(Instant deadline) {
  std::vector<BatchResultRef> results = accumulator_.registry_.Results();
  for (BatchResultRef& result : results) {
    if (!result->AwaitAll(deadline)) return false;
    result = BatchResultRef();  // What is done need not wait for the slowest.
  }
  return true;
}

}  // namespace ktrial
