// SimTransport is a Transport over virtual TCP. Made by SimNetwork::NewTransport.
#ifndef SIM_NETWORK_SIM_TRANSPORT_H_
#define SIM_NETWORK_SIM_TRANSPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/transport.h"
#include "sim/kernel/kernel.h"
#include "sim/network/network_core.h"

namespace ktrial::sim {

class SimTransport final : public Transport {
 public:
  SimTransport(NetworkCore& core, std::uint64_t number, std::string_view entity, std::string_view ip);
  ~SimTransport() override;

  ResolveId Resolve(std::string_view host) override;
  ResolveId ResolveName(std::string_view ip) override;
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) override;
  absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) override;
  void StopListening(ListenerId listener) override;
  IoResult Send(ConnectionId connection, std::span<const ConstBytes> pieces) override;
  IoResult Receive(ConnectionId connection, std::span<char> buffer) override;
  void Interest(ConnectionId connection, bool read, bool write) override;
  void Close(ConnectionId connection, CloseKind kind) override;
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override;
  void WakeUp() override;

  // --- For NetworkCore ---
  std::uint64_t number() const { return number_; }
  // A connection that a listener of this transport accepted; returns the id it has here.
  ConnectionId Accepted(ListenerId listener, const ConnectionRef& connection);
  // An event that is told once.
  void Notify(TransportEvent event);
  // Something about the endpoint may be worth an event.
  void Touch(const ConnectionRef& connection, int side);

 private:
  struct Held {
    ConnectionRef connection;
    int side = kClientSide;
    Endpoint& end() const { return connection->end(side); }
  };

  Held* Find(ConnectionId id);
  // Appends what is to be told now, and drops who has nothing more to tell from the candidates.
  void Collect(std::vector<TransportEvent>& events);
  bool CollectFrom(const Held& held, std::vector<TransportEvent>& events);
  void Drop(ConnectionId id, CloseKind kind);

  NetworkCore& core_;
  Kernel& kernel_;
  const std::uint64_t number_;
  const std::string entity_;
  const std::string ip_;
  std::map<ConnectionId, Held> connections_;
  std::map<ListenerId, Address> listeners_;
  std::vector<ConnectionId> candidates_;
  std::vector<TransportEvent> notices_;
  Fiber* polling_ = nullptr;
  bool woken_ = false;
  std::uint64_t next_connection_ = 1;
  std::uint64_t next_listener_ = 1;
  std::uint64_t next_resolve_ = 1;
  std::uint16_t next_port_ = 40001;
  std::uint16_t next_listener_port_ = 20001;
};

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_SIM_TRANSPORT_H_
