// NetworkCore: what transports do with an open connection.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sim/network/network_core.h"
#include "sim/network/sim_transport.h"

namespace ktrial::sim {
namespace {

// Bytes that were read are dropped from the front of a pipe's buffer once there are so many of them.
constexpr std::size_t kCompactBytes = 64 * 1024;

}  // namespace

IoResult NetworkCore::Send(const ConnectionRef& connection, int side, std::span<const ConstBytes> pieces) {
  Endpoint& end = connection->end(side);
  if (end.end.has_value()) {
    end.end_met = true;
    return {.kind = IoResult::Kind::kEnded};
  }
  Pipe& pipe = connection->out(side);
  std::size_t offered = 0;
  for (const ConstBytes piece : pieces) offered += piece.size();
  if (!end.opened || offered == 0) return {};
  if (pipe.room() <= 0) {
    pipe.full = true;
    return {};
  }
  std::size_t take = std::min(offered, static_cast<std::size_t>(pipe.room()));
  if (take > 1 && connection->stream.OneIn(options_.split_one_in)) {
    take = connection->stream.OneIn(4) ? 1 : 1 + connection->stream.Below(take - 1);
  }
  const std::size_t start = pipe.bytes.size();
  std::size_t left = take;
  for (const ConstBytes piece : pieces) {
    const std::size_t part = std::min(left, piece.size());
    pipe.bytes.append(piece.data(), part);
    left -= part;
    if (left == 0) break;
  }
  trace_.NoteText(TraceKind::kSend, end.subject, take, std::string_view(pipe.bytes).substr(start));
  ++counts_.sends;
  counts_.bytes += static_cast<std::int64_t>(take);
  pipe.sent += take;
  if (connection->swallowed || pipe.cut) {
    pipe.bytes.resize(start);
    AnswerStray(connection, side);
  } else {
    Enqueue(connection, side, {.kind = Piece::Kind::kData, .end = pipe.sent});
  }
  return {.kind = IoResult::Kind::kBytes, .count = take};
}

IoResult NetworkCore::Receive(const ConnectionRef& connection, int side, std::span<char> buffer) {
  Endpoint& end = connection->end(side);
  Pipe& pipe = connection->in(side);
  const std::size_t unread = static_cast<std::size_t>(pipe.unread());
  if (unread == 0 && end.opened && pipe.finished && !end.end.has_value()) end.end = EndReason::kEnd;
  if (unread == 0 && end.end.has_value()) {
    end.end_met = true;
    return {.kind = IoResult::Kind::kEnded};
  }
  if (!end.opened || unread == 0 || buffer.empty()) return {};
  std::size_t take = std::min(unread, buffer.size());
  if (take > 1 && connection->stream.OneIn(options_.split_one_in)) take = 1 + connection->stream.Below(take - 1);
  std::memcpy(buffer.data(), pipe.bytes.data() + pipe.head, take);
  pipe.head += take;
  pipe.read += take;
  if (pipe.head == pipe.bytes.size()) {
    pipe.bytes.clear();
    pipe.head = 0;
  } else if (pipe.head >= kCompactBytes && pipe.head > pipe.bytes.size() / 2) {
    pipe.bytes.erase(0, pipe.head);
    pipe.head = 0;
  }
  trace_.Note(TraceKind::kReceive, end.subject, take);
  TellOfRoom(connection, 1 - side);
  return {.kind = IoResult::Kind::kBytes, .count = take};
}

// The side goes on sending after a FIN that came from between the ends (Disconnect): nobody takes it, and it is told so.
void NetworkCore::AnswerStray(const ConnectionRef& connection, int side) {
  if (connection->swallowed || std::exchange(connection->in(side).reset, true)) return;
  Enqueue(connection, 1 - side, {.kind = Piece::Kind::kReset});
}

// A sender that was turned away learns of the room after the way back; one that was not need not be told.
void NetworkCore::TellOfRoom(const ConnectionRef& connection, int side) {
  Pipe& pipe = connection->out(side);
  if (!pipe.full) {
    pipe.acked = pipe.read;
    return;
  }
  if (pipe.update_pending) return;
  pipe.update_pending = true;
  kernel_.At(kernel_.Now() + Latency(*connection), [connection, side] {
    Pipe& told = connection->out(side);
    told.update_pending = false;
    told.full = false;
    told.acked = told.read;
    if (connection->end(side).alive) connection->end(side).transport->Touch(connection, side);
  });
}

void NetworkCore::Close(const ConnectionRef& connection, int side, Transport::CloseKind kind) {
  Endpoint& end = connection->end(side);
  if (!end.alive) return;
  trace_.Note(TraceKind::kClose, end.subject, static_cast<std::uint64_t>(kind));
  end.alive = false;
  kernel_.Cancel(std::exchange(connection->connect_timer, EventId()));
  const bool unread = connection->in(side).unread() > 0;
  if (connection->end(1 - side).alive && end.end != EndReason::kReset) {
    if (kind == Transport::CloseKind::kReset || unread || !end.established) {
      Reset(connection, side);
    } else {
      Enqueue(connection, side, {.kind = Piece::Kind::kFin});
    }
  }
  ForgetIfOver(*connection);
}

// Whoever still has it in an event keeps the object; only the list forgets it.
void NetworkCore::ForgetIfOver(Connection& connection) {
  if (!connection.end(kClientSide).alive && !connection.end(kServerSide).alive) connections_.erase(connection.number);
}

}  // namespace ktrial::sim
