#include "sim/broker/loop.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/check.h"
#include "fmt/format.h"

namespace ktrial::sim {

BrokerLoop::BrokerLoop(BrokerHostOptions options, Cluster& cluster, Transport& transport, Threads& threads,
                       BrokerObserver& observer)
    : options_(options),
      cluster_(cluster),
      transport_(transport),
      observer_(observer),
      transactions_(cluster),
      mutex_(threads, Site("broker_loop.mutex")),
      signalled_(threads, Site("broker_loop.signalled"), false) {
  cluster_.SetObserver(&observer_);
  cluster_.timers().SetEarlierCallback([this] {
    if (polling_) transport_.WakeUp();
  });
  for (const auto& [id, broker] : cluster_.brokers()) listeners_.try_emplace(id);
}

BrokerLoop::~BrokerLoop() {
  cluster_.timers().SetEarlierCallback(nullptr);
  cluster_.SetObserver(nullptr);
}

absl::Status BrokerLoop::Start() {
  for (const auto& [id, broker] : cluster_.brokers()) {
    if (!broker.up) continue;
    if (absl::Status status = OpenListener(id); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status BrokerLoop::OpenListener(NodeId broker) {
  Listener& listener = listeners_.at(broker);
  if (listener.open) return absl::OkStatus();
  const BrokerSpec& spec = cluster_.FindBroker(broker)->spec;
  absl::StatusOr<Listening> listening = transport_.Listen({spec.host, spec.port}, {});
  if (!listening.ok()) return listening.status();
  listener.id = listening->id;
  listener.open = true;
  brokers_by_listener_[listener.id] = broker;
  cluster_.SetPort(broker, listening->address.port);
  return absl::OkStatus();
}

void BrokerLoop::CloseListener(NodeId broker) {
  Listener& listener = listeners_.at(broker);
  if (!listener.open) return;
  transport_.StopListening(listener.id);
  brokers_by_listener_.erase(listener.id);
  listener.open = false;
}

void BrokerLoop::Run() {
  while (!stopping_) Turn(Instant::Never());
  for (auto& [id, listener] : listeners_) CloseListener(id);
  while (!connections_.empty()) Close(*connections_.begin()->second, Transport::CloseKind::kGraceful, "stopped");
  graveyard_.clear();
}

void BrokerLoop::Turn(Instant deadline) {
  graveyard_.clear();
  if (signalled_.LoadRelaxed()) RunPosted();
  if (stopping_) return;
  TimerQueue& timers = cluster_.timers();
  timers.RunDue(cluster_.clock().Now());
  events_.clear();
  polling_ = true;
  transport_.Poll(std::min(deadline, timers.Next()), events_, Site("broker_loop.poll"));
  polling_ = false;
  for (const TransportEvent& event : events_) Handle(event);
}

void BrokerLoop::Stop() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  signalled_.Store(true);
  transport_.WakeUp();
}

void BrokerLoop::Post(absl::AnyInvocable<void()> function) {
  {
    MutexLock lock(mutex_);
    posted_.push_back(std::move(function));
  }
  signalled_.Store(true);
  transport_.WakeUp();
}

void BrokerLoop::RunPosted() {
  signalled_.Store(false);
  std::vector<absl::AnyInvocable<void()>> functions;
  {
    MutexLock lock(mutex_);
    functions.swap(posted_);
    stopping_ = stop_;
  }
  for (absl::AnyInvocable<void()>& function : functions) function();
}

void BrokerLoop::Handle(const TransportEvent& event) {
  if (event.kind == TransportEvent::Kind::kAccepted) {
    Accept(event);
    return;
  }
  Connection* connection = Find(event.connection);
  if (connection == nullptr) return;
  switch (event.kind) {
    case TransportEvent::Kind::kReadable:
      Receive(*connection);
      break;
    case TransportEvent::Kind::kWritable:
      Flush(*connection);
      Pump(*connection);
      break;
    case TransportEvent::Kind::kEnded:
      Ended(*connection, event);
      break;
    default:
      break;
  }
}

void BrokerLoop::Accept(const TransportEvent& event) {
  const auto found = brokers_by_listener_.find(event.listener);
  if (found == brokers_by_listener_.end()) {  // refusing since
    transport_.Close(event.connection, Transport::CloseKind::kReset);
    return;
  }
  const NodeId broker = found->second;
  const auto frame_max = static_cast<std::size_t>(cluster_.settings().socket_request_max_bytes);
  auto connection = std::make_unique<Connection>(event.connection, broker, frame_max);
  connection->last_active = cluster_.clock().Now();
  WatchIdle(event.connection, connection->last_active + cluster_.settings().connections_max_idle);
  Connection& placed = *connections_.emplace(event.connection, std::move(connection)).first->second;
  observer_.OnAccepted(broker, event.connection);
  UpdateInterest(placed);
}

void BrokerLoop::WatchIdle(ConnectionId id, Instant moment) {
  cluster_.timers().At(moment, [this, id] {
    Connection* connection = Find(id);
    if (connection == nullptr) return;
    const Instant due = connection->last_active + cluster_.settings().connections_max_idle;
    const Instant now = cluster_.clock().Now();
    if (now >= due && connection->request == nullptr && !StandsStill(connection->broker)) {
      Close(*connection, Transport::CloseKind::kGraceful, "idle");
    } else {
      WatchIdle(id, now >= due ? now + cluster_.settings().connections_max_idle : due);
    }
  });
}

BrokerLoop::Connection* BrokerLoop::Find(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second.get();
}

void BrokerLoop::Receive(Connection& connection) {
  // An event that was on its way when the broker stopped reading.
  if (!connection.reads) return;
  for (;;) {
    const std::span<char> space = connection.reader.Space();
    const IoResult result = transport_.Receive(connection.id, space);
    if (result.kind != IoResult::Kind::kBytes) break;
    connection.reader.Filled(result.count);
    Pump(connection);
    // A short read has emptied the socket; more will be an event.
    if (connection.dead || !connection.reads || result.count < space.size()) break;
  }
}

void BrokerLoop::Ended(Connection& connection, const TransportEvent& event) {
  // Whoever works on a request does not look at its connection before there is an answer. A client that closes in good
  // order may have sent more besides.
  connection.lost = event.reason != EndReason::kEnd;
  const bool more = connection.request != nullptr || (!connection.lost && connection.reader.pending_bytes() > 0);
  if (!connection.mute && more) {
    connection.ended = true;
    Pump(connection);
    return;
  }
  Bury(connection, event.text.empty() ? EndReasonName(event.reason) : std::string_view(event.text));
}

void BrokerLoop::Flush(Connection& connection) {
  while (connection.has_output() && !connection.mute && !StandsStill(connection.broker)) {
    const std::string_view rest = std::string_view(connection.out).substr(connection.sent);
    const IoResult result = transport_.Send(connection.id, std::span(&rest, 1));
    if (result.kind == IoResult::Kind::kWouldBlock) break;
    if (result.kind == IoResult::Kind::kEnded) {
      connection.sent = connection.out.size();  // nobody will read it; the event follows
      break;
    }
    connection.sent += result.count;
  }
  if (!connection.has_output()) {
    connection.out.clear();
    connection.sent = 0;
  }
}

void BrokerLoop::UpdateInterest(Connection& connection) {
  if (connection.dead || connection.ended) return;
  const bool still = connection.mute || StandsStill(connection.broker);
  const bool reads = !still && connection.request == nullptr && !connection.has_output();
  const bool writes = !still && connection.has_output();
  if (reads == connection.reads && writes == connection.writes) return;
  connection.reads = reads;
  connection.writes = writes;
  transport_.Interest(connection.id, reads, writes);
}

void BrokerLoop::Close(Connection& connection, Transport::CloseKind how, std::string_view why) {
  if (connection.dead) return;
  transport_.Close(connection.id, how);
  Bury(connection, why);
}

void BrokerLoop::Bury(Connection& connection, std::string_view why) {
  if (connection.dead) return;
  connection.dead = true;
  const auto node = connections_.find(connection.id);
  KT_CHECK(node != connections_.end());
  graveyard_.push_back(std::move(node->second));
  connections_.erase(node);
  observer_.OnClosed(connection.broker, connection.id, why);
}

bool BrokerLoop::StandsStill(NodeId broker) const {
  const Broker* known = cluster_.FindBroker(broker);
  return known->paused || !known->up || listeners_.at(broker).silent;
}

void BrokerLoop::WakeConnections(NodeId broker) {
  std::vector<ConnectionId> ids;
  for (const auto& [id, connection] : connections_) {
    if (connection->broker == broker) ids.push_back(id);
  }
  for (const ConnectionId id : ids) {
    Connection* connection = Find(id);
    if (connection == nullptr) continue;
    Flush(*connection);
    if (std::exchange(connection->came_too_early, false)) Advance(*connection);
    Pump(*connection);
  }
}

}  // namespace ktrial::sim
