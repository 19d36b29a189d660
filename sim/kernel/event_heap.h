// EventHeap holds what is to happen at some later moment, in the order (moment, order of scheduling).
//
// A 4-ary heap of 16-byte keys; each event stands in a slot of one cache line that never moves, with room for a closure
// of 40 bytes, so that scheduling allocates nothing (larger closures are boxed). Slots know their place in the heap: an
// event can be cancelled, which keeps deadlines that are rarely reached from piling up.
//
// At most 2^24 events pending, 2^40 in a run. Thread safety: none.
#ifndef SIM_KERNEL_EVENT_HEAP_H_
#define SIM_KERNEL_EVENT_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/env/clock.h"
#include "core/strong_int.h"

namespace ktrial::sim {

// Zero is no event. Never reused within one heap.
using EventId = StrongInt<struct EventIdTag, std::uint64_t>;

class EventHeap {
 public:
  EventHeap() = default;
  // Closures that never ran are destroyed, not run.
  ~EventHeap();
  EventHeap(const EventHeap&) = delete;
  EventHeap& operator=(const EventHeap&) = delete;

  // `daemon` events do not count as work that is left to do.
  template <class Function>
  EventId Push(Instant when, bool daemon, Function&& function);
  // False if it ran, runs right now, or was cancelled before.
  bool Cancel(EventId event);

  bool empty() const { return size() == 0; }
  std::size_t size() const { return keys_.size() - (vacant_ ? 1 : 0); }
  std::size_t work_count() const { return size() - daemon_count_; }
  // Not empty.
  Instant next_moment() const { return Instant::FromNanos(keys_.front().moment); }  // not while an event runs
  EventId next_id() const { return EventId(keys_.front().order); }
  // The how-manieth push it was.
  std::uint64_t next_sequence() const { return keys_.front().order >> kSlotBits; }
  // Takes the first event out and runs it; it may push and cancel. Not empty.
  void RunNext();

 private:
  static constexpr int kSlotBits = 24;
  static constexpr std::uint32_t kNowhere = 0xffffffffU;
  static constexpr std::size_t kChunk = 256;
  static constexpr std::size_t kClosureBytes = 40;

  struct Key {
    std::int64_t moment;
    std::uint64_t order;  // sequence number, then slot
    friend bool operator<(const Key& one, const Key& other) {
      return one.moment != other.moment ? one.moment < other.moment : one.order < other.order;
    }
  };
  struct Slot {
    void (*act)(void* closure, bool run);  // runs if told to, then destroys
    std::uint64_t order = 0;               // 0: free
    bool daemon = false;
    alignas(8) std::byte closure[kClosureBytes];
  };

  template <class Closure>
  static void Act(void* closure, bool run) {
    struct Destroy {
      Closure* closure;
      ~Destroy() { closure->~Closure(); }
    } typed{static_cast<Closure*>(closure)};
    if (run) (*typed.closure)();
  }
  template <class Closure>
  struct Boxed {
    std::unique_ptr<Closure> closure;
    void operator()() { (*closure)(); }
  };

  static std::size_t SlotIndex(std::uint64_t order) { return order & ((std::uint64_t{1} << kSlotBits) - 1); }
  Slot& slot(std::size_t index) { return chunks_[index / kChunk][index % kChunk]; }
  std::uint32_t TakeSlot() {
    if (free_.empty()) [[unlikely]]
      Grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void Place(std::size_t index, const Key& key) {
    keys_[index] = key;
    positions_[SlotIndex(key.order)] = static_cast<std::uint32_t>(index);
  }
  void SiftUp(std::size_t index, const Key& key);
  void SiftDown(std::size_t index, const Key& key);
  void RemoveAt(std::size_t index);
  void CloseVacancy();
  void Grow();

  std::vector<Key> keys_;
  // The root is that of the event that runs, and the next push may take its place: most events schedule one other.
  bool vacant_ = false;
  std::vector<std::uint32_t> positions_;  // by slot: where its key stands, or kNowhere
  std::vector<std::unique_ptr<Slot[]>> chunks_;
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
  std::size_t daemon_count_ = 0;
};

template <class Function>
EventId EventHeap::Push(Instant when, bool daemon, Function&& function) {
  using Closure = std::decay_t<Function>;
  const std::uint32_t index = TakeSlot();
  const std::uint64_t order = ++sequence_ << kSlotBits | index;
  Slot& slot = this->slot(index);
  slot.order = order;
  slot.daemon = daemon;
  daemon_count_ += daemon ? 1 : 0;
  if constexpr (sizeof(Closure) <= kClosureBytes && alignof(Closure) <= 8) {
    new (static_cast<void*>(slot.closure)) Closure(std::forward<Function>(function));
    slot.act = &Act<Closure>;
  } else {
    new (static_cast<void*>(slot.closure)) Boxed<Closure>{std::make_unique<Closure>(std::forward<Function>(function))};
    slot.act = &Act<Boxed<Closure>>;
  }
  const Key key{when.nanos(), order};
  if (vacant_) {
    vacant_ = false;
    SiftDown(0, key);
  } else {
    keys_.emplace_back();
    SiftUp(keys_.size() - 1, key);
  }
  return EventId(order);
}

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_EVENT_HEAP_H_
