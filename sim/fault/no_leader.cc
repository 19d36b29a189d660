// no_leader: a state. At its end the first replica in sync leads.
#include <vector>

#include "sim/broker/cluster.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class NoLeaderFault final : public Fault {
 public:
  explicit NoLeaderFault(const NoLeader& spec) : spec_(spec) {}
  bool is_state() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    for (TopicPartition& place : ResolvePartitions(spec_.topic, spec_.partition, world.cluster, draws)) {
      if (world.cluster.RemoveLeader(place.topic, place.partition)) leaderless_.push_back(std::move(place));
    }
    return !leaderless_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const TopicPartition& place : leaderless_) world.cluster.ElectLeader(place.topic, place.partition);
    leaderless_.clear();
    return false;
  }

 private:
  const NoLeader spec_;
  std::vector<TopicPartition> leaderless_;
};

}  // namespace

std::unique_ptr<Fault> MakeNoLeader(const NoLeader& spec) { return std::make_unique<NoLeaderFault>(spec); }

}  // namespace ktrial::sim
