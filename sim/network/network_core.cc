#include "sim/network/network_core.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "sim/network/sim_transport.h"

namespace ktrial::sim {
namespace {

std::int64_t BufferBytes(std::int32_t asked, std::int64_t by_default) { return asked > 0 ? asked : by_default; }

}  // namespace

NodeId Connection::node(int side) const { return side == kServerSide ? broker : kClients; }

NetworkCore::NetworkCore(Kernel& kernel, const NetworkOptions& options)
    : kernel_(kernel),
      options_(options),
      trace_(kernel.trace()),
      subject_(trace_.AddSubject("network")),
      polls_(kernel.NewStream("network", "early return")),
      resolves_(kernel.NewStream("network", "resolve")) {}

void NetworkCore::Remove(SimTransport& transport) { transports_.erase(transport.number()); }

// --- Opening ---

ConnectionRef NetworkCore::Open(SimTransport& transport, ConnectionId id, const Address& from, const Address& to,
                                SocketBuffers buffers) {
  const std::string name = AddressText(from) + ">" + AddressText(to);
  const std::uint64_t number = next_connection_++;
  auto connection = std::make_shared<Connection>(number, from, to, BrokerAt(to), kernel_.NewStream(name, "network"));
  connections_.emplace(number, connection);
  connection->client_buffers = buffers;
  Endpoint& end = connection->end(kClientSide);
  end.transport = &transport;
  end.id = id;
  end.alive = true;
  end.subject = trace_.AddSubject(name);
  trace_.Note(TraceKind::kOpen, end.subject);
  ++counts_.opens;
  if (!IsIpLiteral(to.ip)) {
    end.end = EndReason::kLocal;
    end.end_text = "not an IP address";
    transport.Touch(connection, kClientSide);
    return connection;
  }
  const Instant give_up = kernel_.Now() + options_.connect_timeout;
  connection->connect_timer = kernel_.At(give_up, [this, connection] {
    connection->connect_timer = EventId();
    FailOpen(connection, EndReason::kUnreachable, "connection timed out", kernel_.Now());
  });
  connection->instant = rules_.Meets(NetworkRule::Kind::kInstantConnect, connection->broker).has_value();
  const Duration latency = connection->instant ? Duration::zero() : Latency(*connection);
  kernel_.At(kernel_.Now() + latency, [this, connection] { ArriveSyn(connection); });
  return connection;
}

NodeId NetworkCore::BrokerAt(const Address& address) const {
  NodeId found = kNoNode;
  int on_this_ip = 0;
  for (const auto& [broker, where] : brokers_) {
    if (where == address) return broker;
    if (where.ip != address.ip) continue;
    found = broker;
    ++on_this_ip;
  }
  return on_this_ip == 1 ? found : kNoNode;
}

void NetworkCore::ArriveSyn(const ConnectionRef& connection) {
  if (!connection->end(kClientSide).alive) return ForgetIfOver(*connection);
  connection->syn_resent = false;
  if (!connection->misrouted_by.has_value()) Misroute(*connection);
  const NodeId broker = connection->broker;
  const Instant now = kernel_.Now();
  if (rules_.Holds(kClients, broker, !connection->syn_held)) {
    connection->syn_held = true;
    return;
  }
  connection->syn_held = false;
  if (rules_.Meets(NetworkRule::Kind::kDropConnect, broker)) return;
  if (rules_.Meets(NetworkRule::Kind::kUnreachable, broker)) {
    return FailOpen(connection, EndReason::kUnreachable, "no route to host", now + Latency(*connection));
  }
  if (rules_.Meets(NetworkRule::Kind::kRefuseConnect, broker)) {
    return FailOpen(connection, EndReason::kRefused, "connection refused", now + Latency(*connection));
  }
  const bool closes = rules_.Meets(NetworkRule::Kind::kAcceptThenClose, broker).has_value();
  if (closes || rules_.Meets(NetworkRule::Kind::kBlackhole, broker)) {
    connection->out(kClientSide).capacity = options_.send_buffer_bytes;
    connection->out(kServerSide).capacity = options_.send_buffer_bytes;
    Enqueue(connection, kServerSide, {.kind = Piece::Kind::kSynAck});
    if (closes) Enqueue(connection, kServerSide, {.kind = Piece::Kind::kFin});
    connection->swallowed = !closes;
    return;
  }
  const auto listener = listeners_.find(connection->server);
  if (listener != listeners_.end()) return Accept(connection, listener->second);
  // Nobody answers for an address without a host.
  if (!hosts_.contains(connection->server.ip)) return;
  FailOpen(connection, EndReason::kRefused, "connection refused", now + Latency(*connection));
}

// From here on it is a connection to whoever has the address now.
void NetworkCore::Misroute(Connection& connection) {
  connection.misrouted_by = rules_.Meets(NetworkRule::Kind::kMisroute, connection.broker);
  if (!connection.misrouted_by.has_value()) return;
  connection.broker = rules_.At(*connection.misrouted_by).others.front();
  connection.server = brokers_.at(connection.broker);
}

void NetworkCore::Accept(const ConnectionRef& connection, const Listener& listener) {
  Endpoint& end = connection->end(kServerSide);
  end.transport = listener.transport;
  end.alive = true;
  end.established = true;
  end.opened = true;
  end.subject = trace_.AddSubject(AddressText(connection->server) + ">" + AddressText(connection->client));
  trace_.Note(TraceKind::kAccept, end.subject);
  ++counts_.connections;
  const SocketBuffers& client = connection->client_buffers;
  const SocketBuffers& server = listener.buffers;
  connection->out(kClientSide).capacity = BufferBytes(client.send_bytes, options_.send_buffer_bytes) +
                                          BufferBytes(server.receive_bytes, options_.receive_buffer_bytes);
  connection->out(kServerSide).capacity = BufferBytes(server.send_bytes, options_.send_buffer_bytes) +
                                          BufferBytes(client.receive_bytes, options_.receive_buffer_bytes);
  end.id = listener.transport->Accepted(listener.id, connection);
  Enqueue(connection, kServerSide, {.kind = Piece::Kind::kSynAck});
}

void NetworkCore::FailOpen(const ConnectionRef& connection, EndReason reason, std::string_view text, Instant when) {
  if (when > kernel_.Now()) {
    kernel_.At(when, [this, connection, reason, text] { FailOpen(connection, reason, text, kernel_.Now()); });
    return;
  }
  Endpoint& end = connection->end(kClientSide);
  if (!end.alive || end.established || end.end.has_value()) return;
  kernel_.Cancel(std::exchange(connection->connect_timer, EventId()));
  end.end = reason;
  end.end_text = text;
  end.transport->Touch(connection, kClientSide);
}

bool NetworkCore::Listen(SimTransport& transport, ListenerId id, const Address& address, SocketBuffers buffers) {
  AddHost(address.ip);
  return listeners_.emplace(address, Listener{.transport = &transport, .id = id, .buffers = buffers}).second;
}

// --- On the way ---

Duration NetworkCore::Latency(Connection& connection) {
  const auto own = broker_latency_.find(connection.broker);
  const Distribution& latency = own != broker_latency_.end() ? own->second : options_.latency;
  const Duration drawn = latency.Draw(connection.stream);
  return drawn + rules_.AddedLatency(connection.broker, connection.stream);
}

// When the last byte has left, on a line that all connections of a broker share.
Instant NetworkCore::Transmission(Connection& connection, int side, std::size_t size) {
  const std::int64_t limit =
      rules_.BytesPerSecond(connection.broker, connection.broker == kNoNode ? 0 : options_.bytes_per_second);
  if (limit == 0) return kernel_.Now();
  Instant& busy = busy_until_[{connection.broker, side}];
  __extension__ using Wide = __int128;
  const Duration takes(static_cast<std::int64_t>(static_cast<Wide>(size) * 1'000'000'000 / limit));
  busy = std::max(busy, kernel_.Now()) + takes;
  return busy;
}

// Sets when the piece is due: never before the one in front of it.
void NetworkCore::Enqueue(const ConnectionRef& connection, int side, Piece piece) {
  Pipe& pipe = connection->out(side);
  const std::uint64_t before = pipe.pieces.empty() ? pipe.arrived : pipe.pieces.back().end;
  const std::size_t size = piece.kind == Piece::Kind::kData ? piece.end - before : 0;
  const Instant left = size == 0 ? kernel_.Now() : Transmission(*connection, side, size);
  const bool instant = piece.kind == Piece::Kind::kSynAck && connection->instant;
  piece.due = std::max(pipe.last_due, instant ? left : left + Latency(*connection));
  if (piece.kind != Piece::Kind::kData) piece.end = before;
  if (size > 1 && connection->stream.OneIn(options_.split_one_in)) {
    // The rest comes a little later, so that the receiver can look in between.
    Piece first = piece;
    first.end = before + 1 + connection->stream.Below(size - 1);
    pipe.pieces.push_back(first);
    piece.due = piece.due + connection->stream.Between(Duration(1'000), Duration(200'000));
  }
  pipe.last_due = piece.due;
  pipe.pieces.push_back(piece);
  ScheduleDelivery(connection, side);
}

void NetworkCore::ScheduleDelivery(const ConnectionRef& connection, int side) {
  Pipe& pipe = connection->out(side);
  if (pipe.delivery != EventId() || pipe.held || pipe.pieces.empty()) return;
  pipe.delivery = kernel_.At(pipe.pieces.front().due, [this, connection, side] {
    connection->out(side).delivery = EventId();
    Deliver(connection, side);
  });
}

void NetworkCore::Deliver(const ConnectionRef& connection, int side) {
  Pipe& pipe = connection->out(side);
  const NodeId from = connection->node(side);
  const NodeId to = connection->node(1 - side);
  while (!pipe.pieces.empty() && pipe.pieces.front().due <= kernel_.Now()) {
    if (rules_.Holds(from, to, !pipe.held)) {
      pipe.held = true;
      return;
    }
    const Piece piece = pipe.pieces.front();
    pipe.pieces.pop_front();
    if (!ArrivePiece(connection, side, piece)) break;
  }
  ScheduleDelivery(connection, side);
  ForgetIfOver(*connection);
}

bool NetworkCore::ArrivePiece(const ConnectionRef& connection, int side, const Piece& piece) {
  Endpoint& to = connection->end(1 - side);
  Pipe& pipe = connection->out(side);
  if (piece.kind == Piece::Kind::kSynAck) {
    if (!to.alive || to.end.has_value()) return true;
    kernel_.Cancel(std::exchange(connection->connect_timer, EventId()));
    to.established = true;
    trace_.Note(TraceKind::kOpened, to.subject);
    to.transport->Notify({.kind = TransportEvent::Kind::kOpened, .connection = to.id});
    return true;
  }
  if (connection->swallowed || rules_.Meets(NetworkRule::Kind::kBlackhole, connection->broker)) {
    Swallow(*connection);
    return false;
  }
  if (!to.alive) {
    // Data for somebody who has closed is answered with a reset; FIN and RST are not.
    if (piece.kind != Piece::Kind::kData) return true;
    pipe.cut = true;
    DropUndelivered(pipe);
    if (connection->end(side).alive) Reset(connection, 1 - side);
    return false;
  }
  switch (piece.kind) {
    case Piece::Kind::kData:
      pipe.arrived = piece.end;
      break;
    case Piece::Kind::kFin:
      pipe.finished = true;
      break;
    case Piece::Kind::kReset:
      ArriveReset(*connection, 1 - side);
      break;
    case Piece::Kind::kSynAck:
      break;
  }
  to.transport->Touch(connection, 1 - side);
  return true;
}

void NetworkCore::ArriveReset(Connection& connection, int side) {
  Endpoint& end = connection.end(side);
  end.end = EndReason::kReset;
  end.end_text = "connection reset by peer";
  ++counts_.resets;
  Pipe& in = connection.in(side);
  if (in.unread() == 0 || !connection.stream.OneIn(options_.reset_loses_one_in)) return;
  in.bytes.clear();
  in.head = 0;
  in.read = in.arrived;
}

// Nothing that is under way arrives any more, in either direction; the endpoints learn nothing.
void NetworkCore::Swallow(Connection& connection) {
  connection.swallowed = true;
  for (Pipe& pipe : connection.pipes) DropUndelivered(pipe);
}

void NetworkCore::DropUndelivered(Pipe& pipe) {
  kernel_.Cancel(std::exchange(pipe.delivery, EventId()));
  pipe.pieces.clear();
  // Positions of what was dropped stay taken: the sender does not learn that there is room.
  pipe.bytes.resize(pipe.head + static_cast<std::size_t>(pipe.unread()));
}

// The side sends RST. What it had sent and is still under way is lost.
void NetworkCore::Reset(const ConnectionRef& connection, int side) {
  Pipe& pipe = connection->out(side);
  const bool reset_before = std::exchange(pipe.reset, true);
  if (reset_before || connection->swallowed) return;
  DropUndelivered(pipe);
  pipe.cut = true;
  pipe.held = false;
  pipe.last_due = kernel_.Now();
  Enqueue(connection, side, {.kind = Piece::Kind::kReset});
}

}  // namespace ktrial::sim
