#include "sim/network/sim_network.h"

#include <utility>

#include "sim/network/network_core.h"
#include "sim/network/sim_transport.h"

namespace ktrial::sim {
namespace {

// What the program owns. Its transport is an object of the network, made and destroyed out of ThreadSanitizer's sight.
class TransportHandle final : public Transport {
 public:
  explicit TransportHandle(std::unique_ptr<SimTransport> transport) : transport_(std::move(transport)) {}
  ~TransportHandle() override {
    UncheckedSection unchecked;
    transport_.reset();
  }

  ResolveId Resolve(std::string_view host) override { return transport_->Resolve(host); }
  ResolveId ResolveName(std::string_view ip) override { return transport_->ResolveName(ip); }
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers buffers) override {
    return transport_->Open(address, host, buffers);
  }
  absl::StatusOr<Listening> Listen(const Address& address, SocketBuffers buffers) override {
    return transport_->Listen(address, buffers);
  }
  void StopListening(ListenerId listener) override { transport_->StopListening(listener); }
  IoResult Send(ConnectionId connection, std::span<const ConstBytes> pieces) override {
    return transport_->Send(connection, pieces);
  }
  IoResult Receive(ConnectionId connection, std::span<char> buffer) override {
    return transport_->Receive(connection, buffer);
  }
  void Interest(ConnectionId connection, bool read, bool write) override {
    transport_->Interest(connection, read, write);
  }
  void Close(ConnectionId connection, CloseKind kind) override { transport_->Close(connection, kind); }
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override {
    transport_->Poll(deadline, events, site);
  }
  void WakeUp() override { transport_->WakeUp(); }

 private:
  std::unique_ptr<SimTransport> transport_;
};

}  // namespace

SimNetwork::SimNetwork(Kernel& kernel, const NetworkOptions& options)
    : core_(std::make_unique<NetworkCore>(kernel, options)) {}

SimNetwork::~SimNetwork() = default;

std::unique_ptr<Transport> SimNetwork::NewTransport(std::string_view entity, std::string_view ip) {
  UncheckedSection unchecked;
  return std::make_unique<TransportHandle>(std::make_unique<SimTransport>(*core_, next_transport_++, entity, ip));
}

void SimNetwork::MapBroker(NodeId broker, const Address& address) {
  UncheckedSection unchecked;
  core_->MapBroker(broker, address);
}

void SimNetwork::SetBrokerLatency(NodeId broker, const Distribution& latency) {
  UncheckedSection unchecked;
  core_->SetBrokerLatency(broker, latency);
}

void SimNetwork::SetName(std::string_view host, std::vector<std::string> addresses) {
  UncheckedSection unchecked;
  core_->SetName(host, std::move(addresses));
}

void SimNetwork::SetName(std::string_view host, NameAnswer answer) {
  UncheckedSection unchecked;
  core_->SetName(host, answer);
}

void SimNetwork::SetNameOf(std::string_view ip, std::string_view host) {
  UncheckedSection unchecked;
  core_->SetNameOf(ip, host);
}

std::int64_t SimNetwork::Disconnect(NodeId broker, DisconnectKind how) {
  UncheckedSection unchecked;
  return core_->Disconnect(broker, how);
}

RuleId SimNetwork::Impose(const NetworkRule& rule) {
  UncheckedSection unchecked;
  return core_->Impose(rule);
}

void SimNetwork::Lift(RuleId rule) {
  UncheckedSection unchecked;
  core_->Lift(rule);
}

std::int64_t SimNetwork::Touched(RuleId rule) const {
  UncheckedSection unchecked;
  return core_->rules().Touched(rule);
}

bool SimNetwork::Passes(NodeId from, NodeId to) const {
  UncheckedSection unchecked;
  return core_->rules().Passes(from, to);
}

SimNetwork::Counts SimNetwork::counts() const {
  UncheckedSection unchecked;
  return core_->counts();
}

}  // namespace ktrial::sim
