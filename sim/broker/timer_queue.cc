#include "sim/broker/timer_queue.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ktrial::sim {
namespace {

// A TimerId is the number of the call in the high bits, so that ids ascend in the order of At, and its slot in the low
// ones.
constexpr int kSlotBits = 24;
constexpr TimerId kSlotMask = (TimerId{1} << kSlotBits) - 1;
// A heap with more cancelled timers than this and than live ones is swept: every acks=all request cancels a timer that
// is half a minute away.
constexpr std::size_t kSweepAbove = 64;

}  // namespace

bool TimerQueue::IsLater(const Entry& left, const Entry& right) {
  return std::pair(left.moment, left.id) > std::pair(right.moment, right.id);
}

TimerId TimerQueue::At(Instant moment, Function function) {
  KT_CHECK(function != nullptr);
  std::uint32_t slot = 0;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    KT_CHECK(slot <= kSlotMask);
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  const TimerId id = ++calls_ << kSlotBits | slot;
  const bool earlier = heap_.empty() || moment < heap_.front().moment;
  slots_[slot] = {.id = id, .function = std::move(function)};
  heap_.push_back({moment, id});
  std::ranges::push_heap(heap_, IsLater);
  if (earlier && on_earlier_) on_earlier_();
  return id;
}

void TimerQueue::Cancel(TimerId id) {
  const std::size_t slot = id & kSlotMask;
  // 0 marks a free slot, and is what callers keep for "no timer".
  if (id == 0 || slot >= slots_.size() || slots_[slot].id != id) return;
  Release(slot);
  ++cancelled_;
  if (cancelled_ > kSweepAbove && cancelled_ > heap_.size() / 2) Sweep();
  DropCancelledFront();
}

void TimerQueue::Release(std::size_t slot) {
  slots_[slot].id = 0;
  slots_[slot].function = nullptr;
  free_.push_back(static_cast<std::uint32_t>(slot));
}

void TimerQueue::Sweep() {
  std::erase_if(heap_, [this](const Entry& entry) { return !IsLive(entry); });
  std::ranges::make_heap(heap_, IsLater);
  cancelled_ = 0;
}

void TimerQueue::DropCancelledFront() {
  while (!heap_.empty() && !IsLive(heap_.front())) {
    std::ranges::pop_heap(heap_, IsLater);
    heap_.pop_back();
    --cancelled_;
  }
}

bool TimerQueue::IsLive(const Entry& entry) const { return slots_[entry.id & kSlotMask].id == entry.id; }

int TimerQueue::RunDue(Instant now) {
  int count = 0;
  while (!heap_.empty() && heap_.front().moment <= now) {
    const Entry entry = heap_.front();
    std::ranges::pop_heap(heap_, IsLater);
    heap_.pop_back();
    const std::size_t slot = entry.id & kSlotMask;
    Function function = std::move(slots_[slot].function);
    Release(slot);
    DropCancelledFront();
    function();
    ++count;
  }
  return count;
}

}  // namespace ktrial::sim
