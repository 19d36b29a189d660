// downgrade_api: a state; a broker is of another release.
#include <vector>

#include "core/check.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class DowngradeApiFault final : public Fault {
 public:
  explicit DowngradeApiFault(const DowngradeApi& spec) : spec_(spec) {}
  bool is_state() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    for (const NodeId broker : ResolveBrokers(spec_.broker, world.cluster, draws)) {
      if (RestartAs(world, broker, spec_.version)) changed_.push_back(broker);
    }
    return !changed_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const NodeId broker : changed_) RestartAs(world, broker, world.cluster.FindBroker(broker)->spec.release);
    changed_.clear();
    return false;
  }

 private:
  static bool RestartAs(FaultWorld& world, NodeId broker, const std::string& version) {
    if (world.cluster.FindBroker(broker)->release == FindBrokerRelease(version)) return false;
    // One that is down comes up as what it is by then.
    const bool was_up = world.host.Crash(broker, {});
    world.cluster.SetRelease(broker, version);
    if (was_up) KT_CHECK(world.host.Restart(broker, {}));
    return true;
  }

  const DowngradeApi spec_;
  std::vector<NodeId> changed_;
};

}  // namespace

std::unique_ptr<Fault> MakeDowngradeApi(const DowngradeApi& spec) { return std::make_unique<DowngradeApiFault>(spec); }

}  // namespace ktrial::sim
