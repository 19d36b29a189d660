#include "scenarios/ktrial/progress_line.h"

#include <cstdio>

namespace ktrial::scenario {
namespace {

constexpr std::chrono::milliseconds kBetween{300};

}  // namespace

void ProgressLine::Show(absl::FunctionRef<std::string()> text) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetween) return;
  last_ = now;
  shown_ = true;
  std::fprintf(stderr, "\r\033[K%s", text().c_str());
}

void ProgressLine::Clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace ktrial::scenario
