// StrongInt makes a domain number a type of its own, so that a partition cannot be passed where a node is expected.
//
// It compares, orders and prints by value; arithmetic is spelled out with value(), because for most of these numbers only
// one or two operations make sense. Trivially copyable, as cheap as the integer.
#ifndef CORE_STRONG_INT_H_
#define CORE_STRONG_INT_H_

#include <compare>
#include <cstdint>
#include <functional>

namespace ktrial {

template <class Tag, class Integer>
class StrongInt {
 public:
  using ValueType = Integer;

  constexpr StrongInt() = default;
  constexpr explicit StrongInt(Integer value) : value_(value) {}
  constexpr Integer value() const { return value_; }
  friend constexpr auto operator<=>(StrongInt, StrongInt) = default;

 private:
  Integer value_ = 0;
};

}  // namespace ktrial

template <class Tag, class Integer>
struct std::hash<ktrial::StrongInt<Tag, Integer>> {
  std::size_t operator()(ktrial::StrongInt<Tag, Integer> number) const { return std::hash<Integer>()(number.value()); }
};

#endif  // CORE_STRONG_INT_H_
