// NetworkControl is what a fault can do to the network, in terms of brokers. SimNetwork does it to virtual TCP; brokers
// that are served on real ports do it to their sockets.
//
// Two kinds of interference: an instant one (Disconnect), and a rule that is in force until it is lifted. Rules add up;
// each counts what it has touched (an open, a connection, a piece of data), because a fault that touched nothing has
// had no effect.
#ifndef SIM_NETWORK_NETWORK_CONTROL_H_
#define SIM_NETWORK_NETWORK_CONTROL_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/strong_int.h"
#include "core/types.h"
#include "sim/kernel/draws.h"

namespace ktrial::sim {

// Stands for all clients in a rule.
inline constexpr NodeId kClients{-1'000'000'001};

using RuleId = StrongInt<struct RuleIdTag, std::uint64_t>;

struct NetworkRule {
  enum class Kind : std::uint8_t {
    kRefuseConnect,  // opens to `nodes` are refused. Connections stay
    kDropConnect,    // the SYN of an open is lost: it never answers (until the OS gives up, after about two minutes)
    kBlackhole,  // opens succeed and bytes vanish, both ways; a connection that lost bytes stays dead after the rule
    kAcceptThenClose,  // opens succeed and are closed at once (FIN)
    kInstantConnect,   // opens succeed without any delay
    kPartition,        // bytes and SYNs between `nodes` and `others` are held, and pass when the rule is lifted
    kLatency,          // `added` on top, each way
    kBandwidth,        // at most `bytes_per_second`, each way, all connections of a broker together
    kUnreachable,      // opens end as unreachable. Connections stay
    kMisroute,  // the address of `nodes` is that of the first of `others`: opens reach it, and whoever is connected
                // when the rule begins, or through it when it is lifted, is reset
  };
  Kind kind = Kind::kRefuseConnect;
  std::vector<NodeId> nodes;   // brokers
  std::vector<NodeId> others;  // kPartition: brokers or kClients; kMisroute: a broker
  bool one_way = false;        // kPartition: only what goes from `nodes` to `others`
  Distribution added;
  std::int64_t bytes_per_second = 0;
};
std::string_view NetworkRuleName(NetworkRule::Kind kind);  // "refuse_connect", ...

enum class DisconnectKind : std::uint8_t {
  kReset,  // RST to both ends; what was under way is lost
  kEnd,    // FIN to both ends, after what was sent
};

// Thread safety: none. In simulation called from events, daemon threads and from outside a run.
class NetworkControl {
 public:
  virtual ~NetworkControl() = default;
  // Ends every connection of the broker. Returns how many there were.
  virtual std::int64_t Disconnect(NodeId broker, DisconnectKind how) = 0;
  virtual RuleId Impose(const NetworkRule& rule) = 0;
  // Ids that are not in force are ignored.
  virtual void Lift(RuleId rule) = 0;
  // Opens, connections and pieces of data that the rule changed so far. Stays readable after Lift.
  virtual std::int64_t Touched(RuleId rule) const = 0;
  // Whether bytes pass from one broker to another (or kClients) now.
  virtual bool Passes(NodeId from, NodeId to) const = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_NETWORK_CONTROL_H_
