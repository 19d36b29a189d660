#include "sim/network/sim_transport.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/check.h"

namespace ktrial::sim {

SimTransport::SimTransport(NetworkCore& core, std::uint64_t number, std::string_view entity, std::string_view ip)
    : core_(core), kernel_(core.kernel()), number_(number), entity_(entity), ip_(ip) {
  core_.AddHost(ip_);
}

SimTransport::~SimTransport() {
  UncheckedSection unchecked;
  KT_CHECK_MSG(polling_ == nullptr || kernel_.abandoned(), entity_);
  for (const auto& [id, address] : listeners_) core_.StopListening(address);
  while (!connections_.empty()) Drop(connections_.begin()->first, CloseKind::kGraceful);
  core_.Remove(*this);
}

ResolveId SimTransport::Resolve(std::string_view host) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.resolve"));
  const ResolveId id(next_resolve_++);
  core_.Resolve(*this, id, host);
  return id;
}

ResolveId SimTransport::ResolveName(std::string_view ip) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.resolve_name"));
  const ResolveId id(next_resolve_++);
  core_.ResolveName(*this, id, ip);
  return id;
}

ConnectionId SimTransport::Open(const Address& address, std::string_view /*host*/, SocketBuffers buffers) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.open"));
  const ConnectionId id(next_connection_++);
  const Address from{.ip = ip_, .port = next_port_++};
  if (next_port_ == 0) next_port_ = 40001;
  Held held{.connection = nullptr, .side = kClientSide};
  // The core may touch the endpoint before it returns: it is known here only afterwards, and looked at by the next
  // Poll.
  held.connection = core_.Open(*this, id, from, address, buffers);
  connections_.emplace(id, held);
  return id;
}

absl::StatusOr<Listening> SimTransport::Listen(const Address& address, SocketBuffers buffers) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.listen"));
  Address chosen = address;
  while (chosen.port == 0 || (address.port == 0 && core_.IsListening(chosen))) chosen.port = next_listener_port_++;
  const ListenerId id(next_listener_++);
  if (!core_.Listen(*this, id, chosen, buffers)) {
    return absl::AlreadyExistsError("address in use: " + chosen.ip + ":" + std::to_string(chosen.port));
  }
  listeners_.emplace(id, chosen);
  return Listening{.id = id, .address = chosen};
}

void SimTransport::StopListening(ListenerId listener) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.stop_listening"));
  const auto found = listeners_.find(listener);
  if (found == listeners_.end()) return;
  core_.StopListening(found->second);
  listeners_.erase(found);
  // Those that nobody has taken yet are reset.
  std::vector<ConnectionId> waiting;
  for (const TransportEvent& notice : notices_) {
    if (notice.kind == TransportEvent::Kind::kAccepted && notice.listener == listener) {
      waiting.push_back(notice.connection);
    }
  }
  for (const ConnectionId id : waiting) Drop(id, CloseKind::kReset);
}

SimTransport::Held* SimTransport::Find(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : &found->second;
}

IoResult SimTransport::Send(ConnectionId connection, std::span<const ConstBytes> pieces) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.send"));
  const Held* const held = Find(connection);
  if (held == nullptr) return {.kind = IoResult::Kind::kEnded};
  const IoResult result = core_.Send(held->connection, held->side, pieces);
  if (result.kind == IoResult::Kind::kEnded) Touch(held->connection, held->side);
  return result;
}

IoResult SimTransport::Receive(ConnectionId connection, std::span<char> buffer) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.receive"));
  const Held* const held = Find(connection);
  if (held == nullptr) return {.kind = IoResult::Kind::kEnded};
  const IoResult result = core_.Receive(held->connection, held->side, buffer);
  // An end may have waited behind these bytes.
  if (held->end().end.has_value()) Touch(held->connection, held->side);
  return result;
}

void SimTransport::Interest(ConnectionId connection, bool read, bool write) {
  UncheckedSection unchecked;
  const Held* const held = Find(connection);
  if (held == nullptr) return;
  held->end().wants_read = read;
  held->end().wants_write = write;
  Touch(held->connection, held->side);
}

void SimTransport::Close(ConnectionId connection, CloseKind kind) {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.close"));
  if (Find(connection) != nullptr) Drop(connection, kind);
}

void SimTransport::Drop(ConnectionId id, CloseKind kind) {
  const auto found = connections_.find(id);
  const Held held = std::move(found->second);
  connections_.erase(found);
  std::erase(candidates_, id);
  std::erase_if(notices_, [&](const TransportEvent& notice) { return notice.connection == id; });
  core_.Close(held.connection, held.side, kind);
}

ConnectionId SimTransport::Accepted(ListenerId listener, const ConnectionRef& connection) {
  const ConnectionId id(next_connection_++);
  connections_.emplace(id, Held{.connection = connection, .side = kServerSide});
  Notify({.kind = TransportEvent::Kind::kAccepted, .connection = id, .listener = listener});
  return id;
}

void SimTransport::Notify(TransportEvent event) {
  notices_.push_back(std::move(event));
  if (polling_ != nullptr) kernel_.Unpark(*polling_);
}

void SimTransport::Touch(const ConnectionRef& connection, int side) {
  Endpoint& end = connection->end(side);
  if (!end.listed) {
    end.listed = true;
    candidates_.push_back(end.id);
  }
  if (polling_ != nullptr) kernel_.Unpark(*polling_);
}

// True: it has, or may have, more to tell at the next look.
bool SimTransport::CollectFrom(const Held& held, std::vector<TransportEvent>& events) {
  Endpoint& end = held.end();
  const Pipe& in = held.connection->in(held.side);
  const bool unread = in.unread() > 0;
  if (end.end.has_value()) {
    // Whoever reads finds the end behind the last byte, as with a socket. Whoever does not is told at once.
    const bool reads = end.wants_read && end.opened;
    if (unread ? !reads : !reads || end.end_met) {
      events.push_back({.kind = TransportEvent::Kind::kEnded,
                        .reason = *end.end,
                        .connection = end.id,
                        .text = std::string(end.end_text)});
      return false;
    }
    if (reads) events.push_back({.kind = TransportEvent::Kind::kReadable, .connection = end.id});
    return reads;
  }
  if (!end.opened) return false;
  // An orderly end is something to read, and only that: the way back is still open.
  const bool readable = end.wants_read && (unread || in.finished);
  const bool writable = end.wants_write && held.connection->out(held.side).room() > 0;
  if (readable) events.push_back({.kind = TransportEvent::Kind::kReadable, .connection = end.id});
  if (writable) events.push_back({.kind = TransportEvent::Kind::kWritable, .connection = end.id});
  return readable || writable;
}

void SimTransport::Collect(std::vector<TransportEvent>& events) {
  for (TransportEvent& notice : notices_) {
    if (notice.kind == TransportEvent::Kind::kOpened) {
      const Held& opened = *Find(notice.connection);
      opened.end().opened = true;
      // Data may have come right behind.
      Touch(opened.connection, opened.side);
    }
    events.push_back(std::move(notice));
  }
  notices_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    const ConnectionId id = candidates_[i];
    const Held& held = *Find(id);
    const std::size_t before = events.size();
    if (CollectFrom(held, events)) {
      candidates_[kept++] = id;
      continue;
    }
    held.end().listed = false;
    if (events.size() == before || events.back().kind != TransportEvent::Kind::kEnded) continue;
    kernel_.trace().Note(TraceKind::kEnded, held.end().subject, static_cast<std::uint64_t>(events.back().reason));
    const Held gone = held;
    connections_.erase(id);
    core_.Close(gone.connection, gone.side, CloseKind::kGraceful);
  }
  candidates_.resize(kept);
}

void SimTransport::Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) {
  UncheckedSection unchecked;
  kernel_.Point(site);
  const std::size_t before = events.size();
  if (deadline != Instant::Never()) {
    const std::int64_t nanos = deadline.nanos();
    deadline = Instant::FromNanos(nanos - nanos % 1000) + Duration(nanos % 1000 > 0 ? 1000 : 0);
  }
  bool waits = !std::exchange(woken_, false) && !core_.EarlyReturn();
  for (;;) {
    Collect(events);
    if (!waits || events.size() != before || kernel_.Now() >= deadline) return;
    KT_CHECK_MSG(polling_ == nullptr, "polled by two threads: " + entity_);
    polling_ = kernel_.current();
    kernel_.Park(deadline, site, {.what = "events of", .object = entity_});
    polling_ = nullptr;
    // Awake, and others may run before it looks.
    kernel_.Point(site);
    waits = !std::exchange(woken_, false);
  }
}

void SimTransport::WakeUp() {
  UncheckedSection unchecked;
  kernel_.Point(Site("transport.wake_up"));
  woken_ = true;
  if (polling_ != nullptr) kernel_.Unpark(*polling_);
}

}  // namespace ktrial::sim
