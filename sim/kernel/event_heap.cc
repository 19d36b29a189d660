#include "sim/kernel/event_heap.h"

#include <algorithm>

namespace ktrial::sim {

EventHeap::~EventHeap() {
  for (const Key& key : keys_) {
    Slot& pending = slot(key.order);
    pending.act(pending.closure, false);
  }
}

void EventHeap::Grow() {
  const std::size_t first = chunks_.size() * kChunk;
  KT_CHECK_MSG(first + kChunk <= std::size_t{1} << kSlotBits, "too many events are pending");
  chunks_.push_back(std::make_unique<Slot[]>(kChunk));
  // The lowest number is taken first.
  for (std::size_t i = kChunk; i-- > 0;) free_.push_back(static_cast<std::uint32_t>(first + i));
}

void EventHeap::SiftDown(std::size_t index, const Key& key) {
  const std::size_t size = keys_.size();
  for (;;) {
    const std::size_t first = 4 * index + 1;
    if (first >= size) break;
    std::size_t least = first;
    const std::size_t last = std::min(first + 4, size);
    for (std::size_t child = first + 1; child < last; ++child) {
      if (keys_[child] < keys_[least]) least = child;
    }
    if (!(keys_[least] < key)) break;
    Place(index, keys_[least]);
    index = least;
  }
  Place(index, key);
}

void EventHeap::RemoveAt(std::size_t index) {
  const Key last = keys_.back();
  keys_.pop_back();
  if (index == keys_.size()) return;
  // What stood last may belong above the gap or below it.
  if (index > 0 && last < keys_[(index - 1) / 4]) {
    SiftUp(index, last);
  } else {
    SiftDown(index, last);
  }
}

bool EventHeap::Cancel(EventId event) {
  const std::uint64_t index = event.value() & ((std::uint64_t{1} << kSlotBits) - 1);
  if (event == EventId() || index >= chunks_.size() * kChunk) return false;
  Slot& pending = slot(event.value());
  if (pending.order != event.value() || pending.heap_index == kNowhere) return false;
  RemoveAt(pending.heap_index);
  pending.heap_index = kNowhere;
  daemon_count_ -= pending.daemon ? 1 : 0;
  // Before the slot is free: a closure's destructor may push.
  pending.act(pending.closure, false);
  pending.order = 0;
  free_.push_back(static_cast<std::uint32_t>(index));
  return true;
}

void EventHeap::RunNext() {
  const std::uint64_t order = keys_.front().order;
  Slot& due = slot(order);
  RemoveAt(0);
  due.heap_index = kNowhere;
  daemon_count_ -= due.daemon ? 1 : 0;
  // It runs where it stands: slots do not move, and this one is not free until it is done, also if it throws.
  struct Release {
    EventHeap& heap;
    Slot& slot;
    std::uint64_t order;
    ~Release() {
      slot.order = 0;
      heap.free_.push_back(static_cast<std::uint32_t>(order & ((std::uint64_t{1} << kSlotBits) - 1)));
    }
  } release{*this, due, order};
  due.act(due.closure, true);
}

}  // namespace ktrial::sim
