// The way of a request through a BrokerLoop.
#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/check.h"
#include "fmt/format.h"
#include "sim/broker/loop.h"

namespace ktrial::sim {
namespace {

std::string TextOf(const absl::Status& status) { return std::string(status.message().data(), status.message().size()); }

std::string Describe(const wire::RequestHeader& header) {
  return fmt::format("{} v{} (key {}) from client \"{}\"", wire::ApiKeyName(header.api), header.version,
                     static_cast<int>(header.api), header.client_id.value_or(std::string_view()));
}

}  // namespace

void BrokerLoop::Pump(Connection& connection) {
  while (TakeNext(connection)) Advance(connection);
  if (connection.dead) return;
  if (connection.ended && connection.request == nullptr) {
    Bury(connection, "closed by the client");
    return;
  }
  UpdateInterest(connection);
}

bool BrokerLoop::TakeNext(Connection& connection) {
  // One at a time, and not before the answer to the one before is with the transport.
  if (connection.dead || connection.mute || connection.request != nullptr || connection.has_output()) return false;
  if (connection.lost || StandsStill(connection.broker)) return false;
  while (!connection.dead && connection.request == nullptr) {
    const absl::StatusOr<std::optional<std::string_view>> frame = connection.reader.Next();
    if (!frame.ok()) {
      RefuseFrame(connection, TextOf(frame.status()));
      return false;
    }
    if (!frame->has_value()) return false;
    Begin(connection, **frame);
  }
  return !connection.dead;
}

void BrokerLoop::RefuseFrame(Connection& connection, std::string_view what) {
  observer_.OnMalformed(connection.broker, connection.id, what);
  Close(connection, Transport::CloseKind::kGraceful, "malformed");
}

void BrokerLoop::Begin(Connection& connection, std::string_view frame) {
  const absl::StatusOr<wire::RequestParts> parts = wire::DecodeRequestHeader(frame);
  if (!parts.ok()) {
    RefuseFrame(connection, TextOf(parts.status()));
    return;
  }
  const wire::RequestHeader& header = parts->header;
  std::unique_ptr<Request> request = Admit(connection, header);
  if (request == nullptr) return;
  request->client_id = header.client_id.value_or(std::string_view());
  request->view = {.id = ++last_request_,
                   .broker = connection.broker,
                   .connection = connection.id,
                   .api = header.api,
                   .version = header.version,
                   .correlation_id = header.correlation_id,
                   .client_id = request->client_id,
                   .bytes = static_cast<std::int64_t>(frame.size()),
                   .received = cluster_.clock().Now()};
  if (const absl::Status status = request->Decode(parts->body); !status.ok()) {
    RefuseFrame(connection, fmt::format("{}: {}", Describe(header), TextOf(status)));
    return;
  }
  BrokerContext context = ContextOf(connection);
  request->Resolve(context);
  connection.last_active = request->view.received;
  connection.request = std::move(request);
  connection.step = Step::kReceive;
  observer_.OnRequest(connection.request->view);
}

// Null, and the connection closed, for what this broker does not take. Null alone for what it does not even see.
std::unique_ptr<Request> BrokerLoop::Admit(Connection& connection, const wire::RequestHeader& header) {
  const Broker& broker = *cluster_.FindBroker(connection.broker);
  const BrokerRelease& release = *broker.release;
  const std::optional<wire::VersionRange> offered = release.Range(header.api);
  if (header.api == wire::ApiKey::kApiVersions && offered.has_value()) {
    // Whatever version is asked for gets an answer: that is how clients find out.
    if (!broker.spec.resets_unknown_versions || offered->Contains(header.version)) return NewRequest(header.api);
    Close(connection, Transport::CloseKind::kReset, "a version of ApiVersions that it does not have");
    return nullptr;
  }
  if (!offered.has_value() && release.ignores_unknown_apis) return nullptr;
  // Kafka 4 lists Produce 0 to 2 for the sake of clients that take their absence for something else, and refuses them.
  const bool listed_only = header.api == wire::ApiKey::kProduce && header.version < 3 && !release.zookeeper;
  if (!offered.has_value() || !offered->Contains(header.version) || listed_only) {
    RefuseFrame(connection, fmt::format("{}: not offered by a broker of {}", Describe(header), release.name));
    return nullptr;
  }
  switch (StandingOf(connection, header.api)) {
    case Standing::kWelcome:
      break;
    case Standing::kUnknown:
      RefuseFrame(connection, fmt::format("{}: from nobody that is known (SASL)", Describe(header)));
      return nullptr;
    case Standing::kExpired:  // Not the client's fault: what it sent in time may have waited here for too long.
      Close(connection, Transport::CloseKind::kGraceful, "session expired");
      return nullptr;
  }
  std::unique_ptr<Request> request = NewRequest(header.api);
  if (request == nullptr || !wire::CodecVersionRange(header.api)->Contains(header.version)) {
    observer_.OnNotServed(connection.broker, connection.id, fmt::format("{} is not served here", Describe(header)));
    Close(connection, Transport::CloseKind::kGraceful, "not served");
    return nullptr;
  }
  return request;
}

// Until a client has said who it is, and when its session is over, it may do nothing but say so.
BrokerLoop::Standing BrokerLoop::StandingOf(const Connection& connection, wire::ApiKey api) const {
  const bool says_who = api == wire::ApiKey::kSaslHandshake || api == wire::ApiKey::kSaslAuthenticate;
  if (!cluster_.settings().sasl.required() || says_who) return Standing::kWelcome;
  const SaslLogin& login = *connection.login;
  if (!login.done) return Standing::kUnknown;
  return login.until.has_value() && cluster_.clock().Now() >= *login.until ? Standing::kExpired : Standing::kWelcome;
}

BrokerContext BrokerLoop::ContextOf(const Connection& connection) {
  return {.cluster = cluster_,
          .broker = *cluster_.FindBroker(connection.broker),
          .observer = observer_,
          .transactions = transactions_,
          .login = *connection.login,
          .plain = plain_,
          .scratch = scratch_};
}

void BrokerLoop::Advance(Connection& connection) {
  connection.waits = false;
  while (!connection.dead && !connection.mute && connection.request != nullptr && !connection.waits) {
    switch (connection.step) {
      case Step::kReceive:
        if (!AskHooks(connection, RequestPhase::kReceived)) return;
        connection.step = Step::kBegin;
        Wait(connection, cluster_.DrawServiceTime(connection.broker));
        break;
      case Step::kBegin:
        if (!AskHooks(connection, RequestPhase::kBeforeAppend)) return;
        connection.step = Step::kAct;
        Wait(connection, Duration(0));
        break;
      case Step::kAct: {
        BrokerContext context = ContextOf(connection);
        connection.request->Act(context);
        if (!AskHooks(connection, RequestPhase::kAfterAppend)) return;
        connection.step = Step::kAwait;
        Wait(connection, Duration(0));
        break;
      }
      case Step::kAwait:
        connection.step = Step::kReply;
        StartAwait(connection);
        break;
      case Step::kReply:
        if (!AskHooks(connection, RequestPhase::kBeforeResponse)) return;
        connection.step = Step::kSend;
        Wait(connection, Duration(0));
        break;
      case Step::kSend:
        Answer(connection);
        break;
    }
  }
}

bool BrokerLoop::AskHooks(Connection& connection, RequestPhase phase) {
  Request& request = *connection.request;
  for (RequestHook* hook : hooks_) {
    hook->OnRequest(phase, request.view, request.control);
    if (connection.dead) return false;
  }
  if (request.control.disconnected()) {
    observer_.OnNoResponse(request.view, "disconnected");
    Close(connection, request.control.close_kind(), "disconnected");
    return false;
  }
  if (request.control.dropped()) {
    observer_.OnNoResponse(request.view, "dropped");
    connection.mute = true;
    UpdateInterest(connection);
    return false;
  }
  return true;
}

bool BrokerLoop::Wait(Connection& connection, Duration by) {
  Request& request = *connection.request;
  by += request.control.delay();
  request.control.ClearDelay();
  if (by <= Duration(0)) {
    connection.came_too_early = StandsStill(connection.broker);  // a hook has just paused it
    connection.waits = connection.came_too_early;
    return connection.waits;
  }
  connection.waits = true;
  cluster_.timers().At(cluster_.clock().Now() + by,
                       [this, id = connection.id, number = request.view.id] { ComeBack(id, number); });
  return true;
}

void BrokerLoop::StartAwait(Connection& connection) {
  const ConnectionId id = connection.id;
  const std::uint64_t number = connection.request->view.id;
  connection.waits = true;
  awaiting_ = number;
  BrokerContext context = ContextOf(connection);
  connection.request->Await(context, [this, id, number] {
    if (awaiting_ == number) {
      awaiting_ = 0;  // before Await has returned: Advance goes on by itself
    } else {
      ComeBack(id, number);
    }
  });
  if (awaiting_ == 0) {
    connection.waits = false;
    Wait(connection, Duration(0));
  }
  awaiting_ = 0;
}

void BrokerLoop::ComeBack(ConnectionId id, std::uint64_t request) {
  Connection* connection = Find(id);
  if (connection == nullptr || connection->request == nullptr || connection->request->view.id != request) return;
  if (StandsStill(connection->broker)) {
    connection->came_too_early = true;
    return;
  }
  Advance(*connection);
  Pump(*connection);
}

bool BrokerLoop::HasSentMore(Connection& connection) {
  if (connection.reader.pending_bytes() > 0) return true;
  if (!options_.detect_pipelining || connection.ended) return false;
  connection.request->Forget();  // its bytes make room
  const IoResult result = transport_.Receive(connection.id, connection.reader.Space());
  if (result.kind != IoResult::Kind::kBytes) return false;
  connection.reader.Filled(result.count);
  return true;
}

void BrokerLoop::Answer(Connection& connection) {
  BrokerContext context = ContextOf(connection);
  const std::size_t before = connection.out.size();
  const Request::Reply reply = connection.request->Answer(context, connection.out);
  if (connection.dead) return;
  if (connection.ended && reply == Request::Reply::kSend) {
    observer_.OnNoResponse(connection.request->view, "the client is gone");
  } else if (reply == Request::Reply::kSend) {
    const bool more = HasSentMore(connection);
    observer_.OnResponse(connection.request->view, static_cast<std::int64_t>(connection.out.size() - before), more);
  } else {
    observer_.OnNoResponse(connection.request->view, reply == Request::Reply::kNone ? "acks=0" : "closed instead");
  }
  if (connection.dead) return;
  connection.request.reset();
  if (reply == Request::Reply::kClose) {
    Close(connection, Transport::CloseKind::kGraceful, "an error without an answer");
    return;
  }
  if (connection.ended) {
    connection.out.clear();
  } else {
    Flush(connection);
  }
}

}  // namespace ktrial::sim
