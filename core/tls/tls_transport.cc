#include "core/tls/tls_transport.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/tls/tls_stream.h"

namespace ktrial {
namespace {

// One Send encrypts no more than that, one Poll takes no more than a chunk of it for each connection: none may starve the others.
constexpr std::size_t kSendBytesMax = 16 * TlsStream::kRecordBytes;
constexpr std::size_t kChunkBytes = 2 * TlsStream::kRecordBytes;
// Of what is thrown away at a close: enough for what peers send unasked.
constexpr std::size_t kDiscardBytesMax = 4 * kChunkBytes;

class TlsTransport final : public Transport {
 public:
  TlsTransport(std::unique_ptr<Transport> below, TlsContexts contexts, const Clock& clock)
      : contexts_(std::move(contexts)), clock_(clock), below_(std::move(below)) {}

  ResolveId Resolve(std::string_view host) override { return below_->Resolve(host); }
  ResolveId ResolveName(std::string_view ip) override { return below_->ResolveName(ip); }
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) override;
  absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) override {
    KT_CHECK(contexts_.server != nullptr);
    return below_->Listen(address, buffers);
  }
  void StopListening(ListenerId listener) override { below_->StopListening(listener); }
  IoResult Send(ConnectionId id, std::span<const ConstBytes> pieces) override;
  IoResult Receive(ConnectionId id, std::span<char> buffer) override;
  void Interest(ConnectionId id, bool read, bool write) override;
  void Close(ConnectionId id, CloseKind kind) override;
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override;
  void WakeUp() override { below_->WakeUp(); }

 private:
  // opening -> shaking -> open -> ended; each of the others may become ended.
  enum class Stage : std::uint8_t { kOpening, kShaking, kOpen, kEnded };
  struct Connection {
    Stage stage = Stage::kOpening;
    bool accepted = false;  // Else we opened it, to `host`.
    std::string host;
    std::unique_ptr<TlsStream> stream;
    bool read = false;  // What the user waits for.
    bool write = false;
    bool read_below = false;  // What we wait for.
    bool write_below = false;
    std::size_t encrypted = 0;  // Of the user's bytes, what is in the stream's Outgoing and was not reported as taken.
    bool heard = false;         // The peer has said something behind the handshake.
    bool dead_below = false;    // Nothing more comes from below but the event, if that has not come.
    bool told = false;          // Receive has said that it is over.
    std::optional<TransportEvent> end_below;  // That event, kept back until what came before it is read.
  };

  Connection* Find(ConnectionId id) {
    const auto found = connections_.find(id);
    return found == connections_.end() || found->second.stage == Stage::kEnded ? nullptr : &found->second;
  }
  // Gives up what is below, and queues the last event.
  void End(ConnectionId id, Connection& connection, EndReason reason, std::string text);
  void EndAsBelow(ConnectionId id, Connection& connection, const TransportEvent& below);
  void EndAsStream(ConnectionId id, Connection& connection, TlsStream::State state);
  // Writes below what is to be sent. False: the connection is dead there.
  bool Flush(ConnectionId id, Connection& connection);
  // Reads below once, into the stream.
  IoResult::Kind Pull(ConnectionId id, Connection& connection);
  void Shake(ConnectionId id, Connection& connection);
  // The next record's worth of `pieces` from byte `skip` on; empty at their end.
  std::string_view Gather(std::span<const ConstBytes> pieces, std::size_t skip);
  void WaitBelow(ConnectionId id, Connection& connection);
  static bool HasSomethingToRead(const Connection& connection) {
    return connection.stage == Stage::kOpen && connection.read && !connection.told &&
           (connection.dead_below || connection.stream->Look() != TlsStream::State::kNeedsBytes);
  }

  void OnBelow(TransportEvent& event, std::vector<TransportEvent>& events);
  void OnReadable(ConnectionId id, Connection& connection);
  void OnEnded(ConnectionId id, Connection& connection, TransportEvent& event);
  void Deliver(std::vector<TransportEvent>& events);

  // Set in the constructor, never changed.
  const TlsContexts contexts_;
  const Clock& clock_;
  const std::unique_ptr<Transport> below_;

  // Only the owner's thread. Ids are those of below_.
  std::map<ConnectionId, Connection> connections_;
  std::deque<TransportEvent> queued_;
  std::vector<TransportEvent> below_events_;  // Kept from one poll to the next for its memory, as are the next two.
  std::array<char, kChunkBytes> chunk_;
  std::string gathered_;
};

ConnectionId TlsTransport::Open(const Address& address, std::string_view host, SocketBuffers buffers) {
  KT_CHECK(contexts_.client != nullptr);
  const ConnectionId id = below_->Open(address, host, buffers);
  connections_[id].host = host;
  return id;
}

void TlsTransport::End(ConnectionId id, Connection& connection, EndReason reason, std::string text) {
  connection.stage = Stage::kEnded;
  connection.stream.reset();
  below_->Close(id);
  queued_.push_back(
      {.kind = TransportEvent::Kind::kEnded, .reason = reason, .connection = id, .text = std::move(text)});
}

void TlsTransport::EndAsBelow(ConnectionId id, Connection& connection, const TransportEvent& below) {
  if (below.reason != EndReason::kEnd) return End(id, connection, below.reason, below.text);
  End(id, connection, EndReason::kReset,
      connection.stage == Stage::kOpen
          ? "the peer closed the connection without the good bye of TLS"
          : "the peer closed the connection during the TLS handshake: is it a listener without TLS?");
}

void TlsTransport::EndAsStream(ConnectionId id, Connection& connection, TlsStream::State state) {
  if (state == TlsStream::State::kEnd) return End(id, connection, EndReason::kEnd, "the peer closed the connection");
  std::string text = connection.stream->failure();
  Flush(id, connection);  // The alert. If it does not get through, the peer sees a reset.
  End(id, connection, connection.heard ? EndReason::kReset : EndReason::kHandshake, std::move(text));
}

bool TlsTransport::Flush(ConnectionId id, Connection& connection) {
  while (!connection.stream->Outgoing().empty()) {
    const std::array<ConstBytes, 1> pieces = {connection.stream->Outgoing()};
    const IoResult result = below_->Send(id, pieces);
    if (result.kind == IoResult::Kind::kEnded) connection.dead_below = true;
    if (result.kind != IoResult::Kind::kBytes) break;
    connection.stream->Sent(result.count);
  }
  return !connection.dead_below;
}

IoResult::Kind TlsTransport::Pull(ConnectionId id, Connection& connection) {
  if (connection.dead_below) return IoResult::Kind::kEnded;
  const IoResult result = below_->Receive(id, chunk_);
  if (result.kind == IoResult::Kind::kBytes) connection.stream->Feed(std::string_view(chunk_.data(), result.count));
  if (result.kind == IoResult::Kind::kEnded) connection.dead_below = true;
  return result.kind;
}

void TlsTransport::WaitBelow(ConnectionId id, Connection& connection) {
  const bool open = connection.stage == Stage::kOpen;
  const bool read = !open || connection.read;
  const bool write = (open && connection.write) || !connection.stream->Outgoing().empty();
  if (read == connection.read_below && write == connection.write_below) return;
  connection.read_below = read;
  connection.write_below = write;
  below_->Interest(id, read, write);
}

void TlsTransport::Shake(ConnectionId id, Connection& connection) {
  const TlsStream::Handshake step = connection.stream->Shake();
  if (step == TlsStream::Handshake::kFailed) return EndAsStream(id, connection, TlsStream::State::kFailed);
  Flush(id, connection);
  if (step == TlsStream::Handshake::kDone) {
    connection.stage = Stage::kOpen;
    if (!connection.accepted) queued_.push_back({.kind = TransportEvent::Kind::kOpened, .connection = id});
  }
  WaitBelow(id, connection);
}

std::string_view TlsTransport::Gather(std::span<const ConstBytes> pieces, std::size_t skip) {
  while (!pieces.empty() && skip >= pieces.front().size()) {
    skip -= pieces.front().size();
    pieces = pieces.subspan(1);
  }
  if (pieces.empty()) return {};
  const std::string_view first = pieces.front().substr(skip, TlsStream::kRecordBytes);
  if (first.size() == TlsStream::kRecordBytes || pieces.size() == 1) return first;
  gathered_.assign(first);
  for (const ConstBytes piece : pieces.subspan(1)) {
    gathered_ += piece.substr(0, TlsStream::kRecordBytes - gathered_.size());
    if (gathered_.size() == TlsStream::kRecordBytes) break;
  }
  return gathered_;
}

IoResult TlsTransport::Send(ConnectionId id, std::span<const ConstBytes> pieces) {
  Connection* connection = Find(id);
  if (connection == nullptr) return {IoResult::Kind::kEnded, 0};
  if (connection->stage != Stage::kOpen) return {IoResult::Kind::kWouldBlock, 0};
  std::size_t taken = 0;
  while (Flush(id, *connection) && connection->stream->Outgoing().empty()) {
    taken += std::exchange(connection->encrypted, 0);
    const std::string_view next = taken < kSendBytesMax ? Gather(pieces, taken) : std::string_view();
    if (next.empty()) break;
    if (!connection->stream->Write(next)) {
      EndAsStream(id, *connection, TlsStream::State::kFailed);
      return {IoResult::Kind::kEnded, 0};
    }
    connection->encrypted = next.size();
  }
  WaitBelow(id, *connection);
  if (taken > 0) return {IoResult::Kind::kBytes, taken};
  return {connection->dead_below ? IoResult::Kind::kEnded : IoResult::Kind::kWouldBlock, 0};
}

IoResult TlsTransport::Receive(ConnectionId id, std::span<char> buffer) {
  Connection* connection = Find(id);
  if (connection == nullptr) return {IoResult::Kind::kEnded, 0};
  if (connection->stage != Stage::kOpen || buffer.empty()) return {IoResult::Kind::kWouldBlock, 0};
  std::size_t count = 0;
  IoResult::Kind stop = IoResult::Kind::kBytes;
  while (count < buffer.size() && stop == IoResult::Kind::kBytes) {
    const IoResult result = connection->stream->Read(buffer.subspan(count));
    stop = result.kind;
    count += result.count;
    if (stop == IoResult::Kind::kWouldBlock) stop = Pull(id, *connection);
  }
  if (count > 0) {
    connection->heard = true;
  } else if (const TlsStream::State state = connection->stream->Look(); state != TlsStream::State::kNeedsBytes) {
    EndAsStream(id, *connection, state);
  } else if (connection->end_below.has_value()) {
    EndAsBelow(id, *connection, *connection->end_below);
  }
  if (connection->stage == Stage::kOpen) {
    Flush(id, *connection);  // What a peer asks for besides: new keys.
    WaitBelow(id, *connection);
  }
  connection->told = connection->told || (count == 0 && stop == IoResult::Kind::kEnded);
  return {count > 0 ? IoResult::Kind::kBytes : stop, count};
}

void TlsTransport::Interest(ConnectionId id, bool read, bool write) {
  Connection* connection = Find(id);
  if (connection == nullptr) return;
  connection->read = read;
  connection->write = write;
  if (connection->stage == Stage::kOpen) WaitBelow(id, *connection);
}

void TlsTransport::Close(ConnectionId id, CloseKind kind) {
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if (connection.stage == Stage::kEnded) {
    std::erase_if(queued_, [id](const TransportEvent& event) { return event.connection == id; });
  } else if (connection.stage == Stage::kOpen && kind == CloseKind::kGraceful && !connection.dead_below) {
    // Unread bytes would make a reset of the close, and that could take what was sent with it. The user has not left any unread,
    // but TLS may: tickets for sessions that are never resumed.
    std::size_t discarded = 0;
    IoResult result{.kind = IoResult::Kind::kBytes};
    while (result.kind == IoResult::Kind::kBytes && discarded < kDiscardBytesMax) {
      result = below_->Receive(id, chunk_);
      discarded += result.count;
    }
    connection.stream->SayGoodbye();
    Flush(id, connection);
  }
  connections_.erase(found);
  std::erase_if(queued_, [id](const TransportEvent& event) { return event.connection == id; });
  below_->Close(id, kind);
}

void TlsTransport::OnReadable(ConnectionId id, Connection& connection) {
  if (connection.stage == Stage::kOpen) {
    if (connection.stream->Look() == TlsStream::State::kNeedsBytes) Pull(id, connection);
    return;
  }
  while (connection.stage == Stage::kShaking && Pull(id, connection) == IoResult::Kind::kBytes) Shake(id, connection);
}

void TlsTransport::OnEnded(ConnectionId id, Connection& connection, TransportEvent& event) {
  connection.dead_below = true;
  if (connection.stage == Stage::kOpening) return End(id, connection, event.reason, std::move(event.text));
  const bool unread = connection.stage == Stage::kOpen && connection.stream->Look() != TlsStream::State::kNeedsBytes;
  // Who reads meets the end behind the bytes; who does not is told of a reset at once, of an orderly end when all is read.
  const bool reads = connection.stage == Stage::kOpen && connection.read;
  if (!connection.told && (reads || (unread && event.reason == EndReason::kEnd))) {
    connection.end_below = std::move(event);
  } else {
    EndAsBelow(id, connection, event);
  }
}

void TlsTransport::OnBelow(TransportEvent& event, std::vector<TransportEvent>& events) {
  using Kind = TransportEvent::Kind;
  const ConnectionId id = event.connection;
  if (event.kind == Kind::kAccepted) {
    Connection& connection = connections_[id];
    connection.stage = Stage::kShaking;
    connection.accepted = true;
    connection.stream = std::make_unique<TlsStream>(*contexts_.server, std::string_view(), clock_.WallNow());
    WaitBelow(id, connection);
  }
  const bool looked_up = event.kind == Kind::kResolved || event.kind == Kind::kNamed || event.kind == Kind::kUnresolved;
  if (looked_up || event.kind == Kind::kAccepted) {
    events.push_back(std::move(event));
    return;
  }
  Connection* connection = Find(id);
  if (connection == nullptr) return;
  switch (event.kind) {
    case Kind::kOpened:
      connection->stage = Stage::kShaking;
      connection->stream = std::make_unique<TlsStream>(*contexts_.client, connection->host, clock_.WallNow());
      return Shake(id, *connection);
    case Kind::kReadable:
      return OnReadable(id, *connection);
    case Kind::kWritable:
      Flush(id, *connection);
      if (connection->stage == Stage::kOpen && connection->write && connection->stream->Outgoing().empty()) {
        events.push_back(std::move(event));
      }
      return WaitBelow(id, *connection);
    case Kind::kEnded:
      return OnEnded(id, *connection, event);
    case Kind::kResolved:
    case Kind::kNamed:
    case Kind::kUnresolved:
    case Kind::kAccepted:
      break;
  }
}

void TlsTransport::Deliver(std::vector<TransportEvent>& events) {
  for (TransportEvent& event : queued_) {
    if (event.kind == TransportEvent::Kind::kEnded) connections_.erase(event.connection);
    events.push_back(std::move(event));
  }
  queued_.clear();
}

void TlsTransport::Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) {
  const auto readable = [](const auto& entry) { return HasSomethingToRead(entry.second); };
  // What is here already is not a reason to wait, nor one to leave the others alone.
  const bool ready = !queued_.empty() || std::ranges::any_of(connections_, readable);
  below_->Poll(ready ? Instant() : deadline, below_events_, site);
  for (TransportEvent& event : below_events_) OnBelow(event, events);
  below_events_.clear();
  for (const auto& [id, connection] : connections_) {
    if (HasSomethingToRead(connection)) {
      events.push_back({.kind = TransportEvent::Kind::kReadable, .connection = id});
    }
  }
  Deliver(events);
}

}  // namespace

std::unique_ptr<Transport> NewTlsTransport(std::unique_ptr<Transport> below, TlsContexts contexts, const Clock& clock) {
  return std::make_unique<TlsTransport>(std::move(below), std::move(contexts), clock);
}

}  // namespace ktrial
