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
  const Duration takes = options_.resolve.Draw(resolves_);
  kernel_.At(kernel_.Now() + takes,
             [this, to = &transport, number = transport.number(), id, asked = std::string(host)] {
               if (transports_.contains(number)) AnswerName(*to, id, asked);
             });
}

void NetworkCore::AnswerName(SimTransport& transport, ResolveId id, const std::string& host) {
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
  transport.Notify(std::move(answer));
}

}  // namespace ktrial::sim
