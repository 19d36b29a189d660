// NetworkCore moves what is on its way in a SimNetwork: SYNs, pieces of data, FINs and RSTs, under the rules in force.
//
// Rules are looked at when something arrives, not when it is sent, so that one that begins in between has its effect.
#ifndef SIM_NETWORK_NETWORK_CORE_H_
#define SIM_NETWORK_NETWORK_CORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "sim/kernel/kernel.h"
#include "sim/network/connection.h"
#include "sim/network/rule_book.h"
#include "sim/network/sim_network.h"

namespace ktrial::sim {

using ConnectionRef = std::shared_ptr<Connection>;

// An address rather than a name. A check of the letters only: the simulated network has no other use for the numbers.
bool IsIpLiteral(std::string_view host);

class NetworkCore {
 public:
  NetworkCore(Kernel& kernel, const NetworkOptions& options);

  // --- For transports ---
  ConnectionRef Open(SimTransport& transport, ConnectionId id, const Address& from, const Address& to,
                     SocketBuffers buffers);
  IoResult Send(const ConnectionRef& connection, int side, std::span<const ConstBytes> pieces);
  IoResult Receive(const ConnectionRef& connection, int side, std::span<char> buffer);
  // Its owner lets go of it.
  void Close(const ConnectionRef& connection, int side, Transport::CloseKind kind);
  // False: somebody listens there already.
  bool Listen(SimTransport& transport, ListenerId id, const Address& address, SocketBuffers buffers);
  bool IsListening(const Address& address) const { return listeners_.contains(address); }
  void StopListening(const Address& address) { listeners_.erase(address); }
  void Resolve(SimTransport& transport, ResolveId id, std::string_view host);
  void ResolveName(SimTransport& transport, ResolveId id, std::string_view ip);
  bool EarlyReturn() { return polls_.OneIn(options_.early_return_one_in); }
  void AddHost(std::string_view ip) { hosts_.emplace(ip); }
  // A transport that is gone: what comes for it is dropped.
  void Remove(SimTransport& transport);

  // --- For SimNetwork ---
  void MapBroker(NodeId broker, const Address& address);
  void SetBrokerLatency(NodeId broker, const Distribution& latency) {
    broker_latency_.insert_or_assign(broker, latency);
  }
  void SetName(std::string_view host, std::vector<std::string> addresses);
  void SetName(std::string_view host, SimNetwork::NameAnswer answer);
  void SetNameOf(std::string_view ip, std::string_view host);
  std::int64_t Disconnect(NodeId broker, DisconnectKind how);
  RuleId Impose(const NetworkRule& rule);
  void Lift(RuleId rule);
  const RuleBook& rules() const { return rules_; }
  const SimNetwork::Counts& counts() const { return counts_; }
  Kernel& kernel() { return kernel_; }
  const NetworkOptions& options() const { return options_; }

 private:
  struct Listener {
    SimTransport* transport = nullptr;
    ListenerId id;
    SocketBuffers buffers;
  };
  struct Name {
    std::vector<std::string> addresses;
    SimNetwork::NameAnswer otherwise = SimNetwork::NameAnswer::kFails;
  };

  NodeId BrokerAt(const Address& address) const;
  Duration Latency(Connection& connection);
  Instant Transmission(Connection& connection, int side, std::size_t size);
  void ArriveSyn(const ConnectionRef& connection);
  void Misroute(Connection& connection);
  void Accept(const ConnectionRef& connection, const Listener& listener);
  void EndMisrouted(RuleId rule);
  void FailOpen(const ConnectionRef& connection, EndReason reason, std::string_view text, Instant when);
  void Enqueue(const ConnectionRef& connection, int side, Piece piece);
  void ScheduleDelivery(const ConnectionRef& connection, int side);
  void Deliver(const ConnectionRef& connection, int side);
  // False: nothing more of this pipe arrives now.
  bool ArrivePiece(const ConnectionRef& connection, int side, const Piece& piece);
  void ArriveReset(Connection& connection, int side);
  void Reset(const ConnectionRef& connection, int side);
  void DropUndelivered(Pipe& pipe);
  void Swallow(Connection& connection);
  void AnswerStray(const ConnectionRef& connection, int side);
  void TellOfRoom(const ConnectionRef& connection, int side);
  void ForgetIfOver(Connection& connection);
  // What it tells the transport, if that is still there after the time that a look-up takes.
  void AnswerLater(SimTransport& transport, absl::AnyInvocable<TransportEvent()> answer);
  TransportEvent AnswerName(ResolveId id, const std::string& host);

  Kernel& kernel_;
  const NetworkOptions options_;
  Trace& trace_;
  Subject subject_;
  Stream polls_;
  Stream resolves_;
  RuleBook rules_;
  SimNetwork::Counts counts_;

  std::set<std::string, std::less<>> hosts_;
  std::map<NodeId, Address> brokers_;
  std::map<NodeId, Distribution> broker_latency_;
  std::map<std::pair<NodeId, int>, Instant> busy_until_;  // of a broker's line, by the side that writes
  std::map<std::string, Name, std::less<>> names_;
  std::map<std::string, std::string, std::less<>> names_of_ips_;
  std::map<Address, Listener> listeners_;
  std::map<std::uint64_t, ConnectionRef> connections_;
  std::uint64_t next_connection_ = 1;
  std::set<std::uint64_t> transports_;  // that live, by SimTransport::number
};

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_NETWORK_CORE_H_
