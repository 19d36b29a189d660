#include "core/env/posix/resolver.h"

#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

bool IsIpLiteral(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> parsed;
  return inet_pton(AF_INET, host.c_str(), parsed.data()) == 1 || inet_pton(AF_INET6, host.c_str(), parsed.data()) == 1;
}

TransportEvent Answer(ResolveId id, std::vector<std::string> addresses) {
  TransportEvent event;
  event.kind = TransportEvent::Kind::kResolved;
  event.resolve = id;
  event.addresses = std::move(addresses);
  return event;
}

TransportEvent NoAnswer(ResolveId id, std::string why) {
  TransportEvent event;
  event.kind = TransportEvent::Kind::kUnresolved;
  event.resolve = id;
  event.text = std::move(why);
  return event;
}

std::string Literal(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bits = address->sa_family == AF_INET
                         ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(address)->sin_addr)
                         : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  KT_CHECK(inet_ntop(address->sa_family, bits, text.data(), text.size()) != nullptr);
  return text.data();
}

}  // namespace

struct Resolver::Query {
  Resolver* resolver;
  ResolveId id;
  std::string host;
};

Resolver::Resolver(int epoll_fd, std::uint64_t tag, std::deque<TransportEvent>& events)
    : epoll_fd_(epoll_fd), tag_(tag), events_(events) {}

Resolver::~Resolver() {
  // Ends every query with ARES_EDESTRUCTION, through OnAnswer, and closes the sockets.
  if (channel_ != nullptr) ares_destroy(channel_);
}

void Resolver::Resolve(ResolveId id, std::string_view host_view) {
  const std::string host(host_view);
  if (IsIpLiteral(host)) {
    events_.push_back(Answer(id, {host}));
    return;
  }
  if (host == "localhost") {
    events_.push_back(Answer(id, {"127.0.0.1", "::1"}));
    return;
  }
  if (const char* why = Start(); why != nullptr) {
    events_.push_back(NoAnswer(id, host + ": " + why));
    return;
  }
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  ++unanswered_;
  ares_getaddrinfo(channel_, host.c_str(), nullptr, &hints, &Resolver::OnAnswer, new Query{this, id, host});
}

void Resolver::ResolveName(ResolveId id, std::string_view ip_view) {
  const std::string ip(ip_view);
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v6.sin6_family = AF_INET6;
  const bool is_v4 = inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1;
  if (!is_v4 && inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) != 1) {
    events_.push_back(NoAnswer(id, ip + ": not an IP address"));
    return;
  }
  if (const char* why = Start(); why != nullptr) {
    events_.push_back(NoAnswer(id, ip + ": " + why));
    return;
  }
  const auto* address = is_v4 ? reinterpret_cast<const sockaddr*>(&v4) : reinterpret_cast<const sockaddr*>(&v6);
  const ares_socklen_t length = is_v4 ? sizeof(v4) : sizeof(v6);
  ++unanswered_;
  ares_getnameinfo(channel_, address, length, ARES_NI_LOOKUPHOST | ARES_NI_NAMEREQD, &Resolver::OnName,
                   new Query{this, id, ip});
}

const char* Resolver::Start() {
  if (channel_ != nullptr) return nullptr;
  static std::once_flag once;
  static int library_status = ARES_SUCCESS;
  std::call_once(once, [] { library_status = ares_library_init(ARES_LIB_INIT_ALL); });
  if (library_status != ARES_SUCCESS) return ares_strerror(library_status);
  ares_options options{};
  options.sock_state_cb = &Resolver::OnSocketState;
  options.sock_state_cb_data = this;
  const int status = ares_init_options(&channel_, &options, ARES_OPT_SOCK_STATE_CB);
  if (status == ARES_SUCCESS) return nullptr;
  channel_ = nullptr;
  return ares_strerror(status);
}

void Resolver::OnAnswer(void* argument, int status, int /*timeouts*/, ares_addrinfo* answer) {
  const std::unique_ptr<Query> query(static_cast<Query*>(argument));
  --query->resolver->unanswered_;
  std::vector<std::string> addresses;
  if (status == ARES_SUCCESS) {
    for (const ares_addrinfo_node* node = answer->nodes; node != nullptr; node = node->ai_next) {
      std::string literal = Literal(node->ai_addr);
      if (std::find(addresses.begin(), addresses.end(), literal) == addresses.end())
        addresses.push_back(std::move(literal));
    }
  }
  if (answer != nullptr) ares_freeaddrinfo(answer);
  if (status == ARES_EDESTRUCTION) return;
  std::deque<TransportEvent>& events = query->resolver->events_;
  if (addresses.empty()) {
    const char* why = status == ARES_SUCCESS ? "the name has no address" : ares_strerror(status);
    events.push_back(NoAnswer(query->id, query->host + ": " + why));
  } else {
    events.push_back(Answer(query->id, std::move(addresses)));
  }
}

void Resolver::OnName(void* argument, int status, int /*timeouts*/, char* name, char* /*service*/) {
  const std::unique_ptr<Query> query(static_cast<Query*>(argument));
  --query->resolver->unanswered_;
  if (status == ARES_EDESTRUCTION) return;
  if (status != ARES_SUCCESS || name == nullptr) {
    query->resolver->events_.push_back(NoAnswer(query->id, query->host + ": " + ares_strerror(status)));
    return;
  }
  TransportEvent event;
  event.kind = TransportEvent::Kind::kNamed;
  event.resolve = query->id;
  event.text = name;
  query->resolver->events_.push_back(std::move(event));
}

void Resolver::OnSocketState(void* argument, int socket, int readable, int writable) {
  auto& self = *static_cast<Resolver*>(argument);
  const auto known = std::find(self.sockets_.begin(), self.sockets_.end(), socket);
  if (readable == 0 && writable == 0) {
    if (known == self.sockets_.end()) return;
    epoll_ctl(self.epoll_fd_, EPOLL_CTL_DEL, socket, nullptr);
    self.sockets_.erase(known);
    return;
  }
  epoll_event interest{};
  interest.events = (readable != 0 ? EPOLLIN : 0u) | (writable != 0 ? EPOLLOUT : 0u);
  interest.data.u64 = self.tag_ | static_cast<std::uint64_t>(socket);
  if (known == self.sockets_.end()) {
    KT_CHECK(epoll_ctl(self.epoll_fd_, EPOLL_CTL_ADD, socket, &interest) == 0);
    self.sockets_.push_back(socket);
  } else {
    KT_CHECK(epoll_ctl(self.epoll_fd_, EPOLL_CTL_MOD, socket, &interest) == 0);
  }
}

void Resolver::OnSocketReady(int socket, bool readable, bool writable) {
  if (channel_ == nullptr) return;
  ares_process_fd(channel_, readable ? socket : ARES_SOCKET_BAD, writable ? socket : ARES_SOCKET_BAD);
}

void Resolver::OnTimeout() {
  if (unanswered_ > 0) ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

Instant Resolver::NextTimeout(Instant now) const {
  if (unanswered_ == 0) return Instant::Never();
  timeval left{};
  if (ares_timeout(channel_, nullptr, &left) == nullptr) return Instant::Never();
  return now + std::chrono::seconds(left.tv_sec) + std::chrono::microseconds(left.tv_usec);
}

}  // namespace ktrial
