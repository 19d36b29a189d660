// SimNetwork is the network of a simulated world: hosts that are known by IP address, names for them, and virtual TCP
// between them.
//
// It uses every freedom that core/env/transport.h gives, by draws of its own streams: Send takes a part, data arrives
// in pieces, Poll returns early, opens and look-ups take their time or never answer. Bytes of one direction of a
// connection arrive in order. A sender is held back when the receiver does not read (send buffer plus receive buffer
// are full). Not modelled: congestion control, Nagle, delayed acknowledgements, loss of packets (TCP hides it;
// NetworkRule has its effects).
//
// Work is per piece of data, not per byte or packet: one Send is one copy, one hash and one event at its arrival.
//
// Thread safety: as simulated threads need it, one OS thread at a time. Outlives the transports it made.
#ifndef SIM_NETWORK_SIM_NETWORK_H_
#define SIM_NETWORK_SIM_NETWORK_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "sim/kernel/draws.h"
#include "sim/kernel/kernel.h"
#include "sim/network/network_control.h"

namespace ktrial::sim {

class NetworkCore;

struct NetworkOptions {
  Distribution latency;               // one way, drawn for each piece
  std::int64_t bytes_per_second = 0;  // of each broker, each way; 0: unlimited
  // How often (one in so many) a Send takes only a part, a piece arrives in two, a Receive gives only a part. 0: never.
  std::uint32_t split_one_in = 64;
  // How often a Poll returns at once with nothing. 0: never.
  std::uint32_t early_return_one_in = 512;
  // How often a reset also loses bytes that had arrived and were not read. 0: never.
  std::uint32_t reset_loses_one_in = 2;
  Distribution resolve;                                  // how long a look-up takes
  Duration connect_timeout = std::chrono::seconds(127);  // what Linux waits for an answer to a SYN
  std::int64_t send_buffer_bytes = 256 * 1024;           // where SocketBuffers says -1
  std::int64_t receive_buffer_bytes = 256 * 1024;
};

class SimNetwork final : public NetworkControl {
 public:
  // `kernel` outlives the network.
  SimNetwork(Kernel& kernel, const NetworkOptions& options);
  ~SimNetwork() override;

  // A transport of the host `ip`; its opens come from there, Listen may name any address. `entity` is its owner's name
  // in reports.
  std::unique_ptr<Transport> NewTransport(std::string_view entity, std::string_view ip);

  // Rules and latencies of a broker apply to this IP (all ports, unless several brokers share the IP: then by port). A
  // broker that moves to another address is mapped again; its old address then belongs to nobody, and opens to it are
  // refused.
  void MapBroker(NodeId broker, const Address& address);
  // Instead of NetworkOptions::latency.
  void SetBrokerLatency(NodeId broker, const Distribution& latency);

  // What Resolve answers for a name, besides IP literals and "localhost". The order changes from one answer to the
  // next.
  void SetName(std::string_view host, std::vector<std::string> addresses);
  enum class NameAnswer : std::uint8_t { kFails, kNever };
  void SetName(std::string_view host, NameAnswer answer);
  // What ResolveName answers for an address, besides 127.0.0.1; no other one has a name.
  void SetNameOf(std::string_view ip, std::string_view host);

  // NetworkControl.
  std::int64_t Disconnect(NodeId broker, DisconnectKind how) override;
  RuleId Impose(const NetworkRule& rule) override;
  void Lift(RuleId rule) override;
  std::int64_t Touched(RuleId rule) const override;
  bool Passes(NodeId from, NodeId to) const override;

  struct Counts {
    std::int64_t opens = 0;
    std::int64_t connections = 0;  // opens that succeeded
    std::int64_t resets = 0;
    std::int64_t sends = 0;  // calls that took bytes
    std::int64_t bytes = 0;
  };
  Counts counts() const;

 private:
  const std::unique_ptr<NetworkCore> core_;
  std::uint64_t next_transport_ = 1;
};

}  // namespace ktrial::sim

#endif  // SIM_NETWORK_SIM_NETWORK_H_
