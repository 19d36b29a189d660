#include "sim/spec_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/producer/text.h"

namespace ktrial::sim {
namespace {

constexpr std::size_t kShown = 5;  // Names, enough to see what kind they are.

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};
constexpr std::array kUnits = {Unit{"s", 1'000'000'000}, Unit{"ms", 1'000'000}, Unit{"us", 1'000}, Unit{"ns", 1}};

}  // namespace

std::string FormatDuration(Duration duration) {
  const std::int64_t nanos = duration.count();
  const auto unit =
      std::find_if(kUnits.begin(), kUnits.end(), [nanos](const Unit& one) { return nanos % one.nanos == 0; });
  return std::to_string(nanos / unit->nanos) + std::string(unit->name);
}

std::string Suggestion(std::string_view found, std::span<const std::string_view> allowed) {
  const std::size_t limit = found.size() < 5 ? 1 : 2;
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view word : allowed) {
    const std::size_t longer = std::max(word.size(), found.size());
    if (longer - std::min(word.size(), found.size()) > limit) continue;
    const std::size_t distance = EditDistance(found, word);
    if (distance < best_distance) {
      best = word;
      best_distance = distance;
    }
  }
  if (best_distance > limit) return "";
  return " (did you mean \"" + std::string(best) + "\"?)";
}

std::string JoinAllowed(std::span<const std::string_view> words) {
  if (words.empty()) return "none";
  std::string joined;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) joined += i + 1 == words.size() ? " or " : ", ";
    joined += words[i];
  }
  return joined;
}

std::string JoinNames(const std::vector<std::string>& names) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
  std::vector<std::string_view> views(names.begin(), names.begin() + shown);
  if (names.size() > kShown) views.push_back("...");
  return JoinAllowed(views);
}

}  // namespace ktrial::sim
