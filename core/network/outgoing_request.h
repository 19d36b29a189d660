// OutgoingRequest is one request on its way through a NetworkClient, and everything that its bytes refer to.
//
// The life of a request:
//   1. Encode       once, when a version was chosen for the node that it goes to
//   2. on the wire  the client writes the pieces of the frame from where they are, without copying them
//   3. ParseResponse  at most once, when an answer came
//   4. OnComplete   exactly once, at the end of a poll (NC-17); not at all if the client forgets the node or closes (NC-28)
//   5. destroyed    when no byte of it can be written any more
// Memory that Encode puts into the frame by reference must stay as it is until 5: whoever shares a batch buffer with
// the request gets it back only then (BP-15, D-7).
//
// Thread safety: all functions are called on the sender thread.
#ifndef CORE_NETWORK_OUTGOING_REQUEST_H_
#define CORE_NETWORK_OUTGOING_REQUEST_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/api_key.h"

namespace ktrial::wire {
class GatherBytes;
}  // namespace ktrial::wire

namespace ktrial {

// How a request ended.
struct RequestOutcome {
  enum class Kind : std::uint8_t {
    kAnswered,      // ParseResponse has accepted the answer.
    kWritten,       // No answer is expected, and the last byte was handed to the connection (NC-45).
    kDisconnected,  // The connection ended first, or its answers made no sense. The request may have been carried out.
    kTimedOut,      // As kDisconnected: the connection was closed because a request on it was too old (NC-22).
    kUnsupportedVersion,  // The node does not know the API or no version that we speak; nothing was written (NC-42).
  };
  Kind kind = Kind::kAnswered;
  NodeId node;
  std::int16_t version = -1;
  std::int32_t correlation_id = -1;
  Instant created;  // When it was given to Send.
  Instant ended;    // When the answer came, or the end was noticed.
};

class OutgoingRequest {
 public:
  virtual ~OutgoingRequest() = default;

  virtual wire::ApiKey api() const = 0;
  // The versions that would do; the client takes the newest that the node knows too (NC-41).
  virtual wire::VersionRange versions() const = 0;
  // Makes `frame` the whole message, sealed: length, header and body (wire::EncodeRequestFrame). `client_id` is the
  // client's.
  virtual void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                      wire::GatherBytes& frame) = 0;
  // False for acks=0: the request completes with kWritten.
  virtual bool expects_response() const { return true; }
  // How long an answer may take, counted from Send (NC-21); nullopt for the client's default.
  virtual std::optional<Duration> timeout() const { return std::nullopt; }

  // Decodes the answer and keeps what OnComplete will need. `body` starts after the response header and lives for the
  // call. Returns the throttle time it found (zero if none); the client knows which versions oblige it to honour that
  // (NC-43). An error means that the peer's bytes make no sense: the connection is closed and this request ends as
  // kDisconnected.
  virtual absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) = 0;

  // May call the client (Send, Ready, Disconnect), never its Poll.
  virtual void OnComplete(const RequestOutcome& outcome) = 0;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_OUTGOING_REQUEST_H_
