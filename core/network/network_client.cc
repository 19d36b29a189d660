#include "core/network/network_client.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/check.h"
#include "core/exponential_backoff.h"
#include "core/network/network_client_impl.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

std::optional<Duration> RebootstrapTrigger(const NetworkClientConfig& config) {
  if (!config.rebootstrap) return std::nullopt;
  // A trigger of 0 is legal, but bootstrapping again before a single connection could be tried again would go round in
  // circles.
  return std::max(config.rebootstrap_trigger, config.reconnect_backoff);
}

}  // namespace

NetworkClient::Impl::Impl(NetworkClientConfig config, Metadata& metadata, Transport& transport, Clock& clock,
                          Entropy& entropy, ProducerObserver& observer)
    : config_(std::move(config)),
      metadata_(metadata),
      transport_(transport),
      clock_(clock),
      entropy_(entropy),
      observer_(observer),
      updater_(metadata, observer, RebootstrapTrigger(config_)),
      states_(ExponentialBackoff(config_.reconnect_backoff, config_.reconnect_backoff_max),
              ExponentialBackoff(config_.connection_setup_timeout, config_.connection_setup_timeout_max), entropy),
      in_flight_(config_.max_in_flight),
      bootstrap_(config_.canonical_bootstrap.empty() ? Bootstrap::kDone : Bootstrap::kLookingUp),
      channels_(transport, observer, config_.socket_buffers, static_cast<std::size_t>(config_.response_bytes_max),
                config_.connections_max_idle),
      canonical_(config_.canonical_bootstrap, channels_) {
  KT_CHECK(config_.max_in_flight > 0);
  KT_CHECK(config_.response_bytes_max > 0);
  KT_CHECK(config_.discover_versions || !config_.sasl.has_value());
}

bool NetworkClient::Impl::Ready(const Node& node, Instant now) {
  KT_CHECK(node.id != kNoNode);
  if (closed_ || bootstrapping()) return false;
  if (IsReady(node.id, now)) return true;
  if (states_.MayConnect(node.id, now)) Connect(node, now);
  ReauthenticateIfDue(node.id, now);
  return false;
}

bool NetworkClient::Impl::NeedsReauthentication(NodeId id, Instant now) const {
  if (!config_.sasl.has_value()) return false;
  const auto peer = peers_.find(id);
  return peer != peers_.end() && (peer->second.sasl != nullptr || now >= peer->second.session_renewal);
}

void NetworkClient::Impl::ReauthenticateIfDue(NodeId id, Instant now) {
  if (!NeedsReauthentication(id, now) || !states_.MaySend(id, now) || !in_flight_.CanSendMore(id)) return;
  Peer& peer = peers_.at(id);
  if (peer.sasl != nullptr) return;
  peer.sasl = std::make_unique<SaslExchange>(*config_.sasl, entropy_);
  peer.renewal_began = now;
  SendAs(RequestKind::kSasl, id, peer.sasl->TakeRequest(), now);
}

void NetworkClient::Impl::Connect(const Node& node, Instant now) {
  states_.Connecting(node.id, node.host, now);
  peers_[node.id] = Peer{.host = node.host, .port = node.port};
  if (states_.CurrentAddress(node.id).empty()) {
    channels_.Resolve(node.id, node.host);
  } else {
    OpenNext(node.id, now);
  }
}

void NetworkClient::Impl::OpenNext(NodeId id, Instant now) {
  const Peer& peer = peers_.at(id);
  const Address address{.ip = std::string(states_.CurrentAddress(id)), .port = peer.port};
  observer_.OnConnecting(id, address);
  channels_.Open(id, address, peer.host, now);
}

LeastLoaded NetworkClient::Impl::FindLeastLoaded(Instant now) {
  LeastLoaded result{.cluster = metadata_.Fetch()};
  if (bootstrapping()) return result;
  const std::span<const Node> nodes = result.cluster->nodes();
  KT_CHECK(!nodes.empty());
  const std::size_t first = nodes.size() == 1 ? 0 : DrawBelow(entropy_, DrawPurpose::kLeastLoadedNode, nodes.size());
  const Node* sendable = nullptr;
  const Node* preparing = nullptr;
  const Node* connectable = nullptr;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[(first + i) % nodes.size()];
    if (states_.StateOf(node.id) == ConnectionState::kReady) result.connection_ready = true;
    if (CanSend(node.id, now)) {
      const std::size_t count = in_flight_.count(node.id);
      if (count < fewest) {
        fewest = count;
        sendable = &node;
      }
      if (count == 0) break;
    } else if (states_.IsPreparing(node.id) || (states_.MaySend(node.id, now) && NeedsReauthentication(node.id, now))) {
      preparing = &node;
    } else if (states_.MayConnect(node.id, now)) {
      // Those that were not tried for longest, so that unreachable nodes are tried in turn.
      if (connectable == nullptr || states_.LastAttempt(node.id) < states_.LastAttempt(connectable->id)) {
        connectable = &node;
      }
    }
  }
  result.node = sendable != nullptr ? sendable : preparing != nullptr ? preparing : connectable;
  return result;
}

std::optional<wire::VersionRange> NetworkClient::Impl::NodeVersions(NodeId id, wire::ApiKey api) const {
  const auto found = peers_.find(id);
  if (found == peers_.end() || !found->second.versions.has_value()) return std::nullopt;
  return found->second.versions->Find(api);
}

bool NetworkClient::Impl::SomeNodeKnowsOneBatch(const Cluster& cluster) const {
  return std::ranges::any_of(before_1_0_, [&cluster](NodeId id) { return cluster.FindNode(id) != nullptr; });
}

void NetworkClient::Impl::Send(NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now) {
  KT_CHECK(!closed_);
  KT_CHECK(CanSend(id, now));
  SendAs(RequestKind::kCaller, id, std::move(request), now);
}

void NetworkClient::Impl::SendAs(RequestKind kind, NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now) {
  const Peer& peer = peers_.at(id);
  const wire::ApiKey api = request->api();
  const wire::VersionRange wanted = request->versions();
  const std::optional<std::int16_t> version =
      peer.versions.has_value() ? peer.versions->Choose(api, wanted) : std::optional<std::int16_t>(wanted.max);
  InFlightRequest entry{.kind = kind,
                        .api = api,
                        .expects_response = request->expects_response(),
                        .created = now,
                        .timeout = request->timeout().value_or(config_.request_timeout)};
  entry.request = std::move(request);
  if (!version.has_value()) {
    // Nothing is written; the next poll reports it. For our own request it is the end: no waiter would ever be served
    // (NC-42).
    if (kind == RequestKind::kMetadata) {
      updater_.Failed(
          "no version of Metadata that the node and we speak",
          wire::KafkaError(wire::ErrorCode::kUnsupportedVersion, "the node does not support Metadata as we speak it"),
          now);
    } else {
      entry.version = -1;
      entry.correlation_id = -1;
      End(id, std::move(entry), RequestOutcome::Kind::kUnsupportedVersion, now);
    }
    return;
  }
  entry.version = *version;
  entry.correlation_id = kind == RequestKind::kSasl ? sasl_correlation_ids_.Next() : correlation_ids_.Next();
  entry.request->Encode(entry.version, entry.correlation_id, config_.client_id, entry.frame);
  observer_.OnRequestSent(id, api, entry.version, entry.correlation_id, static_cast<std::int64_t>(entry.frame.size()));
  InFlightRequest& queued = in_flight_.Add(id, std::move(entry));
  channels_.Write(id, queued.frame, queued.written_bytes, now);
  if (!queued.expects_response && queued.IsWritten()) has_written_ = true;
}

void NetworkClient::Impl::End(NodeId id, InFlightRequest request, RequestOutcome::Kind kind, Instant now) {
  ended_.push_back({.request = std::move(request.request),
                    .outcome = {.kind = kind,
                                .node = id,
                                .version = request.version,
                                .correlation_id = request.correlation_id,
                                .created = request.created,
                                .ended = now}});
}

void NetworkClient::Impl::Cancel(NodeId id, InFlightRequest request, bool timed_out, Instant now) {
  observer_.OnRequestFailed(id, request.api, request.correlation_id, timed_out);
  switch (request.kind) {
    case RequestKind::kCaller:
      End(id, std::move(request), timed_out ? RequestOutcome::Kind::kTimedOut : RequestOutcome::Kind::kDisconnected,
          now);
      break;
    case RequestKind::kMetadata:
      updater_.Failed(timed_out ? "the request timed out" : "the connection was lost", absl::OkStatus(), now);
      break;
    case RequestKind::kApiVersions:
    case RequestKind::kSasl:
      break;
  }
}

void NetworkClient::Impl::CancelAll(NodeId id, bool timed_out, Instant now) {
  for (InFlightRequest& request : in_flight_.TakeAll(id)) Cancel(id, std::move(request), timed_out, now);
}

void NetworkClient::Impl::Lose(NodeId id, const Loss& loss, Instant now) {
  // A broker that refuses us only after the handshake of TLS (1.3) has not known us before.
  const bool knew_us = config_.sasl.has_value() && states_.StateOf(id) == ConnectionState::kReady;
  channels_.Close(id);
  peers_.erase(id);
  if (loss.fatal.ok()) {
    states_.Disconnected(id, now);
  } else {
    states_.AuthenticationFailed(id, now);
    ++rejections_.count;
    rejections_.last = loss.fatal;
    observer_.OnAuthenticationFailed(id, knew_us);
  }
  observer_.OnDisconnected(id, loss.why);
  CancelAll(id, loss.timed_out, now);
  updater_.NodeLost(loss.reason, loss.fatal, now);
}

void NetworkClient::Impl::Disconnect(NodeId id, Instant now) {
  if (!channels_.Exists(id)) return;
  channels_.Close(id);
  peers_.erase(id);
  states_.Disconnected(id, now);
  observer_.OnDisconnected(id, "closed by this client");
  CancelAll(id, /*timed_out=*/false, now);
}

void NetworkClient::Impl::Forget(NodeId id, Instant now) {
  channels_.Close(id);
  peers_.erase(id);
  before_1_0_.erase(id);
  states_.Remove(id);
  version_fallback_.Forget(id);
  for (InFlightRequest& request : in_flight_.TakeAll(id)) {
    if (request.kind == RequestKind::kMetadata) Cancel(id, std::move(request), /*timed_out=*/false, now);
  }
}

void NetworkClient::Impl::Close() {
  closed_ = true;
  channels_.CloseAll();
  peers_.clear();
  in_flight_.Clear();
  ended_.clear();
}

Instant NetworkClient::Impl::LookAgainAt(NodeId id, Instant now) const {
  if (bootstrapping()) return Instant::Never();
  // Only a due update of the metadata is in the way. If the next poll can send that, it does so first, and must not wait for the
  // answer, which a broker that hangs would keep from us. If it cannot, what makes it so is an event.
  if (CanSend(id, now)) return MetadataCanBeAsked(now) ? now : Instant::Never();
  return states_.LookAgainAt(id, now);
}

bool NetworkClient::Impl::MetadataCanBeAsked(Instant now) const {
  const std::shared_ptr<const Cluster> cluster = metadata_.Fetch();
  return std::ranges::any_of(cluster->nodes(), [&](const Node& node) { return CanSend(node.id, now); });
}

// --- The face ---

NetworkClient::NetworkClient(NetworkClientConfig config, Metadata& metadata, Transport& transport, Clock& clock,
                             Entropy& entropy, ProducerObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(config), metadata, transport, clock, entropy, observer)) {}
NetworkClient::~NetworkClient() { impl_->Close(); }

bool NetworkClient::Ready(const Node& node, Instant now) { return impl_->Ready(node, now); }
bool NetworkClient::IsReady(NodeId id, Instant now) const { return impl_->IsReady(id, now); }
Instant NetworkClient::LookAgainAt(NodeId id, Instant now) const { return impl_->LookAgainAt(id, now); }
bool NetworkClient::ConnectionFailed(NodeId id) const { return impl_->states().HasFailed(id); }

LeastLoaded NetworkClient::FindLeastLoaded(Instant now) { return impl_->FindLeastLoaded(now); }
std::optional<wire::VersionRange> NetworkClient::NodeVersions(NodeId id, wire::ApiKey api) const {
  return impl_->NodeVersions(id, api);
}
std::int16_t NetworkClient::FinalizedLevel(std::string_view feature) const { return impl_->FinalizedLevel(feature); }
bool NetworkClient::SomeNodeKnowsOneBatch(const Cluster& cluster) const {
  return impl_->SomeNodeKnowsOneBatch(cluster);
}
const Rejections& NetworkClient::rejections() const { return impl_->rejections(); }
void NetworkClient::Send(NodeId id, std::unique_ptr<OutgoingRequest> request, Instant now) {
  impl_->Send(id, std::move(request), now);
}
std::size_t NetworkClient::in_flight_count() const { return impl_->in_flight().count(); }
std::size_t NetworkClient::in_flight_count(NodeId id) const { return impl_->in_flight().count(id); }
void NetworkClient::Poll(Instant now, Instant deadline) { impl_->Poll(now, deadline); }
void NetworkClient::WakeUp() { impl_->WakeUp(); }
void NetworkClient::Disconnect(NodeId id, Instant now) { impl_->Disconnect(id, now); }
void NetworkClient::Forget(NodeId id, Instant now) { impl_->Forget(id, now); }
void NetworkClient::Close() { impl_->Close(); }

}  // namespace ktrial
