#include "sim/fault/selector.h"

#include <charconv>
#include <optional>

#include "fmt/format.h"

namespace ktrial::sim {
namespace {

// A number with nothing around it, not negative.
std::optional<std::int32_t> ParseIndex(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::string ToString(const BrokerTerm& term) {
  switch (term.kind) {
    case BrokerTerm::Kind::kId:
      return fmt::format("{}", term.id.value());
    case BrokerTerm::Kind::kAll:
      return "*";
    case BrokerTerm::Kind::kAny:
      return "any";
    case BrokerTerm::Kind::kLeader:
      return fmt::format("leader:{}/{}", term.topic, term.partition.value());
    case BrokerTerm::Kind::kFollower:
      return fmt::format("follower:{}/{}", term.topic, term.partition.value());
    case BrokerTerm::Kind::kController:
      return "controller";
  }
  return {};
}

}  // namespace

BrokerSelector BrokerSelector::Leader(std::string topic, std::int32_t partition) {
  return {{BrokerTerm{
      .kind = BrokerTerm::Kind::kLeader, .topic = std::move(topic), .partition = PartitionIndex(partition)}}};
}

absl::StatusOr<BrokerTerm> ParseBrokerTerm(std::string_view text) {
  if (text == "*") return BrokerTerm{.kind = BrokerTerm::Kind::kAll};
  if (text == "any") return BrokerTerm{.kind = BrokerTerm::Kind::kAny};
  if (text == "controller") return BrokerTerm{.kind = BrokerTerm::Kind::kController};
  if (const auto id = ParseIndex(text)) return BrokerTerm{.kind = BrokerTerm::Kind::kId, .id = NodeId(*id)};
  const bool leader = text.starts_with("leader:");
  if (leader || text.starts_with("follower:")) {
    const std::string_view place = text.substr(text.find(':') + 1);
    const std::size_t slash = place.rfind('/');
    const auto partition = slash == std::string_view::npos ? std::nullopt : ParseIndex(place.substr(slash + 1));
    if (partition && slash > 0) {
      return BrokerTerm{.kind = leader ? BrokerTerm::Kind::kLeader : BrokerTerm::Kind::kFollower,
                        .topic = std::string(place.substr(0, slash)),
                        .partition = PartitionIndex(*partition)};
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      R"("{}" is no broker: an id, "*", "any", "controller", "leader:TOPIC/N" or "follower:TOPIC/N")", text));
}

bool MeansOneBroker(const BrokerSelector& selector) {
  return selector.terms.size() == 1 && selector.terms.front().kind != BrokerTerm::Kind::kAll;
}

std::string ToString(const BrokerSelector& selector) {
  std::string text;
  for (const BrokerTerm& term : selector.terms) {
    if (!text.empty()) text += ", ";
    text += ToString(term);
  }
  return text;
}

}  // namespace ktrial::sim
