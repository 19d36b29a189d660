#include "core/env/posix/epoll_transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"
#include "core/env/posix/resolver.h"
#include "core/env/posix/socket.h"

namespace ktrial {
namespace {

// data.u64 of an epoll registration: 0 is the eventfd, tagged values are the resolver's sockets, all else is the id of a
// connection or a listener (they share one counter).
constexpr std::uint64_t kWakeUpTag = 0;
constexpr std::uint64_t kResolverTag = std::uint64_t{1} << 63;
constexpr int kEventsPerPoll = 256;
constexpr int kPiecesPerSend = 64;  // Beyond some tens the kernel's copy dominates; the caller offers the rest again.
static_assert(kPiecesPerSend <= IOV_MAX);

struct Connection {
  int socket = -1;
  bool connecting = false;
  bool ended = false;  // A kEnded event is queued; the socket is closed.
  bool read = false;
  bool write = false;
};

class EpollTransport final : public Transport {
 public:
  explicit EpollTransport(const Clock& clock)
      : clock_(clock), epoll_(epoll_create1(EPOLL_CLOEXEC)), wake_up_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    KT_CHECK_MSG(epoll_ >= 0 && wake_up_ >= 0, std::strerror(errno));
    epoll_event interest{};
    interest.events = EPOLLIN;
    interest.data.u64 = kWakeUpTag;
    KT_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_up_, &interest) == 0);
  }
  ~EpollTransport() override {
    for (auto& [id, connection] : connections_) {
      if (connection.socket >= 0) close(connection.socket);
    }
    for (auto& [id, socket] : listeners_) close(socket);
    resolver_.reset();
    close(wake_up_);
    close(epoll_);
  }

  ResolveId Resolve(std::string_view host) override;
  ResolveId ResolveName(std::string_view ip) override;
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) override;
  absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) override;
  void StopListening(ListenerId listener) override;
  IoResult Send(ConnectionId id, std::span<const ConstBytes> pieces) override;
  IoResult Receive(ConnectionId id, std::span<char> buffer) override;
  void Interest(ConnectionId id, bool read, bool write) override;
  void Close(ConnectionId id, CloseKind kind) override;
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override;
  void WakeUp() override;

 private:
  Connection* Find(ConnectionId id) {
    const auto found = connections_.find(id.value());
    return found == connections_.end() || found->second.ended ? nullptr : &found->second;
  }
  // Closes the socket and queues the connection's last event. The id stays known until that event is delivered.
  void End(ConnectionId id, Connection& connection, EndReason reason, std::string text);
  void EndByErrno(ConnectionId id, Connection& connection, int error) {
    End(id, connection, ReasonOf(error), std::strerror(error));
  }
  void CloseSocket(int socket);
  void Register(int socket, std::uint64_t tag, std::uint32_t events, int operation);
  void FinishOpen(ConnectionId id, Connection& connection);
  void Accept(ListenerId listener, int socket);
  void PauseListeners(bool pause);
  void OnConnectionEvent(ConnectionId id, std::uint32_t ready, std::vector<TransportEvent>& events);
  void WaitForEvents(Instant deadline, std::vector<TransportEvent>& events);
  void Deliver(std::vector<TransportEvent>& events);

  const Clock& clock_;
  const int epoll_;
  const int wake_up_;
  // True from WakeUp until the poll that saw it; spares the second and later writes.
  std::atomic<bool> woken_{false};

  // Only the owner's thread from here on.
  std::uint64_t next_id_ = 1;
  absl::flat_hash_map<std::uint64_t, Connection> connections_;  // tidy: lookup-only (but for the destructor)
  std::map<std::uint64_t, int> listeners_;
  bool listeners_paused_ = false;
  std::deque<TransportEvent> queued_;  // Found outside of Poll; delivered by the next one.
  std::unique_ptr<Resolver> resolver_;
};

ResolveId EpollTransport::Resolve(std::string_view host) {
  const ResolveId id(next_id_++);
  if (resolver_ == nullptr) resolver_ = std::make_unique<Resolver>(epoll_, kResolverTag, queued_);
  resolver_->Resolve(id, host);
  return id;
}

ResolveId EpollTransport::ResolveName(std::string_view ip) {
  const ResolveId id(next_id_++);
  if (resolver_ == nullptr) resolver_ = std::make_unique<Resolver>(epoll_, kResolverTag, queued_);
  resolver_->ResolveName(id, ip);
  return id;
}

void EpollTransport::Register(int socket, std::uint64_t tag, std::uint32_t events, int operation) {
  epoll_event interest{};
  interest.events = events;
  interest.data.u64 = tag;
  KT_CHECK(epoll_ctl(epoll_, operation, socket, &interest) == 0);
}

ConnectionId EpollTransport::Open(const Address& address, std::string_view /*host*/, SocketBuffers buffers) {
  const ConnectionId id(next_id_++);
  Connection& connection = connections_[id.value()];
  const absl::StatusOr<NativeAddress> native = ToNative(address);
  if (!native.ok()) {
    End(id, connection, EndReason::kLocal, std::string(native.status().message()));
    return id;
  }
  const absl::StatusOr<int> socket = NewSocket(native->storage.ss_family, buffers);
  if (!socket.ok()) {
    End(id, connection, EndReason::kLocal, std::string(socket.status().message()));
    return id;
  }
  connection.socket = *socket;
  connection.connecting = true;
  if (connect(*socket, reinterpret_cast<const sockaddr*>(&native->storage), native->size) != 0 &&
      errno != EINPROGRESS) {
    EndByErrno(id, connection, errno);
    return id;
  }
  // An open that succeeded at once is writable at once: one way for both.
  Register(*socket, id.value(), EPOLLOUT, EPOLL_CTL_ADD);
  return id;
}

absl::StatusOr<Listening> EpollTransport::Listen(const Address& address, SocketBuffers buffers) {
  absl::StatusOr<NativeAddress> native = ToNative(address);
  if (!native.ok()) return native.status();
  const absl::StatusOr<int> socket = NewSocket(native->storage.ss_family, buffers);
  if (!socket.ok()) return socket.status();
  const int on = 1;
  setsockopt(*socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  auto* generic = reinterpret_cast<sockaddr*>(&native->storage);
  if (bind(*socket, generic, native->size) != 0 || listen(*socket, SOMAXCONN) != 0 ||
      getsockname(*socket, generic, &native->size) != 0) {
    const int error = errno;
    close(*socket);
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address.ip, ":", address.port, ": ", std::strerror(error)));
  }
  const ListenerId id(next_id_++);
  listeners_[id.value()] = *socket;
  Register(*socket, id.value(), listeners_paused_ ? 0u : EPOLLIN, EPOLL_CTL_ADD);
  return Listening{id, FromNative(*native)};
}

void EpollTransport::StopListening(ListenerId listener) {
  const auto found = listeners_.find(listener.value());
  if (found == listeners_.end()) return;
  close(found->second);
  listeners_.erase(found);
}

void EpollTransport::End(ConnectionId id, Connection& connection, EndReason reason, std::string text) {
  if (connection.socket >= 0) CloseSocket(connection.socket);
  connection.socket = -1;
  connection.ended = true;
  TransportEvent event;
  event.kind = TransportEvent::Kind::kEnded;
  event.connection = id;
  event.reason = reason;
  event.text = std::move(text);
  queued_.push_back(std::move(event));
}

void EpollTransport::CloseSocket(int socket) {
  close(socket);
  if (listeners_paused_) PauseListeners(false);
}

IoResult EpollTransport::Send(ConnectionId id, std::span<const ConstBytes> pieces) {
  Connection* connection = Find(id);
  if (connection == nullptr) return {IoResult::Kind::kEnded, 0};
  if (connection->connecting) return {IoResult::Kind::kWouldBlock, 0};
  std::array<iovec, kPiecesPerSend> vectors;
  std::size_t count = 0;
  for (const ConstBytes piece : pieces) {
    if (piece.empty()) continue;
    if (count == vectors.size()) break;
    vectors[count++] = {const_cast<char*>(piece.data()), piece.size()};
  }
  if (count == 0) return {IoResult::Kind::kWouldBlock, 0};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  ssize_t sent = 0;
  do {
    sent = sendmsg(connection->socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  if (sent > 0) return {IoResult::Kind::kBytes, static_cast<std::size_t>(sent)};
  if (sent == 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return {IoResult::Kind::kWouldBlock, 0};
  EndByErrno(id, *connection, errno);
  return {IoResult::Kind::kEnded, 0};
}

IoResult EpollTransport::Receive(ConnectionId id, std::span<char> buffer) {
  Connection* connection = Find(id);
  if (connection == nullptr) return {IoResult::Kind::kEnded, 0};
  if (connection->connecting || buffer.empty()) return {IoResult::Kind::kWouldBlock, 0};
  ssize_t received = 0;
  do {
    received = recv(connection->socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received > 0) return {IoResult::Kind::kBytes, static_cast<std::size_t>(received)};
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {IoResult::Kind::kWouldBlock, 0};
  if (received == 0) {
    End(id, *connection, EndReason::kEnd, "the peer closed the connection");
  } else {
    EndByErrno(id, *connection, errno);
  }
  return {IoResult::Kind::kEnded, 0};
}

void EpollTransport::Interest(ConnectionId id, bool read, bool write) {
  Connection* connection = Find(id);
  if (connection == nullptr || (connection->read == read && connection->write == write)) return;
  connection->read = read;
  connection->write = write;
  if (connection->connecting) return;
  Register(connection->socket, id.value(), (read ? EPOLLIN : 0u) | (write ? EPOLLOUT : 0u), EPOLL_CTL_MOD);
}

void EpollTransport::Close(ConnectionId id, CloseKind kind) {
  const auto found = connections_.find(id.value());
  if (found == connections_.end()) return;
  const Connection connection = found->second;
  connections_.erase(found);
  if (connection.ended) {
    std::erase_if(queued_, [id](const TransportEvent& event) { return event.connection == id; });
    return;
  }
  if (kind == CloseKind::kReset) {
    const linger reset = {.l_onoff = 1, .l_linger = 0};
    setsockopt(connection.socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  }
  CloseSocket(connection.socket);
}

void EpollTransport::FinishOpen(ConnectionId id, Connection& connection) {
  if (const int error = PendingError(connection.socket); error != 0) {
    EndByErrno(id, connection, error);
    return;
  }
  connection.connecting = false;
  Register(connection.socket, id.value(), (connection.read ? EPOLLIN : 0u) | (connection.write ? EPOLLOUT : 0u),
           EPOLL_CTL_MOD);
  TransportEvent event;
  event.kind = TransportEvent::Kind::kOpened;
  event.connection = id;
  queued_.push_back(std::move(event));
}

void EpollTransport::Accept(ListenerId listener, int socket) {
  while (true) {
    const int accepted = accept4(socket, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      // Out of descriptors or memory: the listener would stay readable and turn the loop into a spin. Wait for a close.
      if (errno != EAGAIN && errno != EWOULDBLOCK) PauseListeners(true);
      return;
    }
    const int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const ConnectionId id(next_id_++);
    connections_[id.value()].socket = accepted;
    Register(accepted, id.value(), 0, EPOLL_CTL_ADD);
    TransportEvent event;
    event.kind = TransportEvent::Kind::kAccepted;
    event.connection = id;
    event.listener = listener;
    queued_.push_back(std::move(event));
  }
}

void EpollTransport::PauseListeners(bool pause) {
  listeners_paused_ = pause;
  for (const auto& [id, socket] : listeners_) Register(socket, id, pause ? 0u : EPOLLIN, EPOLL_CTL_MOD);
}

void EpollTransport::OnConnectionEvent(ConnectionId id, std::uint32_t ready, std::vector<TransportEvent>& events) {
  Connection* connection = Find(id);
  if (connection == nullptr) return;  // Ended or closed by an earlier event of this very poll.
  if (connection->connecting) {
    FinishOpen(id, *connection);
    return;
  }
  TransportEvent event;
  event.connection = id;
  const bool broken = (ready & (EPOLLERR | EPOLLHUP)) != 0;
  if (connection->read && ((ready & EPOLLIN) != 0 || broken)) {
    // Bytes may still wait in front of the end: Receive finds both, in their order.
    event.kind = TransportEvent::Kind::kReadable;
    events.push_back(event);
  } else if (broken) {
    const int error = PendingError(connection->socket);
    EndByErrno(id, *connection, error != 0 ? error : ECONNRESET);
    return;
  }
  if (connection->write && (ready & EPOLLOUT) != 0) {
    event.kind = TransportEvent::Kind::kWritable;
    events.push_back(std::move(event));
  }
}

void EpollTransport::WaitForEvents(Instant deadline, std::vector<TransportEvent>& events) {
  const Instant now = clock_.Now();
  if (resolver_ != nullptr) deadline = std::min(deadline, resolver_->NextTimeout(now));
  const Duration left = std::clamp(deadline - now, Duration(0), Duration(std::chrono::hours(24)));
  const timespec timeout = {left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  std::array<epoll_event, kEventsPerPoll> ready;
  const int count = epoll_pwait2(epoll_, ready.data(), ready.size(), &timeout, nullptr);
  KT_CHECK_MSG(count >= 0 || errno == EINTR, std::strerror(errno));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t tag = ready[i].data.u64;
    if (tag == kWakeUpTag) {
      // Read first, then lower the flag: a WakeUp in between finds the flag up and is served by this very return.
      std::uint64_t value = 0;
      const ssize_t size = read(wake_up_, &value, sizeof value);
      KT_CHECK(size == sizeof value || errno == EAGAIN);
      woken_.store(false);
    } else if ((tag & kResolverTag) != 0) {
      resolver_->OnSocketReady(static_cast<int>(tag & ~kResolverTag), (ready[i].events & ~EPOLLOUT) != 0,
                               (ready[i].events & EPOLLOUT) != 0);
    } else if (const auto listener = listeners_.find(tag); listener != listeners_.end()) {
      Accept(ListenerId(tag), listener->second);
    } else {
      OnConnectionEvent(ConnectionId(tag), ready[i].events, events);
    }
  }
  if (resolver_ != nullptr) resolver_->OnTimeout();
}

void EpollTransport::Deliver(std::vector<TransportEvent>& events) {
  for (TransportEvent& event : queued_) {
    if (event.kind == TransportEvent::Kind::kEnded) connections_.erase(event.connection.value());
    events.push_back(std::move(event));
  }
  queued_.clear();
}

void EpollTransport::Poll(Instant deadline, std::vector<TransportEvent>& events, Site) {
  // With something to deliver already, look at the sockets all the same but do not wait: none may starve the others.
  WaitForEvents(queued_.empty() ? deadline : Instant(), events);
  Deliver(events);
}

void EpollTransport::WakeUp() {
  if (woken_.exchange(true)) return;
  const std::uint64_t one = 1;
  const ssize_t size = write(wake_up_, &one, sizeof one);
  KT_CHECK(size == sizeof one || errno == EAGAIN);
}

}  // namespace

std::unique_ptr<Transport> NewEpollTransport(const Clock& clock) { return std::make_unique<EpollTransport>(clock); }

}  // namespace ktrial
