// create_topic: an instant. What is not said is as it was before the topic was deleted.
#include <algorithm>

#include "sim/broker/cluster.h"
#include "sim/fault/faults.h"
#include "sim/fault/topic_life.h"

namespace ktrial::sim {
namespace {

constexpr std::int32_t kReplicationMax = 3;  // of a topic that says nothing of it

class CreateTopicFault final : public Fault {
 public:
  explicit CreateTopicFault(const CreateTopic& spec) : spec_(spec) {}
  bool is_state() const override { return false; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint*, Instant) override {
    const auto brokers = static_cast<std::int32_t>(world.cluster.brokers().size());
    TopicSpec topic{.name = spec_.topic, .replication = std::min(kReplicationMax, brokers)};
    if (const Topic* const before = world.cluster.FindDeletedTopic(spec_.topic)) topic = before->Shape();
    topic.partitions = spec_.partitions.value_or(topic.partitions);
    topic.replication = spec_.replication.value_or(topic.replication);
    return MakeTopic(world, topic, DrawTopicLags(world.cluster, spec_.lag, draws));
  }

  bool End(FaultWorld& world) override {
    world.cluster.DeleteTopic(spec_.topic);
    return false;
  }

 private:
  const CreateTopic spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeCreateTopic(const CreateTopic& spec) { return std::make_unique<CreateTopicFault>(spec); }

}  // namespace ktrial::sim
