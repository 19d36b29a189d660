// disconnect: an instant. It had an effect if there was a connection to end.
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"
#include "sim/network/network_control.h"

namespace ktrial::sim {
namespace {

class DisconnectFault final : public Fault {
 public:
  explicit DisconnectFault(const Disconnect& spec) : spec_(spec) {}
  bool is_state() const override { return false; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    const DisconnectKind how = spec_.how == Disconnect::How::kFin ? DisconnectKind::kEnd : DisconnectKind::kReset;
    std::int64_t ended = 0;
    for (const NodeId broker : ResolveBrokers(spec_.broker, world.cluster, draws)) {
      ended += world.network.Disconnect(broker, how);
    }
    return ended > 0;
  }

  bool End(FaultWorld&) override { return false; }

 private:
  const Disconnect spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeDisconnect(const Disconnect& spec) { return std::make_unique<DisconnectFault>(spec); }

}  // namespace ktrial::sim
