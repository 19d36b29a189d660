#include "sim/fault/planted_bug.h"

#include <utility>
#include <vector>

#include "sim/broker/cluster.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class PlantedBugFault final : public Fault {
 public:
  PlantedBugFault(PlantedBug bug, TopicSelector topic, PartitionSelector partition)
      : bug_(bug), topic_(std::move(topic)), partition_(std::move(partition)) {}
  bool is_state() const override { return true; }
  bool is_of_one_request() const override { return bug_ == PlantedBug::kLoseAppends; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    for (TopicPartition& place : ResolvePartitions(topic_, partition_, world.cluster, draws)) {
      PartitionLog& log = world.cluster.FindPartition(place.topic, place.partition)->log();
      log.Plant(bug_);
      planted_.push_back({std::move(place), log.planted_effects()});
    }
    return false;  // End knows.
  }

  bool End(FaultWorld& world) override {
    bool effect = false;
    for (const Planted& planted : planted_) {
      Partition* const partition = world.cluster.FindPartition(planted.place.topic, planted.place.partition);
      if (partition == nullptr) continue;
      effect |= partition->log().planted_effects() > planted.effects_before;
      partition->log().Plant(PlantedBug::kNone);
    }
    planted_.clear();
    return effect;
  }

 private:
  struct Planted {
    TopicPartition place;
    std::int64_t effects_before = 0;
  };
  const PlantedBug bug_;
  const TopicSelector topic_;
  const PartitionSelector partition_;
  std::vector<Planted> planted_;
};

}  // namespace

std::unique_ptr<Fault> MakePlantedBug(PlantedBug bug, TopicSelector topic, PartitionSelector partition) {
  return std::make_unique<PlantedBugFault>(bug, std::move(topic), std::move(partition));
}

}  // namespace ktrial::sim
