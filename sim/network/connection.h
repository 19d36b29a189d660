// The state of one virtual TCP connection: two endpoints, and a pipe for each direction. Data without behaviour:
// NetworkCore moves it, SimTransport shows it.
#ifndef SIM_NETWORK_CONNECTION_H_
#define SIM_NETWORK_CONNECTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/event_heap.h"
#include "sim/network/network_control.h"

namespace ktrial::sim {

class SimTransport;

// Something on its way. Pieces of a pipe arrive in order.
struct Piece {
  enum class Kind : std::uint8_t { kSynAck, kData, kFin, kReset };
  Kind kind = Kind::kData;
  Instant due;
  std::uint64_t end = 0;  // kData: the position in the stream behind its last byte
};

// One direction. Positions count the bytes of the stream: read <= arrived <= sent.
struct Pipe {
  std::string bytes;  // from `read` on, behind `head` bytes that were read already
  std::size_t head = 0;
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;
  std::uint64_t read = 0;
  std::uint64_t acked = 0;    // what the sender knows of `read`
  std::int64_t capacity = 0;  // of both buffers: sent - acked at most
  bool full = false;          // the sender was turned away; it learns of room after the way back
  bool update_pending = false;

  std::deque<Piece> pieces;
  Instant last_due;
  EventId delivery;       // of the first piece
  bool cut = false;       // what is sent from now on goes nowhere, and the sender does not know yet
  bool reset = false;     // an RST was sent
  bool finished = false;  // its FIN has arrived: nothing follows, while the other pipe may go on
  bool held = false;      // by a partition

  std::uint64_t unread() const { return arrived - read; }
  std::int64_t room() const { return capacity - static_cast<std::int64_t>(sent - acked); }
};

struct Endpoint {
  SimTransport* transport = nullptr;  // null: nobody is there, and nobody closed it
  ConnectionId id;
  Subject subject = Subject::kNone;
  bool alive = false;        // its owner may use the id
  bool established = false;  // the handshake is over
  bool opened = false;       // and its owner was told: it may send and receive
  bool wants_read = false;
  bool wants_write = false;
  bool listed = false;           // among the transport's candidates for events
  std::optional<EndReason> end;  // known here, not reported yet. kEnd: only once Receive has met the end of the stream
  std::string_view end_text;     // a literal
  bool end_met = false;          // Send or Receive said that it is over
};

inline constexpr int kClientSide = 0;
inline constexpr int kServerSide = 1;

struct Connection {
  Connection(std::uint64_t number_in, Address from, Address to, NodeId broker_in, Stream stream_in)
      : number(number_in), client(std::move(from)), server(std::move(to)), broker(broker_in), stream(stream_in) {}

  const std::uint64_t number;
  const Address client;
  Address server;  // It and the broker change if the open is misrouted.
  NodeId broker;   // kNoNode: the server is no broker
  Stream stream;
  std::array<Endpoint, 2> ends;  // by side
  std::array<Pipe, 2> pipes;     // by the side that writes
  bool instant = false;          // its handshake takes no time
  bool syn_held = false;
  bool syn_resent = false;  // It was held, and is on its way again.
  std::optional<RuleId> misrouted_by;
  bool swallowed = false;  // a blackhole took bytes of it: nothing arrives any more, for good
  EventId connect_timer;
  SocketBuffers client_buffers;

  Pipe& out(int side) { return pipes[static_cast<std::size_t>(side)]; }
  Pipe& in(int side) { return pipes[static_cast<std::size_t>(1 - side)]; }
  Endpoint& end(int side) { return ends[static_cast<std::size_t>(side)]; }
  NodeId node(int side) const;
};

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_CONNECTION_H_
