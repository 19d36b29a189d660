#include "sim/network/network_control.h"

#include "core/check.h"

namespace ktrial::sim {

std::string_view NetworkRuleName(NetworkRule::Kind kind) {
  switch (kind) {
    case NetworkRule::Kind::kRefuseConnect:
      return "refuse_connect";
    case NetworkRule::Kind::kDropConnect:
      return "drop_connect";
    case NetworkRule::Kind::kBlackhole:
      return "blackhole";
    case NetworkRule::Kind::kAcceptThenClose:
      return "accept_then_close";
    case NetworkRule::Kind::kInstantConnect:
      return "instant_connect";
    case NetworkRule::Kind::kPartition:
      return "network_partition";
    case NetworkRule::Kind::kLatency:
      return "latency";
    case NetworkRule::Kind::kBandwidth:
      return "bandwidth";
    case NetworkRule::Kind::kUnreachable:
      return "unreachable";
    case NetworkRule::Kind::kMisroute:
      return "misroute";
  }
  KT_CHECK(!"a kind outside the enumeration");
}

}  // namespace ktrial::sim
