// ScriptedTransport is the network of a test that plays the client's part by hand: it connects, writes bytes, reads
// what the broker sent and looks how a connection ended. Nothing happens but what the test does, and Poll never waits.
#ifndef TESTS_SIM_BROKER_TESTING_SCRIPTED_TRANSPORT_H_
#define TESTS_SIM_BROKER_TESTING_SCRIPTED_TRANSPORT_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/transport.h"

namespace ktrial::sim {

class ScriptedTransport final : public Transport {
 public:
  // --- The client's part ---
  // None if nobody listens there.
  std::optional<ConnectionId> Connect(std::uint16_t port);
  void Write(ConnectionId connection, std::string_view bytes);
  void End(ConnectionId connection, EndReason reason);
  // What the broker has sent since the last call.
  std::string Read(ConnectionId connection);
  // How the broker closed the connection; none while it is open.
  std::optional<CloseKind> closed(ConnectionId connection) const;
  bool reads(ConnectionId connection) const { return connections_.at(connection).read_interest; }
  // Bytes that one Send takes at most, and one connection in all until more room is given.
  void LimitSends(std::size_t bytes) { send_max_ = bytes; }
  void LimitReceives(std::size_t bytes) { receive_max_ = bytes; }
  void SetRoom(ConnectionId connection, std::size_t bytes) { connections_.at(connection).room = bytes; }
  // Whether the next Poll would give events.
  bool HasEvents() const;
  // The port that the next Listen of that address fails for.
  void RefuseListening(bool refuse) { refuse_listening_ = refuse; }
  int wake_ups() const { return wake_ups_; }
  Instant last_deadline() const { return last_deadline_; }

  // --- The broker's part ---
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
  void WakeUp() override { ++wake_ups_; }

 private:
  struct Connection {
    std::string in;   // written by the client, not yet received
    std::string out;  // sent by the broker, not yet read
    std::size_t room = std::numeric_limits<std::size_t>::max();
    bool read_interest = false;
    bool write_interest = false;
    std::optional<EndReason> ended;  // by the client, after `in`
    std::optional<CloseKind> closed;
  };

  static bool EndsNow(const Connection& connection);

  std::map<std::uint16_t, ListenerId> listeners_;
  std::map<ConnectionId, Connection> connections_;
  std::deque<TransportEvent> accepted_;
  std::uint64_t last_id_ = 0;
  std::uint16_t next_port_ = 20000;
  std::size_t send_max_ = std::numeric_limits<std::size_t>::max();
  std::size_t receive_max_ = std::numeric_limits<std::size_t>::max();
  bool refuse_listening_ = false;
  int wake_ups_ = 0;
  Instant last_deadline_;
};

}  // namespace ktrial::sim

#endif  // TESTS_SIM_BROKER_TESTING_SCRIPTED_TRANSPORT_H_
