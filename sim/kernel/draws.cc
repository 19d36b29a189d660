#include "sim/kernel/draws.h"

#include <bit>
#include <limits>
#include <string>

#include "core/check.h"
#include "sim/kernel/draw_tables.h"
#include "sim/spec_text.h"

namespace ktrial::sim {
namespace {

__extension__ using Wide = __int128;

// Fixed point: 32 binary digits after the point.
constexpr int kFraction = 32;
constexpr std::int64_t kOne = std::int64_t{1} << kFraction;
constexpr std::int64_t kLn2 = 2977044472;           // ln 2
constexpr std::int64_t kQuantileOf99 = 9991588038;  // where the normal distribution's upper tail holds 1 of 100

// Between two entries of a table: `part` of 2^32 of the way.
constexpr std::int64_t Between(std::int64_t low, std::int64_t high, std::uint64_t part) {
  return low + static_cast<std::int64_t>((static_cast<Wide>(high - low) * static_cast<Wide>(part)) >> kFraction);
}

// log2(x), x > 0.
std::int64_t Log2(std::uint64_t x) {
  const int zeros = std::countl_zero(x);
  const std::uint64_t mantissa = (x << zeros) << 1;  // without its leading one
  const std::size_t index = mantissa >> 56;
  const std::uint64_t part = (mantissa << 8) >> 32;
  return (63 - zeros) * kOne +
         Between(static_cast<std::int64_t>(kLog2[index]), static_cast<std::int64_t>(kLog2[index + 1]), part);
}

// value * 2^exponent, saturating; value >= 0.
std::int64_t TimesExp2(std::int64_t value, std::int64_t exponent) {
  const std::int64_t whole = exponent >> kFraction;
  const auto fraction = static_cast<std::uint64_t>(exponent & (kOne - 1));
  const std::size_t index = fraction >> 24;
  const std::int64_t factor = kOne + Between(static_cast<std::int64_t>(kExp2[index]),
                                             static_cast<std::int64_t>(kExp2[index + 1]), (fraction << 40) >> 32);
  if (whole >= 62) return value == 0 ? 0 : std::numeric_limits<std::int64_t>::max();
  if (whole <= -94) return 0;
  const Wide product = static_cast<Wide>(value) * factor;  // below 2^96
  const int shift = kFraction - static_cast<int>(whole);
  const Wide result = shift >= 0 ? product >> shift : product << -shift;
  return result > std::numeric_limits<std::int64_t>::max() ? std::numeric_limits<std::int64_t>::max()
                                                           : static_cast<std::int64_t>(result);
}

// A draw from the standard normal distribution: one bit of sign; the rest says how much of that half's tail lies
// beyond. The table has 8 entries for each halving of the tail, so that it is as exact far out as in the middle.
std::int64_t Normal(std::uint64_t draw) {
  const bool negative = (draw >> 63) != 0;
  const std::uint64_t tail = draw << 1 | 1;
  constexpr int kRows = static_cast<int>(kNormalQuantile.size()) / 8;
  const int row = std::countl_zero(tail);
  if (row >= kRows - 1) return negative ? -kNormalQuantile[8 * (kRows - 1)] : kNormalQuantile[8 * (kRows - 1)];
  const std::uint64_t mantissa = (tail << row) << 1;
  const std::size_t column = mantissa >> 61;
  const std::uint64_t part = (mantissa << 3) >> 32;
  const std::size_t index = static_cast<std::size_t>(row) * 8 + column;
  // Rows go outwards and columns inwards: after a row's last column comes the first of the row before, or the middle.
  const std::int64_t next = column < 7 ? kNormalQuantile[index + 1] : row == 0 ? 0 : kNormalQuantile[(row - 1) * 8];
  const std::int64_t quantile = Between(kNormalQuantile[index], next, part);
  return negative ? -quantile : quantile;
}

}  // namespace

std::uint64_t StreamKey(std::uint64_t seed, std::string_view entity, std::string_view purpose) {
  // The hashes are mixed one after the other, so that ("ab", "c") and ("a", "bc") differ.
  return DrawAt(DrawAt(DrawAt(seed, 0) ^ TraceHash(entity), 1) ^ TraceHash(purpose), 2);
}

Stream::Stream(std::uint64_t seed, std::string_view entity, std::string_view purpose, Trace& trace)
    : key_(StreamKey(seed, entity, purpose)),
      subject_(trace.AddSubject(std::string(entity).append("/").append(purpose))),
      trace_(&trace) {}

std::int64_t Stream::Between(std::int64_t low, std::int64_t high) {
  KT_CHECK(low <= high);
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t above = width == std::numeric_limits<std::uint64_t>::max() ? Next() : Below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + above);
}

Duration Distribution::Draw(Stream& stream) const {
  switch (kind_) {
    case Kind::kConstant:
      return one_;
    case Kind::kUniform:
      return stream.Between(one_, other_);
    case Kind::kExponential: {
      const std::int64_t halvings = 64 * kOne - Log2(stream.Next() | 1);
      const Wide times = (static_cast<Wide>(halvings) * kLn2) >> kFraction;
      const Wide result = (times * one_.count()) >> kFraction;
      return Duration(result > Duration::max().count() ? Duration::max().count() : static_cast<std::int64_t>(result));
    }
    case Kind::kLogNormal: {
      const auto median = static_cast<std::uint64_t>(one_.count());
      const auto p99 = static_cast<std::uint64_t>(other_.count());
      const std::int64_t spread = Log2(p99) - Log2(median);
      const Wide exponent = static_cast<Wide>(Normal(stream.Next())) * spread / kQuantileOf99;
      return Duration(TimesExp2(one_.count(), static_cast<std::int64_t>(exponent)));
    }
  }
  KT_CHECK(!"a kind outside the enumeration");
}

std::optional<std::string> Distribution::WhyInvalid() const {
  const std::string one = FormatDuration(one_);
  const std::string other = FormatDuration(other_);
  switch (kind_) {
    case Kind::kConstant:
      if (one_ >= Duration::zero()) return std::nullopt;
      return one + ", allowed: 0s or more";
    case Kind::kUniform:
      if (Duration::zero() <= one_ && one_ <= other_) return std::nullopt;
      return "uniform from " + one + " to " + other + ", allowed: 0s <= low <= high";
    case Kind::kExponential:
      if (one_ >= Duration::zero()) return std::nullopt;
      return "exponential with a mean of " + one + ", allowed: 0s or more";
    case Kind::kLogNormal:
      if (Duration::zero() < one_ && one_ <= other_) return std::nullopt;
      return "lognormal with a median of " + one + " and a p99 of " + other + ", allowed: 0s < median <= p99";
  }
  KT_CHECK(!"a kind outside the enumeration");
}

}  // namespace ktrial::sim
