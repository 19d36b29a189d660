// Looks up host names with c-ares, on an epoll instance that belongs to somebody else.
//
// The owner adds nothing for it by hand: the resolver registers its sockets with `epoll_fd` under the tag it was given, passes
// on readiness by OnSocketReady, and asks to be called again at NextTimeout. Not thread-safe; one per transport.
#ifndef CORE_ENV_POSIX_RESOLVER_H_
#define CORE_ENV_POSIX_RESOLVER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/transport.h"

struct ares_addrinfo;
struct ares_channeldata;

namespace ktrial {

class Resolver {
 public:
  // Sockets are registered with epoll under data.u64 = tag | file descriptor. Answers are appended to `events`, which outlives
  // the resolver.
  Resolver(int epoll_fd, std::uint64_t tag, std::deque<TransportEvent>& events);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // Exactly one event follows: kResolved or kUnresolved. It may already be in the queue when this returns.
  void Resolve(ResolveId id, std::string_view host);
  // Exactly one event follows: kNamed or kUnresolved.
  void ResolveName(ResolveId id, std::string_view ip);
  void OnSocketReady(int socket, bool readable, bool writable);
  // Retries and gives up on queries that have waited long enough.
  void OnTimeout();
  // When OnTimeout is wanted; Never if nothing is under way.
  Instant NextTimeout(Instant now) const;

 private:
  struct Query;
  static void OnAnswer(void* query, int status, int timeouts, ares_addrinfo* answer);
  static void OnName(void* query, int status, int timeouts, char* name, char* service);
  static void OnSocketState(void* self, int socket, int readable, int writable);
  // Null once it works, else why the library could not start (no file descriptors, a broken configuration).
  const char* Start();

  const int epoll_fd_;
  const std::uint64_t tag_;
  std::deque<TransportEvent>& events_;
  ares_channeldata* channel_ = nullptr;  // Made at the first name that needs a name server.
  int unanswered_ = 0;        // Queries that the channel has; without any, no poll need ask it for its timeouts.
  std::vector<int> sockets_;  // Registered with epoll.
};

}  // namespace ktrial

#endif  // CORE_ENV_POSIX_RESOLVER_H_
