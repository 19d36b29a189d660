// crash: a state. The controller notices at once, so others lead at once; after the restart the broker is in sync at
// once.
#include <vector>

#include "sim/broker/broker_host.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class CrashFault final : public Fault {
 public:
  explicit CrashFault(const Crash& spec) : spec_(spec) {}
  bool is_state() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    for (const NodeId broker : ResolveBrokers(spec_.broker, world.cluster, draws)) {
      if (world.host.Crash(broker, {})) down_.push_back(broker);
    }
    return !down_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const NodeId broker : down_) world.host.Restart(broker, {});
    down_.clear();
    return false;
  }

 private:
  const Crash spec_;
  std::vector<NodeId> down_;
};

}  // namespace

std::unique_ptr<Fault> MakeCrash(const Crash& spec) { return std::make_unique<CrashFault>(spec); }

}  // namespace ktrial::sim
