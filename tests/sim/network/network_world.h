// A client and two brokers' listeners on one thread, for tests of the simulated network.
#ifndef TESTS_SIM_NETWORK_NETWORK_WORLD_H_
#define TESTS_SIM_NETWORK_NETWORK_WORLD_H_

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/env/transport.h"
#include "sim/sandbox.h"

namespace ktrial::sim {

class NetworkWorld {
 public:
  static constexpr NodeId kOne{1};
  static constexpr NodeId kTwo{2};

  explicit NetworkWorld(const NetworkOptions& network = Quiet(), const KernelOptions& kernel = {});

  // Nothing drawn: no splits, no early returns; 1 ms one way.
  static NetworkOptions Quiet();
  // Runs the body on a thread, with client and brokers ready; the world must end idle.
  void Run(absl::FunctionRef<void()> body);

  Transport& client() { return *client_; }
  Transport& brokers() { return *brokers_; }
  SimNetwork& network() { return sandbox_.network(); }
  Instant Now() { return sandbox_.kernel().Now(); }
  Sandbox& sandbox() { return sandbox_; }
  Address AddressOf(NodeId broker) const;

  struct Pair {
    ConnectionId client;
    ConnectionId broker;
  };
  // Opens and waits until both sides know.
  Pair Connect(NodeId broker = kOne);
  ConnectionId Open(NodeId broker = kOne) { return client().Open(AddressOf(broker), "", {}); }
  // The next event of that kind within `patience`, polling that transport alone; others are kept for later.
  std::optional<TransportEvent> Await(Transport& transport, TransportEvent::Kind kind,
                                      Duration patience = std::chrono::seconds(600));
  // How a connection ends within `patience`, read interest being off: an orderly end is not met so.
  std::optional<EndReason> AwaitEnd(Transport& transport, Duration patience = std::chrono::seconds(600));
  // How this one ends within `patience` for somebody who reads it, if no byte comes before.
  std::optional<EndReason> ReadEnd(Transport& transport, ConnectionId connection,
                                   Duration patience = std::chrono::seconds(600));
  // Sends once; returns how many bytes were taken.
  std::size_t Send(Transport& transport, ConnectionId connection, std::string_view bytes);
  // All that is there now.
  std::string ReceiveNow(Transport& transport, ConnectionId connection);
  // Waits for `size` bytes; fewer at an end or after `patience`.
  std::string Receive(Transport& transport, ConnectionId connection, std::size_t size,
                      Duration patience = std::chrono::seconds(600));
  void Sleep(Duration length);

 private:
  Sandbox sandbox_;
  std::unique_ptr<Transport> client_;
  std::unique_ptr<Transport> brokers_;
  std::vector<TransportEvent> of_client_;  // not awaited yet
  std::vector<TransportEvent> of_brokers_;
};

}  // namespace ktrial::sim

#endif  // TESTS_SIM_NETWORK_NETWORK_WORLD_H_
