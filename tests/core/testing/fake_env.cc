#include "tests/core/testing/fake_env.h"

#include <algorithm>
#include <utility>

namespace ktrial::testing {

ResolveId FakeTransport::Resolve(std::string_view host) {
  const ResolveId id(next_id_++);
  const std::string name(host);
  ++resolve_counts_[name];
  resolves_[id] = name;
  const auto known = hosts.find(name);
  if (known != hosts.end()) AnswerResolve(name, known->second);
  return id;
}

ResolveId FakeTransport::ResolveName(std::string_view ip) {
  const ResolveId id(next_id_++);
  const auto known = names_of_ips.find(std::string(ip));
  const bool found = known != names_of_ips.end();
  pending_.push_back({.kind = found ? TransportEvent::Kind::kNamed : TransportEvent::Kind::kUnresolved,
                      .resolve = id,
                      .text = found ? known->second : "no name"});
  return id;
}

void FakeTransport::AnswerResolve(const std::string& host, std::vector<std::string> addresses) {
  for (auto it = resolves_.begin(); it != resolves_.end();) {
    if (it->second != host) {
      ++it;
      continue;
    }
    const bool found = !addresses.empty();
    pending_.push_back({.kind = found ? TransportEvent::Kind::kResolved : TransportEvent::Kind::kUnresolved,
                        .resolve = it->first,
                        .addresses = addresses,
                        .text = found ? "" : "no such host"});
    it = resolves_.erase(it);
  }
}

ConnectionId FakeTransport::Open(const Address& address, std::string_view host, SocketBuffers) {
  const ConnectionId id(next_id_++);
  streams_[id] = Stream{.address = address, .host = std::string(host)};
  opens_.push_back(id);
  if (on_open) on_open(id);
  return id;
}

IoResult FakeTransport::Send(ConnectionId connection, std::span<const ConstBytes> pieces) {
  Stream& stream = streams_.at(connection);
  ++stream.send_calls;
  if (stream.closed || stream.ended) return {.kind = IoResult::Kind::kEnded};
  if (!stream.opened || stream.room == 0) return {.kind = IoResult::Kind::kWouldBlock};
  std::size_t taken = 0;
  for (const ConstBytes piece : pieces) {
    const std::size_t count = std::min(piece.size(), stream.room);
    stream.sent += piece.substr(0, count);
    stream.room -= count;
    taken += count;
    if (count < piece.size()) break;
  }
  if (taken == 0) return {.kind = IoResult::Kind::kWouldBlock};
  if (on_sent) on_sent(connection);
  return {.kind = IoResult::Kind::kBytes, .count = taken};
}

IoResult FakeTransport::Receive(ConnectionId connection, std::span<char> buffer) {
  Stream& stream = streams_.at(connection);
  if (stream.closed || stream.ended) return {.kind = IoResult::Kind::kEnded};
  if (stream.incoming.empty()) {
    return {.kind = stream.pending_end.has_value() ? IoResult::Kind::kEnded : IoResult::Kind::kWouldBlock};
  }
  const std::size_t count = std::min(buffer.size(), stream.incoming.size());
  std::copy_n(stream.incoming.begin(), count, buffer.begin());
  stream.incoming.erase(0, count);
  return {.kind = IoResult::Kind::kBytes, .count = count};
}

void FakeTransport::Interest(ConnectionId connection, bool read, bool write) {
  Stream& stream = streams_.at(connection);
  stream.wants_read = read;
  stream.wants_write = write;
}

void FakeTransport::Close(ConnectionId connection, CloseKind kind) {
  Stream& stream = streams_.at(connection);
  stream.closed = true;
  stream.close_kind = kind;
  std::erase_if(pending_, [&](const TransportEvent& event) { return event.connection == connection; });
}

void FakeTransport::Collect(std::vector<TransportEvent>& events) {
  for (TransportEvent& event : std::exchange(pending_, {})) events.push_back(std::move(event));
  for (auto& [id, stream] : streams_) {
    if (stream.closed || stream.ended) continue;
    if (!stream.incoming.empty()) {
      if (stream.opened && stream.wants_read) {
        events.push_back({.kind = TransportEvent::Kind::kReadable, .connection = id});
      }
    } else if (stream.pending_end.has_value()) {
      events.push_back(*std::exchange(stream.pending_end, std::nullopt));
      stream.ended = true;
      continue;
    }
    if (stream.opened && stream.wants_write && stream.room > 0) {
      events.push_back({.kind = TransportEvent::Kind::kWritable, .connection = id});
    }
  }
}

void FakeTransport::Poll(Instant deadline, std::vector<TransportEvent>& events, Site) {
  last_deadline_ = deadline;
  ++poll_count_;
  for (;;) {
    Collect(events);
    if (!events.empty() || std::exchange(woken_, false)) return;
    if (!timers_.empty() && timers_.begin()->first <= std::max(deadline, clock_.Now())) {
      const auto first = timers_.begin();
      clock_.AdvanceTo(first->first);
      const std::function<void()> action = std::move(first->second);
      timers_.erase(first);
      action();
      continue;
    }
    // A test that waits for ever has nothing more to play.
    if (deadline != Instant::Never()) clock_.AdvanceTo(deadline);
    return;
  }
}

}  // namespace ktrial::testing
