#include "sim/checker/history.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <new>
#include <utility>

#include "core/check.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {
namespace {

// A block starts at a multiple of this, so an entry's address with the low bits cleared is its block's.
constexpr std::size_t kBlockBytes = 64 * 1024;
// Identities are (stream + 1) in the high part, so that 0 is nobody's.
constexpr int kIndexBits = 40;
constexpr RecordId kIndexMask = (RecordId{1} << kIndexBits) - 1;

}  // namespace

struct RecordStream::Block {
  struct Header {
    RecordStream* stream;
    std::int64_t first;  // Index of entries[0].
  };
  static constexpr std::int64_t kEntries =
      static_cast<std::int64_t>((kBlockBytes - sizeof(Header)) / sizeof(RecordEntry));

  Header header;
  RecordEntry entries[kEntries];

  static Block* Of(const RecordEntry& entry) {
    const auto address = reinterpret_cast<std::uintptr_t>(&entry);
    return reinterpret_cast<Block*>(address & ~(std::uintptr_t{kBlockBytes} - 1));
  }
};

void RecordStream::FreeBlock::operator()(Block* block) const { std::free(block); }

RecordStream::RecordStream(std::size_t index, Info info) : index_(index), info_(std::move(info)) {}

RecordEntry& RecordStream::EntryAt(std::int64_t index) const {
  KT_CHECK(index >= 0 && index < size_);
  return blocks_[static_cast<std::size_t>(index / Block::kEntries)]->entries[index % Block::kEntries];
}

RecordId RecordStream::id(std::int64_t index) const {
  return (RecordId{index_} + 1) << kIndexBits | static_cast<RecordId>(index);
}

RecordEntry& RecordStream::Add() {
  const std::int64_t in_block = size_ % Block::kEntries;
  if (in_block == 0) {
    static_assert(sizeof(Block) <= kBlockBytes);
    void* const memory = std::aligned_alloc(kBlockBytes, kBlockBytes);
    if (memory == nullptr) throw std::bad_alloc();
    // Not zeroed as a whole: each entry is made when it is used, and a stream of one record costs one page.
    blocks_.emplace_back(static_cast<Block*>(memory))->header = {this, size_};
  }
  RecordEntry* const entry = &blocks_.back()->entries[in_block];
  ++size_;
  return *new (entry) RecordEntry();
}

History::~History() = default;

RecordStream& History::OpenStream(RecordStream::Info info) {
  const UncheckedSection unchecked;
  streams_.push_back(std::unique_ptr<RecordStream>(new RecordStream(streams_.size(), std::move(info))));
  return *streams_.back();
}

std::uint16_t History::TopicIndex(std::string_view topic) {
  if (const auto known = FindTopic(topic)) return *known;
  KT_CHECK_MSG(topics_.size() < UINT16_MAX, "more topics than a history can tell apart");
  const auto index = static_cast<std::uint16_t>(topics_.size());
  topics_.emplace_back(topic);
  topic_indices_.emplace(topic, index);
  return index;
}

std::optional<std::uint16_t> History::FindTopic(std::string_view topic) const {
  const auto known = topic_indices_.find(topic);
  if (known == topic_indices_.end()) return std::nullopt;
  return known->second;
}

RecordEntry* History::Call(RecordStream& stream, std::uint16_t topic, Instant scheduled) {
  const UncheckedSection unchecked;
  RecordEntry& entry = stream.Add();
  entry.topic = topic;
  entry.scheduled_nanos = scheduled.nanos();
  ++called_;
  return &entry;
}

void History::Return(RecordEntry& entry, Instant called, Instant now) {
  const UncheckedSection unchecked;
  entry.returned_nanos = now.nanos();
  const std::int64_t micros = (now - called).count() / 1000;
  entry.blocked_micros = static_cast<std::uint32_t>(std::min<std::int64_t>(micros, UINT32_MAX));
}

void History::Complete(RecordEntry& entry, Instant now, const Completion& completion) {
  const UncheckedSection unchecked;
  if (entry.completions < UINT8_MAX) ++entry.completions;
  const std::size_t producer = static_cast<std::size_t>(StreamOf(entry).info().producer);
  // A Send after Close is refused within itself, which is as it should be.
  const bool accepted = completion.state != RecordState::kRefused;
  if (accepted && producer < closed_.size() && closed_[producer]) ++completions_after_close_;
  if (entry.completions > 1) return;
  ++completed_;
  if (completion.state == RecordState::kAcked) ++acked_;
  entry.completed_nanos = now.nanos();
  entry.state = completion.state;
  entry.error = completion.error;
  if (completion.partition.value() >= 0 && completion.partition.value() < RecordEntry::kNoPartition) {
    entry.partition = static_cast<std::uint16_t>(completion.partition.value());
  }
  if (completion.offset.value() >= 0 && completion.offset.value() < RecordEntry::kNoOffset) {
    entry.offset = static_cast<std::uint32_t>(completion.offset.value());
  }
}

RecordStream& History::StreamOf(const RecordEntry& entry) { return *RecordStream::Block::Of(entry)->header.stream; }

RecordId History::IdOf(const RecordEntry& entry) {
  const RecordStream::Block* const block = RecordStream::Block::Of(entry);
  return block->header.stream->id(block->header.first + (&entry - block->entries));
}

History::Position History::Locate(RecordId id) const {
  const RecordId stream = (id >> kIndexBits) - 1;  // Of 0: larger than any.
  if (stream >= streams_.size()) return {};
  const auto index = static_cast<std::int64_t>(id & kIndexMask);
  return index < streams_[stream]->size() ? Position{stream, index} : Position{};
}

const RecordEntry* History::Find(RecordId id) const {
  const Position position = Locate(id);
  return position.index < 0 ? nullptr : &streams_[position.stream]->at(position.index);
}

std::size_t History::TransactionBegun(std::int32_t producer, Instant now) {
  const UncheckedSection unchecked;
  TransactionEntry& entry = transactions_.emplace_back();
  entry.producer = producer;
  entry.begun = entry.ended = now;
  for (const auto& stream : streams_) entry.records.push_back({.first = stream->size()});
  return transactions_.size() - 1;
}

void History::TransactionOffsets(std::size_t transaction, std::vector<GroupOffset> offsets) {
  const UncheckedSection unchecked;
  std::vector<GroupOffset>& all = transactions_[transaction].offsets;
  std::ranges::move(offsets, std::back_inserter(all));
}

void History::TransactionEnding(std::size_t transaction) {
  const UncheckedSection unchecked;
  TransactionEntry& entry = transactions_[transaction];
  if (std::exchange(entry.ending, true)) return;
  entry.records.resize(streams_.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const RecordStream& stream = *streams_[i];
    const bool sending = stream.size() > 0 && stream.at(stream.size() - 1).returned_nanos == 0;
    entry.records[i].end = stream.size() - (sending ? 1 : 0);
  }
}

void History::TransactionEnded(std::size_t transaction, TransactionOutcome outcome, Instant now) {
  transactions_[transaction].outcome = outcome;
  transactions_[transaction].ended = now;
}

void History::ForEachRecord(const TransactionEntry& transaction,
                            absl::FunctionRef<void(const RecordStream& stream, std::int64_t index)> function) const {
  for (const auto& stream : streams_) {
    if (stream->info().producer != transaction.producer) continue;
    const bool known = stream->index() < transaction.records.size();
    const auto range = known ? transaction.records[stream->index()] : TransactionEntry::Range{};
    for (std::int64_t i = range.first; i < std::min(range.end, stream->size()); ++i) function(*stream, i);
  }
}

void History::ProducerClosed(std::int32_t producer) {
  const UncheckedSection unchecked;
  const auto index = static_cast<std::size_t>(producer);
  if (closed_.size() <= index) closed_.resize(index + 1);
  closed_[index] = true;
}

}  // namespace ktrial::sim
