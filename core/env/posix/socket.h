// The few socket calls that the transport needs, each with its errno turned into a word of the contract.
#ifndef CORE_ENV_POSIX_SOCKET_H_
#define CORE_ENV_POSIX_SOCKET_H_

#include <sys/socket.h>

#include "absl/status/statusor.h"
#include "core/env/transport.h"

namespace ktrial {

// A socket address as the kernel takes it.
struct NativeAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};
// InvalidArgument if the ip is not a literal.
absl::StatusOr<NativeAddress> ToNative(const Address& address);
Address FromNative(const NativeAddress& native);

// A non-blocking TCP socket with its options set (TCP_NODELAY: batching is the producer's business), or an error with errno's text.
absl::StatusOr<int> NewSocket(int family, SocketBuffers buffers);

// What an errno of connect, send or recv means for a connection that it ended.
EndReason ReasonOf(int error);

// The error that the kernel holds for a socket (SO_ERROR), cleared by the call; 0 if none.
int PendingError(int socket);

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_SOCKET_H_
