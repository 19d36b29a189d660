#include "scenarios/language/error.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace ktrial::scenario {
namespace {

// How many letters must be changed, added, taken away or swapped with their neighbour to make one word of the other.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// Overrides come after the file.
std::tuple<bool, int, int> FileOrder(const Position& position) {
  return {position.line == 0, position.line, position.column};
}

}  // namespace

std::string ToString(const Error& error) {
  if (error.line == 0) return error.origin + ": " + error.text;
  return error.origin + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.text;
}

void Errors::Add(Position position, std::string_view key, std::string_view text) {
  Error error;
  error.text = std::string(key) + ": " + std::string(text);
  if (position.line == 0) {
    error.origin = "--set " + overrides_.at(static_cast<std::size_t>(position.column));
  } else {
    error.origin = file_;
    error.line = position.line;
    error.column = position.column;
  }
  errors_.emplace_back(position, std::move(error));
}

std::vector<Error> Errors::Sorted() const {
  // Of two errors at one place the one that was found first. (std::stable_sort would do, but for clang's word on its
  // library.)
  std::vector<std::size_t> order(errors_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    const auto place_a = FileOrder(errors_[a].first);
    const auto place_b = FileOrder(errors_[b].first);
    return place_a < place_b || (!(place_b < place_a) && a < b);
  });
  std::vector<Error> result;
  for (const std::size_t index : order) {
    const Error& error = errors_[index].second;
    if (std::find(result.begin(), result.end(), error) == result.end()) result.push_back(error);
  }
  return result;
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

}  // namespace ktrial::scenario
