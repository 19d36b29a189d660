// Stream is a source of random integers; Distribution turns them into lengths of time.
//
// A draw is a function of (seed, entity, purpose, n): there is no shared generator, so a new draw in one part of the
// simulator leaves all others as they were, and removing a fault leaves the rest of the run alone. Integers and integer
// tables only: no libm, no std::*_distribution, whose results differ between libraries.
//
// Never draw inside an argument list: the order of evaluation differs between compilers.
#ifndef SIM_KERNEL_DRAWS_H_
#define SIM_KERNEL_DRAWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

// The n-th number of the stream `key`.
constexpr std::uint64_t DrawAt(std::uint64_t key, std::uint64_t n) {
  std::uint64_t z = key + (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

// The key of (seed, entity, purpose).
std::uint64_t StreamKey(std::uint64_t seed, std::string_view entity, std::string_view purpose);

// Each draw is noted in the trace. A copy repeats the draws that the original has yet to make: move it or keep one.
class Stream {
 public:
  // `trace` outlives the stream.
  Stream(std::uint64_t seed, std::string_view entity, std::string_view purpose, Trace& trace);

  std::uint64_t Next() {
    UncheckedSection unchecked;
    const std::uint64_t value = DrawAt(key_, position_);
    trace_->Note(TraceKind::kDraw, subject_, position_, value);
    ++position_;
    return value;
  }
  // In [0, bound); bound > 0.
  std::uint64_t Below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(Next()) * bound) >> 64);
  }
  // In [low, high], both included; low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high);
  Duration Between(Duration low, Duration high) { return Duration(Between(low.count(), high.count())); }
  // True once in `one_in` draws on average; 0: never, and nothing is drawn.
  bool OneIn(std::uint32_t one_in) { return one_in != 0 && Below(one_in) == 0; }

 private:
  std::uint64_t key_;
  std::uint64_t position_ = 0;
  Subject subject_;
  Trace* trace_;
};

// How long something takes. A value: copy it freely.
class Distribution {
 public:
  // Always zero.
  constexpr Distribution() = default;
  static constexpr Distribution Constant(Duration value) { return Distribution(Kind::kConstant, value, value); }
  // low <= high, both included.
  static constexpr Distribution Uniform(Duration low, Duration high) { return Distribution(Kind::kUniform, low, high); }
  // Mean >= 0; at most about 44 times the mean.
  static constexpr Distribution Exponential(Duration mean) { return Distribution(Kind::kExponential, mean, mean); }
  // Half of the draws are below `median`, 99 of 100 below `p99`. 0 < median <= p99.
  static constexpr Distribution LogNormal(Duration median, Duration p99) {
    return Distribution(Kind::kLogNormal, median, p99);
  }

  // Never negative, if WhyInvalid() has nothing to say. Constants draw nothing.
  Duration Draw(Stream& stream) const;
  // What is wrong with its numbers, and what is allowed; nothing if it can be drawn from.
  std::optional<std::string> WhyInvalid() const;
  bool is_zero() const { return kind_ == Kind::kConstant && one_ == Duration::zero(); }
  // For estimates: the smallest length that is drawn, or, where any may be, the median or the mean.
  Duration low() const { return one_; }
  friend constexpr bool operator==(const Distribution&, const Distribution&) = default;

 private:
  enum class Kind : std::uint8_t { kConstant, kUniform, kExponential, kLogNormal };
  constexpr Distribution(Kind kind, Duration one, Duration other) : kind_(kind), one_(one), other_(other) {}

  Kind kind_ = Kind::kConstant;
  Duration one_{};
  Duration other_{};
};

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_DRAWS_H_
