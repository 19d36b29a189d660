#include "sim/network/sim_network.h"

#include <utility>

#include "sim/network/network_core.h"
#include "sim/network/sim_transport.h"

namespace ktrial::sim {

SimNetwork::SimNetwork(Kernel& kernel, const NetworkOptions& options)
    : core_(std::make_unique<NetworkCore>(kernel, options)) {}

SimNetwork::~SimNetwork() = default;

std::unique_ptr<Transport> SimNetwork::NewTransport(std::string_view entity, std::string_view ip) {
  UncheckedSection unchecked;
  return std::make_unique<SimTransport>(*core_, next_transport_++, entity, ip);
}

void SimNetwork::MapBroker(NodeId broker, const Address& address) { core_->MapBroker(broker, address); }
void SimNetwork::SetBrokerLatency(NodeId broker, const Distribution& latency) {
  core_->SetBrokerLatency(broker, latency);
}
void SimNetwork::SetName(std::string_view host, std::vector<std::string> addresses) {
  core_->SetName(host, std::move(addresses));
}
void SimNetwork::SetName(std::string_view host, NameAnswer answer) { core_->SetName(host, answer); }
std::int64_t SimNetwork::Disconnect(NodeId broker, DisconnectKind how) { return core_->Disconnect(broker, how); }
RuleId SimNetwork::Impose(const NetworkRule& rule) { return core_->Impose(rule); }
void SimNetwork::Lift(RuleId rule) { core_->Lift(rule); }
std::int64_t SimNetwork::Touched(RuleId rule) const { return core_->rules().Touched(rule); }
bool SimNetwork::Passes(NodeId from, NodeId to) const { return core_->rules().Passes(from, to); }
const SimNetwork::Counts& SimNetwork::counts() const { return core_->counts(); }

}  // namespace ktrial::sim
