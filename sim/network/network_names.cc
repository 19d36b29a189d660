// NetworkCore: names of hosts.
#include <algorithm>
#include <utility>

#include "sim/network/network_core.h"
#include "sim/network/sim_transport.h"

namespace ktrial::sim {

bool IsIpLiteral(std::string_view host) {
  return !host.empty() && host.find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos &&
         host.find_first_of(".:") != std::string_view::npos;
}

void NetworkCore::SetName(std::string_view host, std::vector<std::string> addresses) {
  names_.insert_or_assign(std::string(host), Name{.addresses = std::move(addresses)});
}

void NetworkCore::SetName(std::string_view host, SimNetwork::NameAnswer answer) {
  names_.insert_or_assign(std::string(host), Name{.otherwise = answer});
}

void NetworkCore::Resolve(SimTransport& transport, ResolveId id, std::string_view host) {
  transports_.insert(transport.number());
  trace_.NoteText(TraceKind::kResolve, subject_, id.value(), host);
  const auto name = names_.find(host);
  if (name != names_.end() && name->second.addresses.empty() &&
      name->second.otherwise == SimNetwork::NameAnswer::kNever) {
    return;
  }
  AnswerLater(transport, [this, id, asked = std::string(host)] { return AnswerName(id, asked); });
}

void NetworkCore::AnswerLater(SimTransport& transport, absl::AnyInvocable<TransportEvent()> answer) {
  const Duration takes = options_.resolve.Draw(resolves_);
  kernel_.At(kernel_.Now() + takes,
             [this, to = &transport, number = transport.number(), answer = std::move(answer)]() mutable {
               if (transports_.contains(number)) to->Notify(answer());
             });
}

void NetworkCore::SetNameOf(std::string_view ip, std::string_view host) {
  names_of_ips_.insert_or_assign(std::string(ip), std::string(host));
}

void NetworkCore::ResolveName(SimTransport& transport, ResolveId id, std::string_view ip) {
  transports_.insert(transport.number());
  trace_.NoteText(TraceKind::kResolve, subject_, id.value(), ip);
  AnswerLater(transport, [this, id, asked = std::string(ip)] {
    if (asked == "127.0.0.1")
      return TransportEvent{.kind = TransportEvent::Kind::kNamed, .resolve = id, .text = "localhost"};
    const auto name = names_of_ips_.find(asked);
    if (name != names_of_ips_.end()) {
      return TransportEvent{.kind = TransportEvent::Kind::kNamed, .resolve = id, .text = name->second};
    }
    return TransportEvent{.kind = TransportEvent::Kind::kUnresolved, .resolve = id, .text = "no name for " + asked};
  });
}

TransportEvent NetworkCore::AnswerName(ResolveId id, const std::string& host) {
  TransportEvent answer{.kind = TransportEvent::Kind::kResolved, .resolve = id};
  const auto name = names_.find(host);
  if (name != names_.end()) {
    answer.addresses = name->second.addresses;
    if (answer.addresses.size() > 1) {
      const std::uint64_t first = resolves_.Below(answer.addresses.size());
      std::rotate(answer.addresses.begin(), answer.addresses.begin() + static_cast<std::ptrdiff_t>(first),
                  answer.addresses.end());
    }
  } else if (host == "localhost") {
    answer.addresses = {"127.0.0.1"};
  } else if (IsIpLiteral(host)) {
    answer.addresses = {host};
  }
  if (answer.addresses.empty()) {
    answer.kind = TransportEvent::Kind::kUnresolved;
    answer.text = "no such host: " + host;
  }
  return answer;
}

}  // namespace ktrial::sim
