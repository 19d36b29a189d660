// The yardstick of the simulator's figures: the least that an event loop can be. Machines differ by a factor of 2.5 from day to day,
// so rates are demanded relative to this loop, measured in the same run.
#ifndef BENCH_SIMULATOR_BARE_LOOP_H_
#define BENCH_SIMULATOR_BARE_LOOP_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmark/benchmark.h"

namespace ktrial::bench {

// What the loop does on the machine on which the demands were set.
inline constexpr double kBareLoopThere = 25e6;

inline constexpr int kActors = 100;

// The next wait of an actor, in nanoseconds: up to about a millisecond.
inline std::uint64_t NextWait(std::uint64_t& state) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return 1 + (state >> 44);
}

// The least that an event loop can be: a 4-ary heap of 16-byte keys, and a function pointer for each of 100 actors.
class BareLoop {
 public:
  struct Key {
    std::int64_t time;
    std::uint64_t order;
    bool operator<(const Key& other) const { return time != other.time ? time < other.time : order < other.order; }
  };
  struct Actor {
    void (*act)(BareLoop& loop, Actor& self, std::uint64_t index);
    std::uint64_t state;
  };

  BareLoop() {
    for (std::uint64_t i = 0; i < kActors; ++i) {
      actors_[i] = {.act = &Act, .state = i};
      Push(0, i);
    }
  }
  void Step() {
    const Key first = heap_.front();
    Pop();
    now_ = first.time;
    Actor& actor = actors_[first.order % kActors];
    actor.act(*this, actor, first.order % kActors);
  }

 private:
  static void Act(BareLoop& loop, Actor& self, std::uint64_t index) {
    loop.Push(loop.now_ + static_cast<std::int64_t>(NextWait(self.state)), index);
  }
  void Push(std::int64_t time, std::uint64_t actor) {
    const Key key{time, ++sequence_ * kActors + actor};
    heap_.emplace_back();
    std::size_t index = heap_.size() - 1;
    while (index > 0 && key < heap_[(index - 1) / 4]) {
      heap_[index] = heap_[(index - 1) / 4];
      index = (index - 1) / 4;
    }
    heap_[index] = key;
  }
  void Pop() {
    const Key last = heap_.back();
    heap_.pop_back();
    std::size_t index = 0;
    for (;;) {
      const std::size_t first = 4 * index + 1;
      if (first >= heap_.size()) break;
      std::size_t least = first;
      for (std::size_t child = first + 1; child < std::min(first + 4, heap_.size()); ++child) {
        if (heap_[child] < heap_[least]) least = child;
      }
      if (!(heap_[least] < last)) break;
      heap_[index] = heap_[least];
      index = least;
    }
    if (!heap_.empty()) heap_[index] = last;
  }

  std::vector<Key> heap_;
  std::array<Actor, kActors> actors_;
  std::uint64_t sequence_ = 0;
  std::int64_t now_ = 0;
};

inline void BM_BareLoop(benchmark::State& state) {
  BareLoop loop;
  for (auto _ : state) {
    for (int i = 0; i < 1000; ++i) loop.Step();
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}

}  // namespace ktrial::bench

#endif  // BENCH_SIMULATOR_BARE_LOOP_H_
