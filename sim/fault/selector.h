// Selectors say which brokers, topics or partitions a fault means, in the words of the scenario language. They are
// parsed once and resolved each time the fault fires, because "leader:orders/0" is another broker after every move.
//
//   brokers      2   "2"   "*"   "any"   "leader:orders/0"   "follower:orders/0"   "controller"
//   topics       "orders"   "*"   "any"
//   partitions   0   "0"   "*"   "any"
//
// "any" is one, drawn; "*" is all. "follower:t/p" is one replica that does not lead, drawn. A selector may hold several
// terms; it then means their union, each broker once, in ascending order. Resolving may give nothing (no leader just
// now).
#ifndef SIM_FAULT_SELECTOR_H_
#define SIM_FAULT_SELECTOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/types.h"

namespace ktrial::sim {

struct BrokerTerm {
  enum class Kind : std::uint8_t { kId, kAll, kAny, kLeader, kFollower, kController };
  Kind kind = Kind::kAll;
  NodeId id = {};          // kId
  std::string topic = {};  // kLeader, kFollower
  PartitionIndex partition = {};
  friend bool operator==(const BrokerTerm&, const BrokerTerm&) = default;
};

struct BrokerSelector {
  std::vector<BrokerTerm> terms = {};  // Empty: matches nothing.

  static BrokerSelector All() { return {{BrokerTerm{.kind = BrokerTerm::Kind::kAll}}}; }
  static BrokerSelector Any() { return {{BrokerTerm{.kind = BrokerTerm::Kind::kAny}}}; }
  static BrokerSelector Id(std::int32_t id) { return {{BrokerTerm{.kind = BrokerTerm::Kind::kId, .id = NodeId(id)}}}; }
  static BrokerSelector Leader(std::string topic, std::int32_t partition);
  friend bool operator==(const BrokerSelector&, const BrokerSelector&) = default;
};

// Names, with "*" and "any" as above. A topic may itself be called "any" only in brokers that we do not write for.
struct TopicSelector {
  std::vector<std::string> terms = {};
  static TopicSelector All() { return {{"*"}}; }
  static TopicSelector Name(std::string name) { return {{std::move(name)}}; }
};

struct PartitionSelector {
  enum class Kind : std::uint8_t { kList, kAll, kAny };
  Kind kind = Kind::kAll;
  std::vector<PartitionIndex> list = {};
  static PartitionSelector All() { return {Kind::kAll, {}}; }
  static PartitionSelector Any() { return {Kind::kAny, {}}; }
  static PartitionSelector Index(std::int32_t index) { return {Kind::kList, {PartitionIndex(index)}}; }
};

// One term in the words above. INVALID_ARGUMENT says what is allowed.
absl::StatusOr<BrokerTerm> ParseBrokerTerm(std::string_view text);

// Whether it can never mean several.
bool MeansOneBroker(const BrokerSelector& selector);

// As a scenario would say it: "leader:orders/0", "1, 2". For messages.
std::string ToString(const BrokerSelector& selector);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_SELECTOR_H_
