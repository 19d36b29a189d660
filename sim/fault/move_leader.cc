// move_leader: an instant. With a length, leaders go back to where they were, where that is still possible.
#include <vector>

#include "sim/broker/cluster.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class MoveLeaderFault final : public Fault {
 public:
  explicit MoveLeaderFault(const MoveLeader& spec) : spec_(spec) {}
  bool is_state() const override { return false; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    moved_.clear();
    for (TopicPartition& place : ResolvePartitions(spec_.topic, spec_.partition, world.cluster, draws)) {
      const NodeId leader = world.cluster.LeaderOf(place.topic, place.partition);
      if (MoveOne(world.cluster, draws, place)) moved_.push_back({std::move(place), leader});
    }
    return !moved_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const Moved& moved : moved_) {
      world.cluster.MoveLeader(moved.place.topic, moved.place.partition, moved.from, {.hint = spec_.hint});
    }
    moved_.clear();
    return false;
  }

 private:
  struct Moved {
    TopicPartition place;
    NodeId from;
  };

  bool MoveOne(Cluster& cluster, Stream& draws, const TopicPartition& place) {
    std::vector<NodeId> candidates = Candidates(cluster, draws, place);
    const Duration lag = draws.Between(spec_.lag.min, spec_.lag.max);
    while (!candidates.empty()) {
      const auto drawn = candidates.begin() + static_cast<std::ptrdiff_t>(draws.Below(candidates.size()));
      if (cluster.MoveLeader(place.topic, place.partition, *drawn, {.lag = lag, .hint = spec_.hint})) return true;
      candidates.erase(drawn);
    }
    return false;
  }

  // "any" means any that can lead, so it is not drawn like a broker of other faults.
  std::vector<NodeId> Candidates(const Cluster& cluster, Stream& draws, const TopicPartition& place) const {
    if (spec_.to != BrokerSelector::Any()) return ResolveBrokers(spec_.to, cluster, draws);
    const Partition* const partition = cluster.FindPartition(place.topic, place.partition);
    return partition == nullptr ? std::vector<NodeId>() : partition->state().isr;
  }

  const MoveLeader spec_;
  std::vector<Moved> moved_;
};

}  // namespace

std::unique_ptr<Fault> MakeMoveLeader(const MoveLeader& spec) { return std::make_unique<MoveLeaderFault>(spec); }

}  // namespace ktrial::sim
