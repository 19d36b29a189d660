#include "tests/sim/broker/testing/scripted_transport.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ktrial::sim {

std::optional<ConnectionId> ScriptedTransport::Connect(std::uint16_t port) {
  const auto listener = listeners_.find(port);
  if (listener == listeners_.end()) return std::nullopt;
  const ConnectionId id(++last_id_);
  connections_[id];
  TransportEvent event;
  event.kind = TransportEvent::Kind::kAccepted;
  event.connection = id;
  event.listener = listener->second;
  accepted_.push_back(std::move(event));
  return id;
}

void ScriptedTransport::Write(ConnectionId connection, std::string_view bytes) {
  connections_.at(connection).in += bytes;
}

void ScriptedTransport::End(ConnectionId connection, EndReason reason) {
  Connection& found = connections_.at(connection);
  found.ended = reason;
  if (reason == EndReason::kReset) found.in.clear();
}

std::string ScriptedTransport::Read(ConnectionId connection) {
  return std::exchange(connections_.at(connection).out, {});
}

std::optional<Transport::CloseKind> ScriptedTransport::closed(ConnectionId connection) const {
  return connections_.at(connection).closed;
}

// An orderly end is met by reading; any other is told at once.
bool ScriptedTransport::EndsNow(const Connection& connection) {
  if (!connection.ended || !connection.in.empty()) return false;
  return *connection.ended != EndReason::kEnd || connection.read_interest;
}

bool ScriptedTransport::HasEvents() const {
  if (!accepted_.empty()) return true;
  return std::ranges::any_of(connections_, [](const auto& entry) {
    const Connection& c = entry.second;
    if (c.closed) return false;
    return (c.read_interest && !c.in.empty()) || (c.write_interest && c.room > 0) || EndsNow(c);
  });
}

ResolveId ScriptedTransport::Resolve(std::string_view) { return ResolveId(0); }
ResolveId ScriptedTransport::ResolveName(std::string_view) { return ResolveId(0); }
ConnectionId ScriptedTransport::Open(const Address&, std::string_view, SocketBuffers) { return ConnectionId(0); }

absl::StatusOr<Listening> ScriptedTransport::Listen(const Address& address, SocketBuffers) {
  const std::uint16_t port = address.port != 0 ? address.port : next_port_++;
  if (refuse_listening_ || listeners_.contains(port)) return absl::AlreadyExistsError("address in use");
  const ListenerId id(++last_id_);
  listeners_[port] = id;
  return Listening{id, {address.ip, port}};
}

void ScriptedTransport::StopListening(ListenerId listener) {
  std::erase_if(listeners_, [listener](const auto& entry) { return entry.second == listener; });
}

IoResult ScriptedTransport::Send(ConnectionId connection, std::span<const ConstBytes> pieces) {
  Connection& found = connections_.at(connection);
  if (found.closed || found.ended) return {IoResult::Kind::kEnded};
  std::size_t left = std::min(send_max_, found.room);
  if (left == 0) return {IoResult::Kind::kWouldBlock};
  std::size_t taken = 0;
  for (const ConstBytes piece : pieces) {
    const ConstBytes part = piece.substr(0, left);
    found.out += part;
    left -= part.size();
    taken += part.size();
  }
  found.room -= taken;
  return {IoResult::Kind::kBytes, taken};
}

IoResult ScriptedTransport::Receive(ConnectionId connection, std::span<char> buffer) {
  Connection& found = connections_.at(connection);
  KT_CHECK(!buffer.empty());
  if (found.closed) return {IoResult::Kind::kEnded};
  if (found.in.empty()) return {found.ended ? IoResult::Kind::kEnded : IoResult::Kind::kWouldBlock};
  const std::size_t count = std::min({buffer.size(), found.in.size(), receive_max_});
  std::copy_n(found.in.begin(), count, buffer.begin());
  found.in.erase(0, count);
  return {IoResult::Kind::kBytes, count};
}

void ScriptedTransport::Interest(ConnectionId connection, bool read, bool write) {
  Connection& found = connections_.at(connection);
  KT_CHECK(!found.closed);
  found.read_interest = read;
  found.write_interest = write;
}

void ScriptedTransport::Close(ConnectionId connection, CloseKind kind) {
  Connection& found = connections_.at(connection);
  if (!found.closed) found.closed = kind;
}

void ScriptedTransport::Poll(Instant deadline, std::vector<TransportEvent>& events, Site) {
  last_deadline_ = deadline;
  for (TransportEvent& event : accepted_) events.push_back(std::move(event));
  accepted_.clear();
  for (auto& [id, c] : connections_) {
    if (c.closed) continue;
    const auto add = [&events, id = id](TransportEvent::Kind kind, EndReason reason = EndReason::kEnd) {
      TransportEvent event;
      event.kind = kind;
      event.connection = id;
      event.reason = reason;
      events.push_back(std::move(event));
    };
    if (c.read_interest && !c.in.empty()) add(TransportEvent::Kind::kReadable);
    if (c.write_interest && c.room > 0) add(TransportEvent::Kind::kWritable);
    if (EndsNow(c)) {
      add(TransportEvent::Kind::kEnded, *c.ended);
      c.closed = CloseKind::kGraceful;
    }
  }
}

}  // namespace ktrial::sim
