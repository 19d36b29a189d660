#include "sim/fault/fault_spec.h"

#include <array>

#include "core/check.h"

namespace ktrial::sim {
namespace {

constexpr std::array<std::string_view, 4> kPhaseNames = {"received", "before_append", "after_append",
                                                         "before_response"};

// In the order of FaultAction's alternatives.
constexpr std::array<std::string_view, 19> kKindNames = {"move_leader",
                                                         "no_leader",
                                                         "crash",
                                                         "disconnect",
                                                         "refuse_connect",
                                                         "drop_connect",
                                                         "blackhole",
                                                         "network_partition",
                                                         "latency",
                                                         "misroute",
                                                         "downgrade_api",
                                                         "pause_broker",
                                                         "error",
                                                         "drop_response",
                                                         "stall_thread",
                                                         "delete_topic",
                                                         "create_topic",
                                                         "lose_acked_append",
                                                         "swap_acked_appends"};
static_assert(kKindNames.size() == std::variant_size_v<FaultAction>);

}  // namespace

std::span<const std::string_view> FaultPhaseNames() { return kPhaseNames; }

bool IsAboutPartitions(const ErrorAnswer& fault) {
  const bool all_topics = fault.topic.terms.size() == 1 && fault.topic.terms.front() == "*";
  return !all_topics || fault.partition.kind != PartitionSelector::Kind::kAll;
}

std::string_view FaultKindName(const FaultAction& action) {
  KT_CHECK(action.index() < kKindNames.size());
  return kKindNames[action.index()];
}

std::vector<std::string> ReleasesIn(std::span<const FaultSpec> faults) {
  std::vector<std::string> releases;
  for (const FaultSpec& fault : faults) {
    const auto* downgrade = std::get_if<DowngradeApi>(&fault.action);
    if (downgrade != nullptr) releases.push_back(downgrade->version);
  }
  return releases;
}

}  // namespace ktrial::sim
