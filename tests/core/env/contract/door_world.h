// The world under which the contract of the doors is tested. Each test binary links one implementation, so that one set of test
// bodies judges the real doors and the simulated ones alike.
#ifndef TESTS_CORE_ENV_CONTRACT_DOOR_WORLD_H_
#define TESTS_CORE_ENV_CONTRACT_DOOR_WORLD_H_

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/env/env.h"

namespace ktrial {

class DoorWorld {
 public:
  virtual ~DoorWorld() = default;
  // Runs a test body on a thread of the world, to its end.
  virtual void Run(absl::FunctionRef<void(Env&)> body) = 0;
  // Where a transport of this world may listen; port 0.
  virtual Address ListenAddress() = 0;
  // An address that accepts no connection and gives no answer, if the world has one.
  virtual std::optional<Address> SilentAddress() = 0;
};

// Defined once per test binary.
std::unique_ptr<DoorWorld> NewDoorWorld();

// --- Helpers of the test bodies ---

// Polls until an event of that kind arrives (for that connection, if given) or `patience` is over; other events are kept in
// `seen`. Null if it never came.
class EventPump {
 public:
  // `peer` is polled too, its events dropped: for what needs both ends to move.
  EventPump(Env& env, Transport& transport, Transport* peer = nullptr)
      : env_(env), transport_(transport), peer_(peer) {}
  std::optional<TransportEvent> Await(TransportEvent::Kind kind, std::optional<ConnectionId> connection = std::nullopt,
                                      Duration patience = std::chrono::seconds(5));
  // Polls until `patience` is over and returns all that came, with what Await passed over.
  std::vector<TransportEvent> Drain(Duration patience);

 private:
  void PollOnce(Instant deadline);
  Env& env_;
  Transport& transport_;
  Transport* const peer_;
  std::vector<TransportEvent> seen_;
};

// A connected pair on two transports of one world, both ends ready to send.
struct ConnectedPair {
  std::unique_ptr<Transport> client;
  std::unique_ptr<Transport> server;
  Listening listening;
  ConnectionId client_side;
  ConnectionId server_side;
};
ConnectedPair Connect(Env& env, DoorWorld& world, SocketBuffers buffers = {});

// Sends all bytes, waiting for room as often as needed; the peer's transport is not polled. False if the patience ends first.
bool SendAll(Env& env, Transport& transport, ConnectionId connection, std::string_view bytes,
             Duration patience = std::chrono::seconds(5));
// Receives until `size` bytes are there, an end, or the patience is over; returns what came.
std::string ReceiveAll(Env& env, Transport& transport, ConnectionId connection, std::size_t size,
                       Duration patience = std::chrono::seconds(5));

}  // namespace ktrial

#endif  // TESTS_CORE_ENV_CONTRACT_DOOR_WORLD_H_
