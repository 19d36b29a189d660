#include "scenarios/language/fault_check.h"

#include <algorithm>

#include "scenarios/language/names.h"
#include "scenarios/language/producer_config.h"
#include "scenarios/language/quantity.h"
#include "sim/fault_plan_check.h"
#include "sim/world_names.h"

namespace ktrial::scenario {
namespace {

using Why = std::optional<std::string>;

bool Overlap(const sim::PartitionSelector& a, const sim::PartitionSelector& b) {
  using Kind = sim::PartitionSelector::Kind;
  if (a.kind != Kind::kList || b.kind != Kind::kList) return true;
  return std::any_of(a.list.begin(), a.list.end(), [&b](PartitionIndex partition) {
    return std::find(b.list.begin(), b.list.end(), partition) != b.list.end();
  });
}

// Whether any workload or call can send to one of these partitions.
bool MaySend(const sim::WorldSpec& world, const sim::TopicSelector& topics, const sim::PartitionSelector& partitions) {
  const std::vector<const sim::TopicShape*> meant = SelectedTopics(world, topics);
  const auto is_meant = [&meant](const sim::TopicShape* topic) {
    return std::find(meant.begin(), meant.end(), topic) != meant.end();
  };
  for (const sim::WorkloadSpec& workload : world.workloads) {
    const std::vector<const sim::TopicShape*> sent = SelectedTopics(world, workload.topic);
    if (!std::any_of(sent.begin(), sent.end(), is_meant)) continue;
    if (!workload.partition || Overlap(*workload.partition, partitions)) return true;
  }
  for (const sim::CallSpec& call : world.calls) {
    const sim::SendCall* send = std::get_if<sim::SendCall>(&call.call);
    if (send == nullptr || !is_meant(FindTopic(world, send->topic))) continue;
    if (!send->partition || Overlap({sim::PartitionSelector::Kind::kList, {*send->partition}}, partitions)) return true;
  }
  return false;
}

// Kinds that certainly leave all leaders where they are. A broker that is cut off or stands still may lose its own.
struct MovesNoLeader {
  bool operator()(const sim::Disconnect&) const { return true; }
  bool operator()(const sim::RefuseConnect&) const { return true; }
  bool operator()(const sim::DropConnect&) const { return true; }
  bool operator()(const sim::Latency&) const { return true; }
  bool operator()(const sim::Misroute&) const { return true; }
  bool operator()(const sim::ErrorAnswer&) const { return true; }
  bool operator()(const sim::DropResponse&) const { return true; }
  bool operator()(const sim::StallThread&) const { return true; }
  // The first replica leads what is made again, as at the start.
  bool operator()(const sim::DeleteTopic&) const { return true; }
  bool operator()(const sim::CreateTopic&) const { return true; }
  bool operator()(const sim::LoseAckedAppend&) const { return true; }
  bool operator()(const sim::SwapAckedAppends&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

struct Checker {
  const sim::FaultTrigger& trigger;
  const sim::WorldSpec& world;
  const bool foreign_client;

  // Nothing can be said of a foreign client; of our own we know every topic that it may send to.
  Why NeedsProduce(const sim::TopicSelector& topics, const sim::PartitionSelector& partitions) const {
    if (foreign_client || MaySend(world, topics, partitions)) return std::nullopt;
    return "no workload or call sends there";
  }
  Why NeedsApi(wire::ApiKey api) const {
    if (api == wire::ApiKey::kProduce) return NeedsProduce(sim::TopicSelector::All(), sim::PartitionSelector::All());
    // The brokers serve whatever can be decoded.
    if (!wire::CodecVersionRange(api).has_value()) {
      return "the brokers do not serve " + std::string(wire::ApiKeyName(api));
    }
    if (foreign_client || api == wire::ApiKey::kMetadata || api == wire::ApiKey::kApiVersions) return std::nullopt;
    if (api == wire::ApiKey::kSaslHandshake || api == wire::ApiKey::kSaslAuthenticate) {
      const auto says_who = [](const sim::ProducerSpec& producer) {
        return UsesSasl(ConfigOf(producer).security_protocol);
      };
      if (std::any_of(world.producers.begin(), world.producers.end(), says_who)) return std::nullopt;
      return "no producer sends " + std::string(wire::ApiKeyName(api)) + " (security.protocol)";
    }
    if (api != wire::ApiKey::kInitProducerId) {
      const auto transacts = [](const sim::ProducerSpec& producer) {
        return !ConfigOf(producer).transactional_id.empty();
      };
      if (std::any_of(world.producers.begin(), world.producers.end(), transacts)) return std::nullopt;
      return "no producer sends " + std::string(wire::ApiKeyName(api)) + " (transactional.id)";
    }
    const auto asks = [](const sim::ProducerSpec& producer) { return ConfigOf(producer).enable_idempotence; };
    if (std::any_of(world.producers.begin(), world.producers.end(), asks)) return std::nullopt;
    return "no producer sends InitProducerId (enable.idempotence)";
  }

  // Whether leaders are where they were at the start when the fault begins: no other fault, and no earlier episode of
  // this one, can have moved any.
  bool LeadersStay() const {
    return std::none_of(world.faults.begin(), world.faults.end(), [this](const sim::FaultSpec& other) {
      return &other.trigger != &trigger && !std::visit(MovesNoLeader(), other.action);
    });
  }

  Why operator()(const sim::MoveLeader& fault) const {
    const std::vector<const sim::TopicShape*> topics = SelectedTopics(world, fault.topic);
    const auto alone = [](const sim::TopicShape* topic) { return topic->replication == 1; };
    if (std::all_of(topics.begin(), topics.end(), alone)) return "there is no other replica (replication is 1)";
    const auto is_id = [](const sim::BrokerTerm& term) { return term.kind == sim::BrokerTerm::Kind::kId; };
    if (!std::all_of(fault.to.terms.begin(), fault.to.terms.end(), is_id)) return std::nullopt;
    bool has_replica = false;
    const bool leaders_stay = LeadersStay();
    for (const sim::TopicShape* topic : topics) {
      for (std::int32_t index = 0; index < topic->partitions; ++index) {
        const PartitionIndex partition(index);
        if (!Overlap(fault.partition, {sim::PartitionSelector::Kind::kList, {partition}})) continue;
        const std::vector<NodeId> replicas = Replicas(world, *topic, partition);
        for (const sim::BrokerTerm& term : fault.to.terms) {
          const auto place = std::find(replicas.begin(), replicas.end(), term.id);
          has_replica |= place != replicas.end();
          if (place != replicas.end() && !(leaders_stay && place == replicas.begin())) return std::nullopt;
        }
      }
    }
    return "broker " + sim::ToString(fault.to) + (has_replica ? " leads it already" : " has no replica of it");
  }
  Why operator()(const sim::Misroute& fault) const {
    if (fault.broker != fault.to || fault.to.terms.size() != 1) return std::nullopt;
    if (fault.to.terms.front().kind == sim::BrokerTerm::Kind::kAny) return std::nullopt;
    return "broker " + sim::ToString(fault.to) + " has its address already";
  }
  Why operator()(const sim::DowngradeApi& fault) const {
    const auto is_other = [&](std::int32_t id) {
      const auto shape = std::ranges::find(world.brokers, id, &sim::BrokerShape::id);
      const bool own = shape != world.brokers.end() && shape->version.has_value();
      return (own ? *shape->version : world.cluster.version) != fault.version;
    };
    for (const sim::BrokerTerm& term : fault.broker.terms) {
      if (term.kind != sim::BrokerTerm::Kind::kId || is_other(term.id.value())) return std::nullopt;
    }
    return "of " + fault.version + " already: broker " + sim::ToString(fault.broker);
  }
  Why operator()(const sim::ErrorAnswer& fault) const {
    if (Why why = NeedsApi(fault.api)) return why;
    if (fault.api != wire::ApiKey::kProduce) return std::nullopt;
    return NeedsProduce(fault.topic, fault.partition);
  }
  Why operator()(const sim::StallThread& fault) const {
    if (foreign_client) return std::nullopt;  // left out when it is served
    return sim::WhyNoThread(fault.thread, world);
  }
  Why operator()(const sim::CreateTopic& fault) const {
    const auto deletes = [&](const sim::FaultSpec& other) {
      const auto* deletion = std::get_if<sim::DeleteTopic>(&other.action);
      if (deletion == nullptr) return false;
      const std::vector<const sim::TopicShape*> topics = SelectedTopics(world, deletion->topic);
      return std::find(topics.begin(), topics.end(), FindTopic(world, fault.topic)) != topics.end();
    };
    if (std::any_of(world.faults.begin(), world.faults.end(), deletes)) return std::nullopt;
    return "topic " + fault.topic + " is there from the start, and no delete_topic takes it away";
  }
  Why operator()(const sim::LoseAckedAppend& fault) const { return NeedsProduce(fault.topic, fault.partition); }
  Why operator()(const sim::SwapAckedAppends& fault) const { return NeedsProduce(fault.topic, fault.partition); }
  // The others need nothing but a broker that exists.
  template <class Other>
  Why operator()(const Other&) const {
    return std::nullopt;
  }
};

Why CheckTrigger(const Checker& checker) {
  const sim::FaultTrigger& trigger = checker.trigger;
  const Duration duration = checker.world.duration;
  const std::string end = FormatDuration(duration);
  if (trigger.at && trigger.at->min >= duration) {
    return "at " + FormatDuration(trigger.at->min) + " is not before the duration, " + end;
  }
  if (trigger.every && trigger.every->min >= duration) {
    return "the first falls after one interval, " + FormatDuration(trigger.every->min) +
           ", which is not before the duration, " + end;
  }
  if (!trigger.on || !trigger.on->request) return std::nullopt;
  return checker.NeedsApi(*trigger.on->request);
}

}  // namespace

std::optional<std::string> WhyItCannotFire(const sim::FaultSpec& fault, const sim::WorldSpec& world,
                                           bool foreign_client) {
  const Checker checker{fault.trigger, world, foreign_client};
  if (Why why = sim::WhyItContradictsItself(fault)) return why;
  if (Why why = CheckTrigger(checker)) return why;
  return std::visit(checker, fault.action);
}

}  // namespace ktrial::scenario
