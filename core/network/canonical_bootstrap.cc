#include "core/network/canonical_bootstrap.h"

#include <algorithm>
#include <utility>

#include "core/check.h"

namespace ktrial {

void CanonicalBootstrap::Start() {
  KT_CHECK(!under_way());
  addresses_.assign(servers_.size(), {});
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    questions_[channels_.LookUp(servers_[i].host)] = {.kind = Question::Kind::kAddresses, .server = i};
  }
}

void CanonicalBootstrap::Answered(const ChannelEvents::LookedUp& answer) {
  const auto asked = questions_.find(answer.id);
  if (asked == questions_.end()) return;
  const Question question = std::move(asked->second);
  questions_.erase(asked);
  std::vector<Address>& addresses = addresses_[question.server];
  switch (question.kind) {
    case Question::Kind::kAddresses:
      if (!answer.found) failure_ = answer.text;
      for (const std::string& ip : answer.addresses) {
        questions_[channels_.LookUpName(ip)] = {
            .kind = Question::Kind::kName, .server = question.server, .address = addresses.size()};
        addresses.push_back({.ip = ip, .host = ip});
      }
      return;
    case Question::Kind::kName:
      if (!answer.found || answer.text.empty()) return;
      questions_[channels_.LookUp(answer.text)] = {.kind = Question::Kind::kAddressesOfName,
                                                   .server = question.server,
                                                   .address = question.address,
                                                   .name = answer.text};
      return;
    case Question::Kind::kAddressesOfName: {
      Address& address = addresses[question.address];
      if (std::ranges::find(answer.addresses, address.ip) != answer.addresses.end()) address.host = question.name;
      return;
    }
  }
}

std::vector<BootstrapAddress> CanonicalBootstrap::Result() const {
  std::vector<BootstrapAddress> result;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    for (const Address& address : addresses_[i]) {
      const bool is_new = std::ranges::none_of(result, [&](const BootstrapAddress& other) {
        return other.host == address.host && other.port == servers_[i].port;
      });
      if (is_new) result.push_back({.host = address.host, .port = servers_[i].port});
    }
  }
  return result;
}

}  // namespace ktrial
