// NetworkClient turns requests to nodes into bytes on connections and back: it connects and reconnects, negotiates
// versions, keeps requests in flight, times them out, and keeps Metadata fresh. It is the only user of its Transport.
//
//   if (client.Ready(node, now)) client.Send(node, std::move(request), now);
//   client.Poll(now, deadline);     // waits, then runs OnComplete of what has ended
//
// The rules are NC-01 to NC-48 in their current form. What differs from other clients on purpose:
//   - An answer with a wrong correlation id, or one that cannot be decoded, closes its connection (instead of NC-19).
//   - Poll waits until the next moment at which something is really due (a request's own timeout, a setup timeout, an idle
//     connection, the next metadata update), where others wake at the default request timeout at the latest (NC-18) and
//     are late by up to that. Limits that are strict (">") are due one nanosecond later, so that Poll never wakes for
//     nothing.
//   - A request is offered to the connection at once in Send; only what was not taken waits for Poll.
//   - All complete answers that a connection has are processed in one poll, and before its end is (NC-38 reports one a
//     poll).
//
// Inside one poll the order is fixed (NC-17, D-9): metadata step, wait, completed writes, answers, ended connections,
// new connections, ApiVersions, setup timeouts, request timeouts, OnComplete of all that ended. So an answer wins over
// a timeout, and over an end.
//
// Thread safety: one thread, the sender's, except WakeUp.
#ifndef CORE_NETWORK_NETWORK_CLIENT_H_
#define CORE_NETWORK_NETWORK_CLIENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/transport.h"
#include "core/metadata/cluster.h"
#include "core/metadata/metadata.h"
#include "core/network/outgoing_request.h"
#include "core/observer.h"
#include "core/sasl/sasl_settings.h"
#include "core/types.h"
#include "core/version.h"
#include "core/wire/api_key.h"

namespace ktrial {

struct NetworkClientConfig {
  std::string client_id;
  std::int32_t max_in_flight = 5;                                    // max.in.flight.requests.per.connection
  Duration request_timeout = std::chrono::seconds(30);               // request.timeout.ms
  Duration reconnect_backoff = std::chrono::milliseconds(50);        // reconnect.backoff.ms
  Duration reconnect_backoff_max = std::chrono::milliseconds(1000);  // reconnect.backoff.max.ms
  Duration connection_setup_timeout = std::chrono::seconds(10);      // socket.connection.setup.timeout.ms
  Duration connection_setup_timeout_max = std::chrono::seconds(30);  // socket.connection.setup.timeout.max.ms
  std::optional<Duration> connections_max_idle =
      std::chrono::minutes(9);  // connections.max.idle.ms; nullopt (-1): never
  SocketBuffers socket_buffers{.send_bytes = 131072, .receive_bytes = 32768};
  // metadata.recovery.strategy=rebootstrap, and how long without usable metadata is too long (MD-22, MD-23).
  bool rebootstrap = true;
  Duration rebootstrap_trigger = std::chrono::minutes(5);
  // Ask each node for its versions before anything else (NC-39). False for brokers of before Kafka 0.10, which never answer
  // that: all are spoken to as 0.9 would have it. No guess is made from silence, since a newer broker that hangs would be spoken
  // to like that for as long as the connection lasts.
  bool discover_versions = true;
  // bootstrap.resolve.timeout.ms: for so long after the first Poll may no bootstrap host be found, else the metadata fail for good.
  // Nullopt: for ever.
  std::optional<Duration> bootstrap_resolve_timeout;
  // Look up what these hosts are really called first, and bootstrap from those names (client.dns.lookup =
  // resolve_canonical_bootstrap_servers_only). Empty: bootstrap from what Metadata has.
  std::vector<BootstrapAddress> canonical_bootstrap;
  // Tell nodes whom we mean, so that one that is somebody else says so (metadata.cluster.check.enable, KIP-1242). Has no effect
  // without `rebootstrap`, which is what follows.
  bool check_cluster = true;
  // The transport opens connections by a handshake that says who the peers are (TLS); for what observers are told alone.
  bool handshake = false;
  // Who to be for the nodes, before anything else is asked of them. Needs discover_versions.
  std::optional<SaslSettings> sasl;
  std::int32_t response_bytes_max = 100 << 20;  // A longer answer closes the connection.
  std::string software_name = kSoftwareName;    // Letters, digits, '.' and '-', alphanumeric at both ends (WP-06).
  std::string software_version = kSoftwareVersion;
};

// NC-36.
struct LeastLoaded {
  const Node* node = nullptr;     // Belongs to `cluster`. Null: none can be used or even connected to now.
  bool connection_ready = false;  // Some node has a working connection, be it throttled or saturated (MD-22).
  std::shared_ptr<const Cluster> cluster;
};

// What no waiting helps against: a node refused who we are (NC-44), or no bootstrap host was found in time.
struct Rejections {
  std::uint64_t count = 0;  // So far. Others may have been found who do not reject us.
  absl::Status last;
  bool for_good = false;  // The client has given up: no bootstrap host was found.
};

class NetworkClient {
 public:
  // All references outlive this. Nothing happens before the first Poll.
  NetworkClient(NetworkClientConfig config, Metadata& metadata, Transport& transport, Clock& clock, Entropy& entropy,
                ProducerObserver& observer);
  // Closes.
  ~NetworkClient();
  NetworkClient(const NetworkClient&) = delete;
  NetworkClient& operator=(const NetworkClient&) = delete;

  // --- Nodes ---

  // True if a request may be sent to this node now. If not, and a connection may be started, starts it (NC-02). Where the session
  // that a node granted is about to end, it is renewed first (KIP-368), which this starts, too.
  bool Ready(const Node& node, Instant now);
  // As Ready, without starting anything. False for every node while a metadata update is due: that goes first (NC-14).
  bool IsReady(NodeId id, Instant now) const;
  // When to look at a node again that is not ready: the end of its throttle, of its backoff, or of its setup time; not
  // after `now` if it may be connected to now, or if only a due metadata update is in the way, which the next Poll sends;
  // Never() if only an event can change anything (NC-09, NC-10).
  Instant LookAgainAt(NodeId id, Instant now) const;
  // The last attempt to connect failed, or the connection was lost, and no new attempt was made.
  bool ConnectionFailed(NodeId id) const;
  // The best node for a request that any node can answer (NC-36). Draws where the scan starts.
  LeastLoaded FindLeastLoaded(Instant now);
  // What the node said it supports; nullopt before its ApiVersions answer, or if it does not list the API.
  std::optional<wire::VersionRange> NodeVersions(NodeId id, wire::ApiKey api) const;

  // At which level the cluster uses a feature, by what its nodes have said so far: 0 if not at all, or if none has said.
  std::int16_t FinalizedLevel(std::string_view feature) const;
  // Some node of the cluster is from before Kafka 1.0, by what it said last: it knows only the latest batch of a producer
  // again, where others know the latest five.
  bool SomeNodeKnowsOneBatch(const Cluster& cluster) const;
  const Rejections& rejections() const;

  // --- Requests ---

  // IsReady (but for the metadata) must be true; anything else is a KT_CHECK (NC-15). The request's time runs from
  // `now`.
  void Send(NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now);
  std::size_t in_flight_count() const;
  std::size_t in_flight_count(NodeId id) const;

  // Waits until something happened, WakeUp was called or the deadline, whichever is first, and does what is due. `now`
  // is a reading of the clock that is not older than the caller's iteration. Returns at once, without looking at any
  // connection, if there are outcomes to report already (NC-42). After Close it returns at once and does nothing.
  void Poll(Instant now, Instant deadline);
  // Any thread. The Poll that runs, or else the next one, does not wait (NC-47).
  void WakeUp();

  // --- Ends ---

  // Closes the connection, which then backs off; its requests end as kDisconnected in the next Poll. No refresh of
  // metadata. Nothing happens if there is no connection (NC-27).
  void Disconnect(NodeId id, Instant now);
  // Closes and forgets the node; its requests are destroyed without OnComplete (NC-28).
  void Forget(NodeId id, Instant now);
  // Closes all connections; requests are destroyed without OnComplete. Idempotent.
  void Close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_NETWORK_CLIENT_H_
