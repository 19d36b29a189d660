// Transport is a set of non-blocking byte streams with one place to wait for all of them, and the name resolver that goes with
// it. Production stands on epoll, the simulator on virtual TCP.
//
// The contract is as loose as real sockets are, and the simulator uses every freedom in it:
//   - Send may take one byte, fewer pieces than given, or nothing. The caller offers the rest again from the same memory.
//     "Taken" means buffered, not delivered.
//   - Receive may split the stream anywhere. Bytes that arrived before an end are delivered before the end is reported, except
//     that a reset may lose them.
//   - An Open may never answer. A Resolve may never answer.
//   - A ConnectionId is never reused. After Close no event for that id appears, even if one was pending.
//   - Poll may return early and without events. It returns at once while a filter above the socket (TLS) holds undelivered bytes.
//
// Thread safety: only the thread that owns the Transport calls it, WakeUp excepted, which any thread may call.
// No operation blocks but Poll. Never raises SIGPIPE.
#ifndef CORE_ENV_TRANSPORT_H_
#define CORE_ENV_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/env/site.h"
#include "core/strong_int.h"

namespace ktrial {

using ConnectionId = StrongInt<struct ConnectionIdTag, std::uint64_t>;
using ListenerId = StrongInt<struct ListenerIdTag, std::uint64_t>;
using ResolveId = StrongInt<struct ResolveIdTag, std::uint64_t>;

// Where a stream ends: an IP address as a literal ("127.0.0.1", "::1") and a TCP port.
struct Address {
  std::string ip;
  std::uint16_t port = 0;
  friend auto operator<=>(const Address&, const Address&) = default;
};

// "10.0.0.2:9092", "[::1]:9092": for people.
std::string AddressText(const Address& address);

// Why a connection is over.
enum class EndReason : std::uint8_t {
  kRefused,      // The peer answered the open with a reset.
  kUnreachable,  // The network, or the operating system's own connect timeout, says so.
  kReset,        // The peer, or something between, broke an open connection. Undelivered bytes may be lost.
  kEnd,          // The peer closed in good order; everything it sent was delivered first.
  kLocal,        // Our side could not go on: no descriptors, no memory, a bad address.
  kHandshake,    // A filter above the socket refused; the event's text says why.
};
std::string_view EndReasonName(EndReason reason);

struct TransportEvent {
  enum class Kind : std::uint8_t {
    kResolved,    // resolve, addresses (at least one)
    kNamed,       // resolve, text: the name of an address
    kUnresolved,  // resolve, text: why; of both kinds of look-ups
    kOpened,      // connection: an Open succeeded
    kAccepted,    // connection, listener: a new incoming connection
    kReadable,    // connection: Receive has something to say. Level-triggered while read interest is on
    kWritable,    // connection: Send may take bytes again. Level-triggered while write interest is on
    kEnded,       // connection, reason, text: nothing more comes. The id is dead; Close on it does nothing
  };
  Kind kind = Kind::kReadable;
  EndReason reason = EndReason::kEnd;
  ConnectionId connection;
  ListenerId listener;
  ResolveId resolve;
  std::vector<std::string> addresses;  // IP literals, in an order that may change from one answer to the next.
  std::string text;
};

// A piece of memory to send. The memory stays the caller's and must not change while it is being offered.
using ConstBytes = std::string_view;

struct IoResult {
  enum class Kind : std::uint8_t {
    kBytes,       // `count` > 0 bytes were moved
    kWouldBlock,  // not now: ask for an event by Interest
    kEnded,       // the connection is over (or the id unknown); kEnded follows as an event if it was not reported yet
  };
  Kind kind = Kind::kWouldBlock;
  std::size_t count = 0;
};

// Sizes of the kernel's buffers; -1 leaves the system's default (send.buffer.bytes, receive.buffer.bytes).
struct SocketBuffers {
  std::int32_t send_bytes = -1;
  std::int32_t receive_bytes = -1;
};

struct Listening {
  ListenerId id;
  Address address;  // With the port that was chosen where 0 was asked for.
};

class Transport {
 public:
  virtual ~Transport() = default;

  // Starts to look up a host name; the answer is an event. IP literals and "localhost" are answered too, without a name server.
  virtual ResolveId Resolve(std::string_view host) = 0;
  // Starts to look up the name of an address, an IP literal; the answer is kNamed or kUnresolved. Whoever runs the address says what
  // its name is: look that up in turn before you believe it.
  virtual ResolveId ResolveName(std::string_view ip) = 0;

  // Starts to connect. `host` is the name that was resolved, for filters that verify it. The id is valid at once; failure to even
  // start is a kEnded event. Until kOpened, Send and Receive answer kWouldBlock.
  virtual ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) = 0;

  // Accepts connections on an address: each is a kAccepted event, with read interest off. For hosts of brokers only.
  virtual absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) = 0;
  // Stops accepting. Connections that were accepted stay. Later opens by peers are refused.
  virtual void StopListening(ListenerId listener) = 0;

  // Offers the pieces in order. The result counts bytes over all pieces; it may end inside any of them.
  virtual IoResult Send(ConnectionId connection, std::span<const ConstBytes> pieces) = 0;
  // Fills the front of `buffer`.
  virtual IoResult Receive(ConnectionId connection, std::span<char> buffer) = 0;
  // Which level-triggered events are wanted. Both are off after Open and accept. kOpened needs no interest, nor does kEnded, but
  // for one case: an orderly end is met by reading. Until then the way back is open, and what is sent may still arrive.
  virtual void Interest(ConnectionId connection, bool read, bool write) = 0;

  enum class CloseKind : std::uint8_t {
    kGraceful,  // what Send took still goes out, then FIN (or RST, if unread bytes are dropped)
    kReset,     // RST
  };
  // Idempotent; unknown ids are ignored.
  virtual void Close(ConnectionId connection, CloseKind kind = CloseKind::kGraceful) = 0;

  // Waits for events until the deadline and appends them to `events`. Resolution is a microsecond, rounded up: it does not return
  // before the deadline unless there is an event, a WakeUp, or no reason at all (an early return is legal, and rare).
  // A deadline in the past looks once and does not wait.
  virtual void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) = 0;

  // Makes the running Poll, or else the next one, return at once. Sticky and coalescing. Any thread.
  virtual void WakeUp() = 0;
};

}  // namespace ktrial

#endif  // CORE_ENV_TRANSPORT_H_
