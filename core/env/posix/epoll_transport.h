// Transport over non-blocking TCP sockets: one epoll instance, one eventfd for WakeUp, and a resolver on the same epoll.
#ifndef CORE_ENV_POSIX_EPOLL_TRANSPORT_H_
#define CORE_ENV_POSIX_EPOLL_TRANSPORT_H_

#include <memory>

#include "core/env/clock.h"
#include "core/env/transport.h"

namespace ktrial {

// `clock` must be the one whose Instants count CLOCK_MONOTONIC, and outlives the transport.
std::unique_ptr<Transport> NewEpollTransport(const Clock& clock);

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_EPOLL_TRANSPORT_H_
