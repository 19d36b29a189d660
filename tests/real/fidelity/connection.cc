#include "tests/real/fidelity/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <span>

#include "absl/status/statusor.h"
#include "core/check.h"

namespace ktrial::fidelity {

Connection::Connection(const Address& address) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(static_cast<std::uint16_t>(address.port));
  KT_CHECK(inet_pton(AF_INET, address.host.c_str(), &peer.sin_addr) == 1);
  KT_CHECK(connect(socket_, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0);
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Connection::~Connection() { close(socket_); }

void Connection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

Connection::Received Connection::Receive(int timeout_ms) {
  for (;;) {
    const absl::StatusOr<std::optional<std::string_view>> frame = reader_.Next();
    if (!frame.ok()) return {.event = Event::kClosed, .frame = {}};
    if (frame->has_value()) return {.event = Event::kFrame, .frame = std::string(**frame)};
    pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, timeout_ms) <= 0) return {.event = Event::kSilence, .frame = {}};
    const std::span<char> space = reader_.Space();
    const ssize_t received = recv(socket_, space.data(), space.size(), 0);
    if (received <= 0) return {.event = Event::kClosed, .frame = {}};
    reader_.Filled(static_cast<std::size_t>(received));
  }
}

}  // namespace ktrial::fidelity
