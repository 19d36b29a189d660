// A Site names one place in the code where a thread may wait or be rescheduled: Site("accumulator.append").
//
// The name is a literal that stands once in the whole tree (checked by tools/tidy). Reports, trace hashes and replay files use
// it and never file:line, which differs between compilers and moves with every edit.
#ifndef CORE_ENV_SITE_H_
#define CORE_ENV_SITE_H_

#include <cstddef>
#include <string_view>

namespace ktrial {

class Site {
 public:
  template <std::size_t N>
  consteval explicit Site(const char (&literal)[N]) : name_(literal), size_(N - 1) {}
  constexpr std::string_view name() const { return {name_, size_}; }

 private:
  const char* name_;
  std::size_t size_;
};

}  // namespace ktrial

#endif  // CORE_ENV_SITE_H_
