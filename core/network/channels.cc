#include "core/network/channels.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

// One connection may not keep the others waiting for ever: what is left is still readable in the next poll.
constexpr std::size_t kReceiveBytesMax = 4 << 20;

}  // namespace

void ChannelEvents::Clear() {
  writable.clear();
  readable.clear();
  ended.clear();
  resolved.clear();
  opened.clear();
  looked_up.clear();
}

Channels::Channel* Channels::Find(NodeId id) {
  const auto found = channels_.find(id);
  return found == channels_.end() ? nullptr : &found->second;
}

void Channels::Resolve(NodeId id, std::string_view host) {
  const auto [place, is_new] = channels_.try_emplace(id, Channel{.reader = wire::FrameReader(frame_bytes_max_)});
  KT_CHECK(is_new);
  place->second.resolve = transport_.Resolve(host);
  by_resolve_[*place->second.resolve] = id;
}

ResolveId Channels::LookUp(std::string_view host) { return *look_ups_.insert(transport_.Resolve(host)).first; }

ResolveId Channels::LookUpName(std::string_view ip) { return *look_ups_.insert(transport_.ResolveName(ip)).first; }

void Channels::Open(NodeId id, const Address& address, std::string_view host, Instant now) {
  const auto [place, is_new] = channels_.try_emplace(id, Channel{.reader = wire::FrameReader(frame_bytes_max_)});
  KT_CHECK(is_new || !place->second.resolve.has_value());
  Channel& channel = place->second;
  channel.connection = transport_.Open(address, host, buffers_);
  channel.last_active = now;
  by_connection_[channel.connection] = id;
}

void Channels::Close(NodeId id) {
  const auto found = channels_.find(id);
  if (found == channels_.end()) return;
  const Channel& channel = found->second;
  if (channel.resolve.has_value()) by_resolve_.erase(*channel.resolve);
  if (by_connection_.erase(channel.connection) > 0) transport_.Close(channel.connection);
  channels_.erase(found);
}

void Channels::CloseAll() {
  while (!channels_.empty()) Close(channels_.begin()->first);
}

void Channels::Write(NodeId id, const wire::GatherBytes& frame, std::size_t& written, Instant now) {
  Channel* channel = Find(id);
  KT_CHECK(channel != nullptr && channel->open);
  while (written < frame.size()) {
    std::span<const ConstBytes> pieces = frame.pieces();
    if (written > 0) {
      rest_.clear();
      std::size_t skip = written;
      for (const ConstBytes piece : pieces) {
        const std::size_t skipped = std::min(skip, piece.size());
        skip -= skipped;
        if (skipped < piece.size()) rest_.push_back(piece.substr(skipped));
      }
      pieces = rest_;
    }
    const IoResult result = transport_.Send(channel->connection, pieces);
    if (result.kind != IoResult::Kind::kBytes) break;  // Its end is an event of its own.
    written += result.count;
    observer_.OnBytesWritten(id, static_cast<std::int64_t>(result.count));
    KT_CHECK(written <= frame.size());
    channel->last_active = now;
  }
  const bool wants_write = written < frame.size();
  if (wants_write != channel->wants_write) {
    channel->wants_write = wants_write;
    transport_.Interest(channel->connection, /*read=*/true, wants_write);
  }
}

absl::Status Channels::Receive(NodeId id, absl::FunctionRef<absl::Status(std::string_view frame)> take) {
  Channel* channel = Find(id);
  KT_CHECK(channel != nullptr && channel->open);
  std::size_t received = 0;
  bool more = true;
  while (more && received < kReceiveBytesMax) {
    const std::span<char> space = channel->reader.Space();
    const IoResult result = transport_.Receive(channel->connection, space);
    if (result.kind != IoResult::Kind::kBytes) break;
    channel->reader.Filled(result.count);
    received += result.count;
    observer_.OnBytesReceived(id, static_cast<std::int64_t>(result.count));
    // Less than there was room for: nothing more has come yet, and asking again would cost a call to the system.
    more = result.count == space.size();
    for (;;) {
      absl::StatusOr<std::optional<std::string_view>> frame = channel->reader.Next();
      if (!frame.ok()) return frame.status();
      if (!frame->has_value()) break;
      const absl::Status status = take(**frame);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

ChannelEvents& Channels::Poll(Instant deadline, const Clock& clock) {
  const Instant start = clock.Now();
  transport_.Poll(deadline, transport_events_, Site("channels.poll"));
  const Instant now = clock.Now();
  observer_.OnWaited(start, now);
  events_.Clear();
  for (TransportEvent& event : transport_events_) Sort(event, now, events_);
  transport_events_.clear();
  return events_;
}

void Channels::Sort(TransportEvent& event, Instant now, ChannelEvents& events) {
  using Kind = TransportEvent::Kind;
  const bool is_answer = event.kind == Kind::kResolved || event.kind == Kind::kNamed || event.kind == Kind::kUnresolved;
  if (is_answer && look_ups_.erase(event.resolve) > 0) {
    events.looked_up.push_back({.id = event.resolve,
                                .found = event.kind != Kind::kUnresolved,
                                .addresses = std::move(event.addresses),
                                .text = std::move(event.text)});
    return;
  }
  if (event.kind == Kind::kResolved || event.kind == Kind::kUnresolved) {
    const auto found = by_resolve_.find(event.resolve);
    if (found == by_resolve_.end()) return;  // Nobody waits for it any more.
    const NodeId id = found->second;
    by_resolve_.erase(found);
    if (event.kind == Kind::kResolved && !event.addresses.empty()) {
      channels_.at(id).resolve.reset();
      events.resolved.push_back({id, std::move(event.addresses)});
    } else {
      channels_.erase(id);
      events.ended.push_back({.id = id, .why = "the host name was not resolved: " + event.text});
    }
    return;
  }
  const auto found = by_connection_.find(event.connection);
  if (found == by_connection_.end()) return;
  const NodeId id = found->second;
  Channel& channel = channels_.at(id);
  channel.last_active = now;
  switch (event.kind) {
    case Kind::kOpened:
      channel.open = true;
      transport_.Interest(channel.connection, /*read=*/true, /*write=*/false);
      events.opened.push_back(id);
      break;
    case Kind::kReadable:
      events.readable.push_back(id);
      break;
    case Kind::kWritable:
      events.writable.push_back(id);
      break;
    case Kind::kEnded: {
      std::string why(EndReasonName(event.reason));
      if (!event.text.empty()) why += ": " + event.text;
      events.ended.push_back({.id = id,
                              .was_open = channel.open,
                              .handshake = event.reason == EndReason::kHandshake,
                              .why = std::move(why)});
      break;
    }
    case Kind::kResolved:
    case Kind::kNamed:
    case Kind::kUnresolved:
    case Kind::kAccepted:
      break;
  }
}

std::optional<NodeId> Channels::TooIdle(Instant now) const {
  if (!max_idle_.has_value()) return std::nullopt;
  std::optional<NodeId> quietest;
  Instant since;
  for (const auto& [id, channel] : channels_) {
    if (!channel.open || now - channel.last_active <= *max_idle_) continue;
    if (quietest.has_value() && channel.last_active >= since) continue;
    quietest = id;
    since = channel.last_active;
  }
  return quietest;
}

Instant Channels::NextIdleAt() const {
  Instant next = Instant::Never();
  if (!max_idle_.has_value()) return next;
  for (const auto& [id, channel] : channels_) {
    if (channel.open) next = std::min(next, channel.last_active + *max_idle_ + std::chrono::nanoseconds(1));
  }
  return next;
}

}  // namespace ktrial
