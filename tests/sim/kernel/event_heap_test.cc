// The event heap against a model that is slow and obviously right: a list that is searched for its least element.
#include "sim/kernel/event_heap.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"

namespace ktrial::sim {
namespace {

struct Expected {
  std::int64_t moment = 0;
  int number = 0;
  EventId event;
  bool daemon = false;
};

RC_GTEST_PROP(EventHeapTest, RunsInOrderWhateverIsPushedAndCancelled, ()) {
  EventHeap heap;
  std::vector<Expected> model;
  std::vector<int> ran;
  int number = 0;
  // 0, 1: push; 2: run the first; 3: cancel any.
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint8_t, std::uint16_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint8_t>(0, 4), rc::gen::arbitrary<std::uint16_t>()));
  for (const auto& [action, value] : steps) {
    if (action <= 1) {
      Expected pushed{.moment = value % 64, .number = number++, .daemon = value % 3 == 0};
      pushed.event = heap.Push(Instant::FromNanos(pushed.moment), pushed.daemon,
                               [&ran, mine = pushed.number] { ran.push_back(mine); });
      model.push_back(pushed);
    } else if (!model.empty() && action == 2) {
      const auto first = std::min_element(model.begin(), model.end(), [](const Expected& one, const Expected& other) {
        return std::pair(one.moment, one.number) < std::pair(other.moment, other.number);
      });
      RC_ASSERT(heap.next_moment().nanos() == first->moment);
      RC_ASSERT(heap.next_id() == first->event);
      heap.RunNext();
      RC_ASSERT(ran.back() == first->number);
      RC_ASSERT(!heap.Cancel(first->event));
      model.erase(first);
    } else if (!model.empty()) {
      const auto chosen = model.begin() + value % static_cast<std::ptrdiff_t>(model.size());
      RC_ASSERT(heap.Cancel(chosen->event));
      RC_ASSERT(!heap.Cancel(chosen->event));
      model.erase(chosen);
    }
    RC_ASSERT(heap.size() == model.size());
    RC_ASSERT(heap.work_count() ==
              static_cast<std::size_t>(
                  std::count_if(model.begin(), model.end(), [](const Expected& event) { return !event.daemon; })));
  }
}

TEST(EventHeapTest, ClosuresOfAnySizeRunAndAreDestroyed) {
  const auto counted = std::make_shared<int>(0);
  {
    EventHeap heap;
    const std::array<char, 500> large = {'l'};
    heap.Push(Instant::FromNanos(1), false, [counted] { ++*counted; });
    heap.Push(Instant::FromNanos(2), false, [counted, large] { *counted += large[0]; });
    heap.Push(Instant::FromNanos(3), false, [counted, large] { *counted += large[0]; });
    const EventId cancelled = heap.Push(Instant::FromNanos(4), false, [counted] { ++*counted; });
    EXPECT_EQ(counted.use_count(), 5);
    heap.RunNext();
    heap.RunNext();
    EXPECT_TRUE(heap.Cancel(cancelled));
    EXPECT_EQ(*counted, 1 + 'l');
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(counted.use_count(), 1) << "what is left is destroyed with the heap";
}

TEST(EventHeapTest, AnEventMayPushAndCancelWhileItRuns) {
  EventHeap heap;
  std::vector<int> ran;
  EventId self;
  const EventId other = heap.Push(Instant::FromNanos(5), false, [&] { ran.push_back(5); });
  self = heap.Push(Instant::FromNanos(1), false, [&] {
    EXPECT_FALSE(heap.Cancel(self));
    EXPECT_TRUE(heap.Cancel(other));
    for (int i = 0; i < 1000; ++i) heap.Push(Instant::FromNanos(2), false, [&, i] { ran.push_back(i); });
  });
  while (!heap.empty()) heap.RunNext();
  ASSERT_EQ(ran.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
}

}  // namespace
}  // namespace ktrial::sim
