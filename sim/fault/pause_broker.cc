// pause_broker: a state. Nothing is read or answered, and nothing copied: as a process that is stopped, or collects
// garbage.
#include <vector>

#include "sim/broker/broker_host.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class PauseBrokerFault final : public Fault {
 public:
  explicit PauseBrokerFault(const PauseBroker& spec) : spec_(spec) {}
  bool is_state() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    for (const NodeId broker : ResolveBrokers(spec_.broker, world.cluster, draws)) {
      if (world.host.Pause(broker)) paused_.push_back(broker);
    }
    return !paused_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const NodeId broker : paused_) world.host.Resume(broker);
    paused_.clear();
    return false;
  }

 private:
  const PauseBroker spec_;
  std::vector<NodeId> paused_;
};

}  // namespace

std::unique_ptr<Fault> MakePauseBroker(const PauseBroker& spec) { return std::make_unique<PauseBrokerFault>(spec); }

}  // namespace ktrial::sim
