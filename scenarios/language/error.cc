#include "scenarios/language/error.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace ktrial::scenario {
namespace {

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

}  // namespace ktrial::scenario
