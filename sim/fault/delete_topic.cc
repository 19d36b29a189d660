// delete_topic: a state. At its end each topic is made again as it was, unless somebody has made it meanwhile: a client's
// metadata request, or create_topic.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/broker/cluster.h"
#include "sim/broker/settings.h"
#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"
#include "sim/fault/topic_life.h"

namespace ktrial::sim {
namespace {

class DeleteTopicFault final : public Fault {
 public:
  explicit DeleteTopicFault(const DeleteTopic& spec) : spec_(spec) {}
  bool is_state() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    std::set<std::string> names;
    for (TopicPartition& place : ResolvePartitions(spec_.topic, PartitionSelector::All(), world.cluster, draws)) {
      // "*" is the topics of applications: without its own a cluster does not work.
      if (!IsInternalTopic(place.topic)) names.insert(std::move(place.topic));
    }
    for (const std::string& name : names) {
      TopicSpec shape = world.cluster.FindTopic(name)->Shape();
      if (!world.cluster.DeleteTopic(name, DrawTopicLags(world.cluster, spec_.lag, draws))) continue;
      deleted_.push_back({std::move(shape), DrawTopicLags(world.cluster, spec_.lag, draws)});
    }
    return !deleted_.empty();
  }

  bool End(FaultWorld& world) override {
    for (const Deleted& deleted : deleted_) MakeTopic(world, deleted.shape, deleted.lags);
    deleted_.clear();
    return false;
  }

 private:
  struct Deleted {
    TopicSpec shape;
    Cluster::TopicLags lags;  // of making it again
  };
  const DeleteTopic spec_;
  std::vector<Deleted> deleted_;
};

}  // namespace

std::unique_ptr<Fault> MakeDeleteTopic(const DeleteTopic& spec) { return std::make_unique<DeleteTopicFault>(spec); }

}  // namespace ktrial::sim
