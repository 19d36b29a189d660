// ServedNetwork is what stands between the brokers of a scenario and a real network: a Transport that passes everything
// on to a real one, and does to the connections of a broker what the faults of the scenario say.
//
// What a program can do to its own side of a socket is less than what a network can do:
//   refuse_connect     exact: the port is closed
//   disconnect         exact: RST or FIN
//   network_partition  bytes are held, in one direction or both, and pass on when it is over. A new connection is accepted by
//                      the operating system and held then
//   drop_connect       as a partition, for connections that are new: the client sees them open and hears nothing
//   blackhole          bytes of the broker's connections vanish for good; connections stay
//   misroute           connections are handed to the other broker; those that it meets are reset, as when it ends
//   latency            what a client sends reaches the broker later by twice the added time, once for both ways
//
// Threads: as for a Transport, the loop of the brokers' host alone, WakeUp excepted. NetworkControl too is for that
// thread.
#ifndef SCENARIOS_SERVE_SERVED_NETWORK_H_
#define SCENARIOS_SERVE_SERVED_NETWORK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "sim/kernel/draws.h"
#include "sim/network/network_control.h"
#include "sim/network/rule_book.h"

namespace ktrial::sim {
class BrokerHost;
}  // namespace ktrial::sim

namespace ktrial::scenario {

class ServedNetwork : public Transport, public sim::NetworkControl {
 public:
  // `real` and `clock` outlive this. `draws` are for latencies. Listen is called for the brokers in ascending order of
  // their ids, as BrokerHost does; `brokers` are these.
  ServedNetwork(Transport& real, const Clock& clock, std::vector<NodeId> brokers, sim::Stream draws);
  // The host that this serves; before the first rule. Outlives the rules.
  void Attach(sim::BrokerHost& host) { host_ = &host; }

  // --- Transport ---
  ResolveId Resolve(std::string_view host) override { return real_.Resolve(host); }
  ResolveId ResolveName(std::string_view ip) override { return real_.ResolveName(ip); }
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) override {
    return real_.Open(address, host, buffers);
  }
  absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) override;
  void StopListening(ListenerId listener) override { real_.StopListening(listener); }
  IoResult Send(ConnectionId connection, std::span<const ConstBytes> pieces) override;
  IoResult Receive(ConnectionId connection, std::span<char> buffer) override;
  void Interest(ConnectionId connection, bool read, bool write) override;
  void Close(ConnectionId connection, CloseKind kind) override;
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override;
  void WakeUp() override { real_.WakeUp(); }

  // --- NetworkControl ---
  std::int64_t Disconnect(NodeId broker, sim::DisconnectKind how) override;
  sim::RuleId Impose(const sim::NetworkRule& rule) override;
  void Lift(sim::RuleId rule) override;
  std::int64_t Touched(sim::RuleId rule) const override { return rules_.Touched(rule); }
  bool Passes(NodeId from, NodeId to) const override { return rules_.Passes(from, to); }

 private:
  struct Connection {
    NodeId broker;
    bool wants_read = false;  // as the host has asked for
    bool wants_write = false;
    bool vanished = false;                  // its bytes go nowhere any more
    std::optional<sim::RuleId> dropped_by;  // the drop_connect that met it
    std::optional<sim::RuleId> misrouted_by;
    bool late = false;    // bytes have come and wait for `ready`
    bool passed = false;  // they have waited
    Instant ready;
  };

  bool HoldsInput(const Connection& connection) const;
  bool HoldsOutput(const Connection& connection) const;
  void Apply(ConnectionId id, const Connection& connection);
  void ApplyAll();
  // Names another listener if the connection is misrouted.
  void Accepted(TransportEvent& event);
  // False if the host must not see the event now.
  bool Admit(TransportEvent& event);
  void EndMisrouted(sim::RuleId rule);
  Instant NextReady() const;

  Transport& real_;
  const Clock& clock_;
  const std::vector<NodeId> brokers_;
  sim::Stream draws_;
  sim::BrokerHost* host_ = nullptr;
  std::map<std::uint16_t, NodeId> ports_;
  std::map<ListenerId, NodeId> listeners_;
  std::map<ConnectionId, Connection> connections_;
  sim::RuleBook rules_;
  std::vector<TransportEvent> scratch_;
  std::vector<ConnectionId> reset_;  // by us; the host does not know it yet
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_SERVE_SERVED_NETWORK_H_
