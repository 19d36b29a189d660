#include "core/env/posix/socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/check.h"

namespace ktrial {

absl::StatusOr<NativeAddress> ToNative(const Address& address) {
  NativeAddress native;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&native.storage);
  if (inet_pton(AF_INET, address.ip.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    native.size = sizeof(sockaddr_in);
    return native;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&native.storage);
  if (inet_pton(AF_INET6, address.ip.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    native.size = sizeof(sockaddr_in6);
    return native;
  }
  return absl::InvalidArgumentError(absl::StrCat("\"", address.ip, "\" is not an IP address"));
}

Address FromNative(const NativeAddress& native) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  Address address;
  if (native.storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(native.storage);
    KT_CHECK(inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) != nullptr);
    address.port = ntohs(v4.sin_port);
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(native.storage);
    KT_CHECK(inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) != nullptr);
    address.port = ntohs(v6.sin6_port);
  }
  address.ip = text.data();
  return address;
}

absl::StatusOr<int> NewSocket(int family, SocketBuffers buffers) {
  const int socket = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
  if (socket < 0) return absl::ResourceExhaustedError(absl::StrCat("socket: ", std::strerror(errno)));
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Sizes are wishes: the kernel doubles and caps them, and a refusal leaves its default.
  if (buffers.send_bytes >= 0) setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &buffers.send_bytes, sizeof buffers.send_bytes);
  if (buffers.receive_bytes >= 0) {
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffers.receive_bytes, sizeof buffers.receive_bytes);
  }
  return socket;
}

EndReason ReasonOf(int error) {
  switch (error) {
    case ECONNREFUSED: return EndReason::kRefused;
    case ECONNRESET:
    case EPIPE: return EndReason::kReset;
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
    case EHOSTDOWN: return EndReason::kUnreachable;
    default: return EndReason::kLocal;
  }
}

int PendingError(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  KT_CHECK(getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0);
  return error;
}

}  // namespace ktrial
