// The inside of NetworkClient: network_client.cc has what callers call, network_client_poll.cc what one poll does.
#ifndef CORE_NETWORK_NETWORK_CLIENT_IMPL_H_
#define CORE_NETWORK_NETWORK_CLIENT_IMPL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/network/api_versions.h"
#include "core/network/canonical_bootstrap.h"
#include "core/network/channels.h"
#include "core/network/connection_states.h"
#include "core/network/correlation_ids.h"
#include "core/network/in_flight_requests.h"
#include "core/network/internal_requests.h"
#include "core/network/metadata_updater.h"
#include "core/network/network_client.h"
#include "core/network/sasl_exchange.h"

namespace ktrial {

class NetworkClient::Impl {
 public:
  Impl(NetworkClientConfig config, Metadata& metadata, Transport& transport, Clock& clock, Entropy& entropy,
       ProducerObserver& observer);

  // As in NetworkClient.
  bool Ready(const Node& node, Instant now);
  // IsReady, but for a metadata update that is due.
  bool CanSend(NodeId id, Instant now) const {
    return states_.MaySend(id, now) && in_flight_.CanSendMore(id) && !NeedsReauthentication(id, now);
  }
  // Some node of the cluster would take a request. A coordinator that was looked up need not be one of them.
  bool MetadataCanBeAsked(Instant now) const;
  bool IsReady(NodeId id, Instant now) const { return !updater_.IsDue(now) && CanSend(id, now); }
  LeastLoaded FindLeastLoaded(Instant now);
  Instant LookAgainAt(NodeId id, Instant now) const;
  void Send(NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now);
  void Poll(Instant now, Instant deadline);
  void Disconnect(NodeId id, Instant now);
  void Forget(NodeId id, Instant now);
  void Close();

  const ConnectionStates& states() const { return states_; }
  const InFlightRequests& in_flight() const { return in_flight_; }
  std::optional<wire::VersionRange> NodeVersions(NodeId id, wire::ApiKey api) const;
  std::int16_t FinalizedLevel(std::string_view feature) const { return features_.Level(feature); }
  bool SomeNodeKnowsOneBatch(const Cluster& cluster) const;
  const Rejections& rejections() const { return rejections_; }
  void WakeUp() { transport_.WakeUp(); }

 private:
  // What else is known of a node while it has a channel.
  struct Peer {
    std::string host;
    std::uint16_t port = 0;
    std::optional<std::int16_t> ask_versions_with;  // The version of the ApiVersions request that has to be sent.
    std::optional<ApiVersions> versions;
    std::unique_ptr<SaslExchange> sasl;          // While it says who we are, the first time or again.
    Instant session_renewal = Instant::Never();  // When to do that again.
    Instant renewal_began;                       // While it says so again.
  };
  struct Ended {
    std::unique_ptr<OutgoingRequest> request;
    RequestOutcome outcome;
  };
  // Why a connection is over.
  struct Loss {
    RefreshReason reason = RefreshReason::kConnectionLost;
    bool timed_out = false;
    std::string why;
    absl::Status fatal;  // Not OK: the node refused who we are (NC-44).
  };

  void Connect(const Node& node, Instant now);
  // Opens the connecting node's next address.
  void OpenNext(NodeId id, Instant now);
  void SendAs(RequestKind kind, NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now);
  // The node's session is being renewed, or has to be before anything is sent.
  bool NeedsReauthentication(NodeId id, Instant now) const;
  // If it has to be, and nothing is half written.
  void ReauthenticateIfDue(NodeId id, Instant now);

  // Before any node can be asked: what bootstrap hosts are called is being looked up, or will never be known.
  bool bootstrapping() const { return bootstrap_ != Bootstrap::kDone; }
  void FailBootstrap();

  // The steps of a poll, in their order.
  Instant StepBootstrap(Instant now);
  Instant StepMetadata(Instant now);
  void HandleWritable(const ChannelEvents& events, Instant now);
  void CompleteWritten(Instant now);
  void HandleReadable(const ChannelEvents& events, Instant now);
  void HandleEnded(const ChannelEvents& events, Instant now);
  void HandleLookedUp(const ChannelEvents& events, Instant now);
  void HandleOpened(ChannelEvents& events, Instant now);
  void AskVersions(Instant now);
  void Authenticate(Instant now);
  void HandleTimeouts(Instant now);
  void RebootstrapIfNeeded(Instant now);
  void ReportEnded();

  // An error means that the connection cannot go on.
  absl::Status HandleFrame(NodeId id, std::string_view frame, Instant now);
  // KIP-1242: whom the node has to be; nothing is said before its cluster is known, nor to entries of the bootstrap list.
  wire::ApiVersionsRequest VersionsRequestFor(NodeId id) const;
  absl::Status HandleApiVersions(NodeId id, std::int16_t version, const ApiVersionsCall& call);
  absl::Status HandleSasl(NodeId id, wire::ApiKey api, const OutgoingRequest& request, Instant now);
  void NoticeAge(NodeId id, const ApiVersions& versions);
  void MarkReady(NodeId id);
  absl::Status WithAddress(NodeId id, const absl::Status& status) const;

  // Closes the node's channel, cancels its requests oldest first, backs off, asks for metadata (NC-24).
  void Lose(NodeId id, const Loss& loss, Instant now);
  void Cancel(NodeId id, InFlightRequest request, bool timed_out, Instant now);
  void CancelAll(NodeId id, bool timed_out, Instant now);
  void End(NodeId id, InFlightRequest request, RequestOutcome::Kind kind, Instant now);
  void Rebootstrap(Instant now);
  // When some node of a snapshot in which none can be used or connected to will be, as far as time alone decides.
  Instant NextUsableAt(const Cluster& cluster, Instant now) const;

  // Set in the constructor, never changed.
  const NetworkClientConfig config_;
  Metadata& metadata_;
  Transport& transport_;
  Clock& clock_;
  Entropy& entropy_;
  ProducerObserver& observer_;

  MetadataUpdater updater_;
  ConnectionStates states_;
  InFlightRequests in_flight_;
  std::map<NodeId, Peer> peers_;  // Of all nodes that have a channel.
  FinalizedFeatures features_;
  std::set<NodeId> before_1_0_;  // Not the entries of the bootstrap list: no records are sent to them.
  VersionFallback version_fallback_{wire::ClientVersionRange(wire::ApiKey::kApiVersions).value().max};
  Rejections rejections_;
  std::vector<Ended> ended_;  // Not reported yet.
  bool has_written_ = false;  // Some request without a response was written to its end and has not ended.
  CorrelationIds correlation_ids_;
  SaslCorrelationIds sasl_correlation_ids_;
  bool closed_ = false;

  enum class Bootstrap : std::uint8_t {
    kLookingUp,  // The canonical names.
    kDone,       // Metadata's nodes can be asked.
    kFailed,     // No host was found in time: nothing is done any more.
  };
  Bootstrap bootstrap_;
  std::optional<Instant> look_up_at_;         // When the next round begins; nullopt while one is under way.
  std::optional<Instant> bootstrap_give_up_;  // Set by the first Poll, until a host was found.
  bool bootstrap_found_ = false;
  std::string bootstrap_problem_;  // Why the last host was not found.
  // After in_flight_: closed before the requests whose bytes it may still be writing.
  Channels channels_;
  CanonicalBootstrap canonical_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_NETWORK_CLIENT_IMPL_H_
