// One poll of a NetworkClient: the steps of NC-17.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"
#include "core/network/network_client_impl.h"
#include "core/wire/codec.h"
#include "core/wire/status.h"

namespace ktrial {

void NetworkClient::Impl::Poll(Instant now, Instant deadline) {
  if (closed_) return;
  if (!ended_.empty()) {
    ReportEnded();
    return;
  }
  Instant wait = std::min(deadline, StepBootstrap(now));
  if (!bootstrapping()) wait = std::min(wait, StepMetadata(now));
  // After the step, which may have sent a request or started a connection.
  wait = std::min({wait, in_flight_.NextTimeout(), states_.NextSetupTimeout(), channels_.NextIdleAt(),
                   updater_.NextRebootstrapAt()});
  // What has ended already is reported in this poll, so it must not wait.
  if (has_written_ || !ended_.empty()) wait = std::min(wait, now);
  ChannelEvents& events = channels_.Poll(wait, clock_);
  now = clock_.Now();

  HandleWritable(events, now);
  CompleteWritten(now);
  HandleReadable(events, now);
  HandleEnded(events, now);
  HandleLookedUp(events, now);
  HandleOpened(events, now);
  AskVersions(now);
  Authenticate(now);
  HandleTimeouts(now);
  RebootstrapIfNeeded(now);
  ReportEnded();
}

// Begins a round of look-ups that is due, or gives up. Returns when to do so if no event comes before.
Instant NetworkClient::Impl::StepBootstrap(Instant now) {
  if (bootstrap_ == Bootstrap::kFailed || (bootstrap_found_ && !bootstrapping())) return Instant::Never();
  if (!bootstrap_give_up_.has_value()) {
    bootstrap_give_up_ =
        config_.bootstrap_resolve_timeout ? now + *config_.bootstrap_resolve_timeout : Instant::Never();
    look_up_at_ = now;
  }
  if (!bootstrap_found_ && now >= *bootstrap_give_up_) {
    FailBootstrap();
    return now;  // Who waits for an answer has to be told.
  }
  const Instant give_up = bootstrap_found_ ? Instant::Never() : *bootstrap_give_up_;
  if (bootstrap_ != Bootstrap::kLookingUp || !look_up_at_.has_value()) return give_up;
  if (*look_up_at_ > now) return std::min(give_up, *look_up_at_);
  look_up_at_.reset();
  canonical_.Start();
  return give_up;
}

void NetworkClient::Impl::FailBootstrap() {
  bootstrap_ = Bootstrap::kFailed;
  for (const auto& [id, peer] : peers_) channels_.Close(id);
  peers_.clear();
  std::string text = "no host of bootstrap.servers was found within bootstrap.resolve.timeout.ms";
  if (!bootstrap_problem_.empty()) text += ": " + bootstrap_problem_;
  rejections_ = {.count = rejections_.count + 1, .last = absl::NotFoundError(text), .for_good = true};
  metadata_.FailForGood(rejections_.last);
}

void NetworkClient::Impl::HandleLookedUp(const ChannelEvents& events, Instant now) {
  if (bootstrap_ != Bootstrap::kLookingUp || look_up_at_.has_value()) return;
  for (const ChannelEvents::LookedUp& answer : events.looked_up) canonical_.Answered(answer);
  if (canonical_.under_way()) return;
  std::vector<BootstrapAddress> servers = canonical_.Result();
  if (servers.empty()) {
    bootstrap_problem_ = canonical_.failure();
    look_up_at_ = now + config_.reconnect_backoff;
    return;
  }
  bootstrap_found_ = true;
  bootstrap_ = Bootstrap::kDone;
  metadata_.SetBootstrap(std::move(servers));
}

// Sends or prepares what a due update of the metadata needs (NC-32). Returns when to try again if no event comes
// before.
Instant NetworkClient::Impl::StepMetadata(Instant now) {
  const Instant next = updater_.NextUpdateAt();
  if (next > now) return next;
  updater_.SearchStarted(now);
  LeastLoaded best = FindLeastLoaded(now);
  // Addresses that are as configured already cannot be helped by starting over from them; that would only wake waiters
  // (B003: one outage, one bootstrap).
  if (config_.rebootstrap && best.node == nullptr && !best.connection_ready && !best.cluster->is_bootstrap()) {
    updater_.Rebootstrap(now);
    best = FindLeastLoaded(now);
  }
  if (best.node == nullptr) return NextUsableAt(*best.cluster, now);
  const NodeId id = best.node->id;
  if (CanSend(id, now)) {
    SendAs(RequestKind::kMetadata, id, std::make_unique<MetadataCall>(updater_.Begin(id, now)), now);
    return updater_.NextUpdateAt();
  }
  ReauthenticateIfDue(id, now);
  // One connection on its way is enough: how it ends is an event, and its setup timeout bounds it.
  const bool connecting = std::ranges::any_of(best.cluster->nodes(), [this](const Node& node) {
    return states_.StateOf(node.id) == ConnectionState::kConnecting;
  });
  if (!connecting && states_.MayConnect(id, now)) Connect(*best.node, now);
  return Instant::Never();
}

Instant NetworkClient::Impl::NextUsableAt(const Cluster& cluster, Instant now) const {
  Instant next = Instant::Never();
  for (const Node& node : cluster.nodes()) next = std::min(next, states_.LookAgainAt(node.id, now));
  return next;
}

void NetworkClient::Impl::HandleWritable(const ChannelEvents& events, Instant now) {
  for (const NodeId id : events.writable) {
    InFlightRequest* newest = in_flight_.Newest(id);
    if (newest == nullptr || newest->IsWritten()) continue;
    channels_.Write(id, newest->frame, newest->written_bytes, now);
    if (!newest->expects_response && newest->IsWritten()) has_written_ = true;
  }
}

void NetworkClient::Impl::CompleteWritten(Instant now) {
  if (!std::exchange(has_written_, false)) return;
  for (const auto& [id, peer] : peers_) {
    for (InFlightRequest& request : in_flight_.TakeWritten(id)) {
      End(id, std::move(request), RequestOutcome::Kind::kWritten, now);
    }
  }
}

void NetworkClient::Impl::HandleReadable(const ChannelEvents& events, Instant now) {
  for (const NodeId id : events.readable) {
    if (!channels_.Exists(id)) continue;  // Lost a moment ago.
    const absl::Status status =
        channels_.Receive(id, [&](std::string_view frame) { return HandleFrame(id, frame, now); });
    if (status.ok()) continue;
    Loss loss{.reason = RefreshReason::kConnectionLost, .why = std::string(status.message())};
    if (status.code() == absl::StatusCode::kUnauthenticated) loss.fatal = WithAddress(id, status);
    Lose(id, loss, now);
  }
}

// The error that a waiting call gets: who refused, and with the code that it gave, if any.
absl::Status NetworkClient::Impl::WithAddress(NodeId id, const absl::Status& status) const {
  const Peer& peer = peers_.at(id);
  const std::string text = fmt::format("{}:{}: {}", peer.host, peer.port, std::string(status.message()));
  return wire::HasKafkaCode(status) ? wire::KafkaError(wire::KafkaCode(status), text)
                                    : absl::UnauthenticatedError(text);
}

absl::Status NetworkClient::Impl::HandleFrame(NodeId id, std::string_view frame, Instant now) {
  const InFlightRequest* oldest = in_flight_.Oldest(id);
  if (oldest == nullptr) return absl::DataLossError("an answer that nothing was asked for");
  // An answer to a request that is still being written would free the memory that we write from.
  if (!oldest->IsWritten() || !oldest->expects_response || wire::PeekCorrelationId(frame) != oldest->correlation_id) {
    return absl::DataLossError("an answer to another request than the oldest");
  }
  const absl::StatusOr<wire::ResponseParts> parts = wire::DecodeResponseHeader(frame, oldest->api, oldest->version);
  if (!parts.ok()) return parts.status();
  const absl::StatusOr<Duration> throttle = oldest->request->ParseResponse(oldest->version, parts->body);
  // On failure it is still in flight, and ends with the connection.
  if (!throttle.ok()) return throttle.status();

  InFlightRequest request = in_flight_.TakeOldest(id);
  observer_.OnResponse(id, request.api, request.correlation_id, now - request.created);
  if (*throttle > Duration::zero() && ClientThrottles(request.api, request.version)) {
    states_.Throttle(id, now + *throttle);
    in_flight_.AddThrottle(id, *throttle);
    observer_.OnThrottled(id, *throttle);
  }
  switch (request.kind) {
    case RequestKind::kCaller:
      End(id, std::move(request), RequestOutcome::Kind::kAnswered, now);
      return absl::OkStatus();
    case RequestKind::kMetadata:
      updater_.Answered(static_cast<const MetadataCall&>(*request.request).response(), request.version, now);
      return absl::OkStatus();
    case RequestKind::kSasl:
      return HandleSasl(id, request.api, *request.request, now);
    case RequestKind::kApiVersions:
      return HandleApiVersions(id, request.version, static_cast<const ApiVersionsCall&>(*request.request));
  }
  return absl::OkStatus();
}

absl::Status NetworkClient::Impl::HandleApiVersions(NodeId id, std::int16_t version, const ApiVersionsCall& call) {
  const wire::ApiVersionsResponse& response = call.response();
  if (response.error == wire::ErrorCode::kUnsupportedVersion) {
    peers_.at(id).ask_versions_with = NextApiVersionsVersion(version, response);
    if (peers_.at(id).ask_versions_with.has_value()) return absl::OkStatus();
  }
  if (response.error == wire::ErrorCode::kRebootstrapRequired && config_.rebootstrap) {
    updater_.DemandRebootstrap();  // Follows in this poll, and closes the other connections.
    return wire::KafkaError(response.error, "the node is not the one of the cluster that was meant");
  }
  if (response.error != wire::ErrorCode::kNone) {
    return wire::KafkaError(
        response.error, "the node refused to name its versions: " + std::string(wire::ErrorCodeName(response.error)));
  }
  peers_.at(id).versions.emplace(response);
  version_fallback_.Answered(id, *peers_.at(id).versions);
  features_.Learn(response);
  NoticeAge(id, *peers_.at(id).versions);
  if (config_.sasl.has_value()) {
    peers_.at(id).sasl = std::make_unique<SaslExchange>(*config_.sasl, entropy_);
    return SaslExchange::Check(*peers_.at(id).versions);
  }
  MarkReady(id);
  return absl::OkStatus();
}

absl::Status NetworkClient::Impl::HandleSasl(NodeId id, wire::ApiKey api, const OutgoingRequest& request, Instant now) {
  Peer& peer = peers_.at(id);
  absl::Status status = peer.sasl->Answered(api, request);
  if (!status.ok() && status.code() != absl::StatusCode::kUnauthenticated) {
    // Whatever a broker says instead of yes: that it does not take us is what matters.
    status = wire::KafkaError(wire::ErrorCode::kSaslAuthenticationFailed, std::string(status.message()));
  }
  if (!status.ok() || !peer.sasl->done()) return status;
  const std::optional<Duration> lifetime = peer.sasl->session_lifetime();
  peer.session_renewal = lifetime.has_value() ? now + ReauthenticateAfter(*lifetime, entropy_) : Instant::Never();
  peer.sasl.reset();
  if (states_.StateOf(id) == ConnectionState::kReady) {
    observer_.OnReauthenticated(id, now - peer.renewal_began);
  } else {
    observer_.OnAuthenticated(id);
    MarkReady(id);
  }
  return status;
}

// The next message of each authentication that goes on.
void NetworkClient::Impl::Authenticate(Instant now) {
  for (auto& [id, peer] : peers_) {
    std::unique_ptr<OutgoingRequest> request = peer.sasl == nullptr ? nullptr : peer.sasl->TakeRequest();
    if (request != nullptr) SendAs(RequestKind::kSasl, id, std::move(request), now);
  }
}

void NetworkClient::Impl::NoticeAge(NodeId id, const ApiVersions& versions) {
  constexpr std::int16_t kProduceBefore10 = 3;
  const std::optional<wire::VersionRange> produce = versions.Find(wire::ApiKey::kProduce);
  if (id >= NodeId(0) && produce.has_value() && produce->max <= kProduceBefore10) {
    before_1_0_.insert(id);
  } else {
    before_1_0_.erase(id);
  }
}

void NetworkClient::Impl::MarkReady(NodeId id) {
  states_.Ready(id);
  observer_.OnConnected(id);
}

void NetworkClient::Impl::HandleEnded(const ChannelEvents& events, Instant now) {
  for (const ChannelEvents::Ended& end : events.ended) {
    // An answer in this poll may have made us close it already.
    if (!peers_.contains(end.id)) continue;
    if (end.id < NodeId(0) && !end.was_open) bootstrap_problem_ = end.why;
    Loss loss{.reason = end.was_open ? RefreshReason::kConnectionLost : RefreshReason::kConnectFailed, .why = end.why};
    const InFlightRequest* asked = in_flight_.Oldest(end.id);
    if (end.handshake) {
      // Kafka has no code for it: brokers never say it.
      loss.fatal = WithAddress(end.id, absl::UnauthenticatedError(end.why));
    } else if (asked != nullptr && asked->kind == RequestKind::kApiVersions) {
      version_fallback_.CutOff(end.id);
    }
    Lose(end.id, loss, now);
  }
  const std::optional<NodeId> idle = channels_.TooIdle(now);
  if (idle.has_value())
    Lose(*idle, {.reason = RefreshReason::kConnectionLost, .why = std::string(kIdleConnection)}, now);
}

void NetworkClient::Impl::HandleOpened(ChannelEvents& events, Instant now) {
  for (ChannelEvents::Resolved& resolved : events.resolved) {
    if (!channels_.Exists(resolved.id)) continue;
    if (resolved.id < NodeId(0)) bootstrap_found_ = true;
    states_.Resolved(resolved.id, std::move(resolved.addresses));
    OpenNext(resolved.id, now);
  }
  for (const NodeId id : events.opened) {
    const auto peer = peers_.find(id);
    if (peer == peers_.end()) continue;  // It has ended in the same poll.
    if (config_.handshake && !config_.sasl.has_value()) observer_.OnAuthenticated(id);
    if (config_.discover_versions) {
      peer->second.ask_versions_with = version_fallback_.VersionFor(id);
    } else {
      peer->second.versions = ApiVersions::BeforeApiVersions();
      MarkReady(id);
    }
  }
}

wire::ApiVersionsRequest NetworkClient::Impl::VersionsRequestFor(NodeId id) const {
  wire::ApiVersionsRequest request{.client_software_name = config_.software_name,
                                   .client_software_version = config_.software_version};
  if (!config_.check_cluster || !config_.rebootstrap || id < NodeId(0)) return request;
  request.cluster_id = metadata_.Fetch()->cluster_id();
  if (request.cluster_id.has_value()) request.node_id = id.value();
  return request;
}

void NetworkClient::Impl::AskVersions(Instant now) {
  for (auto& [id, peer] : peers_) {
    if (!peer.ask_versions_with.has_value()) continue;
    auto call = std::make_unique<ApiVersionsCall>(VersionsRequestFor(id), *peer.ask_versions_with);
    peer.ask_versions_with.reset();
    // Who we are is still a part of the setup, and its time limits that (NC-08).
    if (!config_.sasl.has_value()) states_.CheckingVersions(id);
    SendAs(RequestKind::kApiVersions, id, std::move(call), now);
  }
}

void NetworkClient::Impl::HandleTimeouts(Instant now) {
  for (const NodeId id : states_.SetupsTimedOut(now)) {
    Lose(id,
         {.reason = RefreshReason::kConnectionSetupTimeout,
          .timed_out = true,
          .why = "the connection was not set up in time"},
         now);
  }
  for (const NodeId id : in_flight_.TimedOutNodes(now)) {
    // The one question that some brokers never answer.
    const bool asked_for_versions = states_.StateOf(id) == ConnectionState::kCheckingVersions;
    Lose(id,
         {.reason = RefreshReason::kRequestTimeout,
          .timed_out = true,
          .why = asked_for_versions
                     ? "it did not say in time which versions it speaks; a broker of Kafka 0.9 never does "
                       "(api.version.request=false)"
                     : "a request was not answered in time"},
         now);
  }
}

void NetworkClient::Impl::RebootstrapIfNeeded(Instant now) {
  if (!updater_.NeedsRebootstrap(now)) return;
  // Whatever we are connected to has not helped: the addresses decide alone from now on.
  while (!peers_.empty()) {
    Lose(peers_.begin()->first,
         {.reason = RefreshReason::kRebootstrap, .why = "starting over from the bootstrap addresses"}, now);
  }
  updater_.Rebootstrap(now);
}

void NetworkClient::Impl::ReportEnded() {
  // OnComplete may send, disconnect and close; what ends by that is for the next poll.
  std::vector<Ended> reports = std::exchange(ended_, {});
  for (Ended& report : reports) {
    if (closed_) return;
    report.request->OnComplete(report.outcome);
    report.request.reset();
  }
}

}  // namespace ktrial
