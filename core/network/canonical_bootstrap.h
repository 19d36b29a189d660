// CanonicalBootstrap looks up what the hosts of bootstrap.servers are really called (client.dns.lookup =
// resolve_canonical_bootstrap_servers_only): each host's addresses, each address's name, and, as anybody may call his address by any
// name, whether that name has that address. Where it has not, or there is no name, the address itself counts, as in Java. So one
// entry that stands for many brokers becomes one for each, by names that their certificates and Kerberos know.
//
// Look-ups go through Channels, all at once; the answers are brought here. The result is in the order of the servers, and within one
// in the order of the answer, each host and port once.
#ifndef CORE_NETWORK_CANONICAL_BOOTSTRAP_H_
#define CORE_NETWORK_CANONICAL_BOOTSTRAP_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/metadata/metadata.h"
#include "core/network/channels.h"

namespace ktrial {

// Thread safety: none; the sender thread.
class CanonicalBootstrap {
 public:
  // `channels` outlives this.
  CanonicalBootstrap(std::vector<BootstrapAddress> servers, Channels& channels)
      : servers_(std::move(servers)), channels_(channels) {}

  // Asks for all of it. Not while a round is under way.
  void Start();
  bool under_way() const { return !questions_.empty(); }
  // An answer to one of our questions; others are ignored.
  void Answered(const ChannelEvents::LookedUp& answer);
  // Of a round that is over. Empty: no host was found, and failure() says why the last one was not.
  std::vector<BootstrapAddress> Result() const;
  const std::string& failure() const { return failure_; }

 private:
  // What is being looked up for one address of a server, or for the server itself.
  struct Question {
    enum class Kind : std::uint8_t { kAddresses, kName, kAddressesOfName };
    Kind kind = Kind::kAddresses;
    std::size_t server = 0;
    std::size_t address = 0;
    std::string name = {};
  };
  struct Address {
    std::string ip;
    std::string host;  // Its name, once that is known to be true.
  };

  const std::vector<BootstrapAddress> servers_;
  Channels& channels_;
  std::map<ResolveId, Question> questions_;
  std::vector<std::vector<Address>> addresses_;  // By server.
  std::string failure_;
};

}  // namespace ktrial

#endif  // CORE_NETWORK_CANONICAL_BOOTSTRAP_H_
