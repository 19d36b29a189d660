// ConnectionStates is what the client knows about its connection to each node: the state, how long to stay away after
// failures, how long a setup may take, which of the host's addresses comes next, and until when the node wants to be
// left alone. It owns no connection and no clock; every answer is a function of (state, now). Backoffs and setup times
// are drawn once, at the transition.
//
//   (unknown), kDisconnected, kAuthenticationFailed -> kConnecting        Connecting: resolve, open, handshake
//   kConnecting -> kCheckingVersions                                      the ApiVersions request was queued (NC-08)
//   kCheckingVersions -> kReady                                           its answer came
//   kConnecting -> kReady                                                 versions are not asked for
//   any but (unknown) -> kDisconnected, kAuthenticationFailed             backs off
//   any -> (unknown)                                                      Remove: no backoff (NC-28)
//
// Rules: NC-01 to NC-11, NC-43, NC-44.
#ifndef CORE_NETWORK_CONNECTION_STATES_H_
#define CORE_NETWORK_CONNECTION_STATES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/exponential_backoff.h"
#include "core/types.h"

namespace ktrial {

enum class ConnectionState : std::uint8_t {
  kDisconnected,
  kConnecting,
  kCheckingVersions,
  kReady,
  kAuthenticationFailed,
};

// Thread safety: none; one thread.
class ConnectionStates {
 public:
  // `reconnect` by the number of disconnects since the node was last ready (NC-04, NC-06), `setup` by the number of
  // setups in a row that failed (NC-07). `entropy` outlives this.
  ConnectionStates(ExponentialBackoff reconnect, ExponentialBackoff setup, Entropy& entropy)
      : reconnect_(reconnect), setup_(setup), entropy_(entropy) {}

  // --- Questions. Of a node without a record: disconnected, never tried. ---
  ConnectionState StateOf(NodeId id) const;
  // kConnecting or kCheckingVersions.
  bool IsPreparing(NodeId id) const;
  // kReady, and not throttled.
  bool MaySend(NodeId id, Instant now) const;
  bool MayConnect(NodeId id, Instant now) const;
  // A connection was tried or had, and is not there.
  bool HasFailed(NodeId id) const;
  // The last connect or disconnect (NC-05); the distant past for a node that was never tried.
  Instant LastAttempt(NodeId id) const;
  // See NetworkClient::LookAgainAt. For a node that may be connected to, a moment that is not after the present.
  Instant LookAgainAt(NodeId id, Instant now) const;

  // --- Transitions ---
  // A node that comes back under another host name starts from nothing (NC-11).
  void Connecting(NodeId id, std::string_view host, Instant now);
  void CheckingVersions(NodeId id);
  void Ready(NodeId id);
  void Disconnected(NodeId id, Instant now);
  void AuthenticationFailed(NodeId id, Instant now);
  void Remove(NodeId id);
  // Nothing is to be sent before `until`; never shortens an earlier promise.
  void Throttle(NodeId id, Instant until);

  // --- Addresses of a connecting node (NC-11) ---
  // The address to try in this attempt; empty if the host has to be looked up first.
  std::string_view CurrentAddress(NodeId id) const;
  // `addresses` is not empty.
  void Resolved(NodeId id, std::vector<std::string> addresses);

  // --- Setup timeouts (NC-07) ---
  std::vector<NodeId> SetupsTimedOut(Instant now) const;
  // The earliest moment at which SetupsTimedOut will not be empty; Never().
  Instant NextSetupTimeout() const;

 private:
  struct Record {
    ConnectionState state = ConnectionState::kDisconnected;
    std::string host;
    Instant last_attempt;
    std::int64_t failures = 0;        // Since the node was last ready.
    std::int64_t setup_failures = 0;  // In a row.
    Duration backoff{};               // After last_attempt.
    Duration setup_timeout{};         // From last_attempt.
    Instant throttled_until;
    std::vector<std::string> addresses;  // Empty: look the host up.
    std::size_t address_index = 0;
    std::string last_address;
  };
  const Record* Find(NodeId id) const;
  // Of a node that must have one.
  Record& At(NodeId id);
  void Fail(NodeId id, ConnectionState state, Instant now);
  static void MoveToNextAddress(Record& record);

  // Set in the constructor, never changed.
  const ExponentialBackoff reconnect_;
  const ExponentialBackoff setup_;
  Entropy& entropy_;

  std::map<NodeId, Record> records_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_CONNECTION_STATES_H_
