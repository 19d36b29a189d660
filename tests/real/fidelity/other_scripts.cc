// ApiVersions, Metadata, InitProducerId.
#include "core/check.h"
#include "fmt/format.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

constexpr std::int16_t kSoftwareNamesSince = 3;
constexpr std::int16_t kClusterCheckSince = 5;
constexpr std::int16_t kNoneSince = 1;  // before, Metadata cannot ask for no topic at all
constexpr std::int16_t kAutoCreateFlagSince = 4;
constexpr std::int16_t kAuthorizedOperationsSince = 8;
constexpr std::int16_t kTopicIdsInMetadataSince = 10;
constexpr std::int16_t kIdsInInitSince = 3;

void RunNamedTopics(Probe& probe, std::int16_t version) {
  const auto ask = [&](std::string name, const std::vector<std::string>& topics, bool may_create = false) {
    wire::MetadataRequest request{.allow_auto_topic_creation = may_create};
    for (const std::string& topic : topics) request.topics->push_back({.name = topic});
    probe.Ask(std::move(name), request, version);
  };
  const std::string known(kTopic);
  ask("a topic", {known});
  ask("a topic twice", {known, known});
  ask("a bad name", {"no/topic"});
  ask("an empty name", {""});
  ask("the name .", {"."});
  ask("a name of 300 letters", {std::string(300, 'x')});
  ask("a bad name that may be made", {"no/topic"}, true);
  const std::string made = fmt::format("made-by-{}", version);
  ask("a topic that may be made", {made}, true);
  // Some brokers take a moment; whether a later script sees it must not hang on that.
  KT_CHECK(probe.AwaitTopic(made).ok());
  // Before, whoever asks for a topic has it made.
  if (version < kAutoCreateFlagSince) return;
  ask("an unknown topic", {std::string(kAbsentTopic)});
  ask("a topic and an unknown one", {known, std::string(kAbsentTopic)});
}

void RunTopicIds(Probe& probe, std::int16_t version) {
  const auto ask = [&](std::string name, const TopicId& id, std::optional<std::string> topic) {
    const wire::MetadataRequest request{.topics = {{{.topic_id = id, .name = std::move(topic)}}},
                                        .allow_auto_topic_creation = false};
    probe.Ask(std::move(name), request, version);
  };
  ask("a topic by its id", probe.topic_id(), std::nullopt);
  ask("an unknown topic id", AbsentTopicId(), std::nullopt);
  ask("neither id nor name", {}, std::nullopt);
  ask("id and name", probe.topic_id(), std::string(kTopic));
  ask("an unknown id and a name", AbsentTopicId(), std::string(kTopic));
}

void RunClusterCheck(Probe& probe, std::int16_t version) {
  const auto ask = [&](std::string name, std::optional<std::string> cluster, std::int32_t node,
                       std::string software = "ktrial") {
    probe.Ask(std::move(name),
              wire::ApiVersionsRequest{.client_software_name = std::move(software),
                                       .client_software_version = "1.0",
                                       .cluster_id = std::move(cluster),
                                       .node_id = node},
              version);
  };
  ask("its cluster and node", probe.cluster_id(), probe.node_id());
  ask("its cluster and another node", probe.cluster_id(), probe.node_id() + 1);
  ask("its cluster and a negative node", probe.cluster_id(), -2);
  ask("another cluster and its node", "another", probe.node_id());
  ask("an empty cluster and its node", "", probe.node_id());
  ask("a cluster without a node", probe.cluster_id(), -1);
  ask("a node without a cluster", std::nullopt, probe.node_id());
  ask("another cluster and a bad name of a software", "another", probe.node_id(), "-ktrial");
}

}  // namespace

void RunApiVersions(Probe& probe) {
  for (const std::int16_t version : probe.VersionsAround(ApiKey::kApiVersions)) {
    const auto ask = [&](std::string name, std::string software, std::string software_version) {
      probe.Ask(std::move(name),
                wire::ApiVersionsRequest{.client_software_name = std::move(software),
                                         .client_software_version = std::move(software_version)},
                version);
    };
    ask("good", "ktrial", "1.0");
    if (version < kSoftwareNamesSince) continue;
    ask("software without a name", "", "1.0");
    ask("software without a version", "ktrial", "");
    ask("bad name of a software", "-ktrial", "1.0");
    ask("bad version of a software", "ktrial", "1 0");
    if (version >= kClusterCheckSince) RunClusterCheck(probe, version);
  }
  for (const std::int16_t version : {std::int16_t{100}, std::int16_t{32767}}) {
    probe.Ask("good", wire::ApiVersionsRequest(), version);
  }
}

void RunMetadata(Probe& probe) {
  for (const std::int16_t version : probe.VersionsAround(ApiKey::kMetadata)) {
    probe.Ask("all topics", wire::MetadataRequest{.topics = std::nullopt}, version);
    if (version >= kNoneSince) probe.Ask("no topics", wire::MetadataRequest{}, version);
    RunNamedTopics(probe, version);
    if (version >= kAuthorizedOperationsSince) {
      probe.Ask("authorized operations",
                wire::MetadataRequest{.topics = {{{.name = std::string(kTopic)}, {.name = std::string(kAbsentTopic)}}},
                                      .allow_auto_topic_creation = false,
                                      .include_cluster_authorized_operations = true,
                                      .include_topic_authorized_operations = true},
                version);
    }
    if (version >= kTopicIdsInMetadataSince) RunTopicIds(probe, version);
  }
}

void RunInitProducerId(Probe& probe) {
  for (const std::int16_t version : probe.VersionsAround(ApiKey::kInitProducerId)) {
    const auto ask = [&](std::string name, const wire::InitProducerIdRequest& request) {
      return probe.Ask(std::move(name), request, version);
    };
    const std::string id = fmt::format("transactional-{}", version);
    ask("no transactional id", {.transaction_timeout_ms = 60000});
    ask("no transactional id, timeout 0", {.transaction_timeout_ms = 0});
    ask("no transactional id, timeout negative", {.transaction_timeout_ms = -1});
    const auto first = ask("transactional id", {.transactional_id = id, .transaction_timeout_ms = 60000});
    ask("transactional id again", {.transactional_id = id, .transaction_timeout_ms = 60000});
    ask("empty transactional id", {.transactional_id = "", .transaction_timeout_ms = 60000});
    ask("timeout 0", {.transactional_id = "other", .transaction_timeout_ms = 0});
    ask("timeout negative", {.transactional_id = "other", .transaction_timeout_ms = -1});
    ask("timeout too large", {.transactional_id = "other", .transaction_timeout_ms = 900001});
    if (version < kIdsInInitSince || first.empty() || !first[0].contains("producerId")) continue;
    const std::int64_t given = first[0]["producerId"];
    const auto named = [&](std::string name, std::int64_t producer, std::int16_t epoch) {
      ask("transactional id, " + std::move(name),
          {.transactional_id = id, .transaction_timeout_ms = 60000, .producer_id = producer, .producer_epoch = epoch});
    };
    named("its id and an earlier epoch", given, 0);
    named("its id and epoch", given, 1);
    named("its id and epoch again", given, 1);
    named("its id and a later epoch", given, 20);
    named("another id", given + 5000, 1);
    ask("id and epoch", {.producer_id = 5, .producer_epoch = 3});
    ask("id without an epoch", {.producer_id = 5});
    ask("epoch without an id", {.producer_epoch = 3});
  }
}

}  // namespace ktrial::fidelity
