// Produce: topics, partitions, acks, timeouts; and what the scripts about records share.
#include "tests/real/fidelity/records.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {

using wire::ApiKey;

TopicId AbsentTopicId() {
  TopicId id{};
  id.fill(0x42);
  return id;
}

wire::TopicProduceData TopicData(const Probe& probe, std::string_view name,
                                 std::vector<wire::PartitionProduceData> partitions) {
  return {.name = name,
          .topic_id = name == kTopic ? probe.topic_id() : AbsentTopicId(),
          .partitions = std::move(partitions)};
}

std::vector<nlohmann::json> Produce(Probe& probe, std::string name, std::int16_t version,
                                    std::optional<std::string_view> records, std::int32_t added,
                                    const ProduceOptions& options) {
  const wire::ProduceRequest request{
      .transactional_id = options.transactional_id,
      .acks = options.acks,
      .timeout_ms = options.timeout_ms,
      .topics = {TopicData(probe, options.topic, {{.index = options.partition, .records = records}})}};
  return probe.Ask(std::move(name), request, version, added);
}

std::string GoodRecords(std::int16_t version) {
  if (version >= kBatchesSince) return MakeBatch();
  return MakeSet({.magic = static_cast<std::int8_t>(version == 2 ? 1 : 0)});
}

namespace {

void RunSeveral(Probe& probe, std::int16_t version) {
  const std::string good = GoodRecords(version);
  const wire::PartitionProduceData here{.index = 0, .records = good};
  const wire::PartitionProduceData nowhere{.index = 7, .records = good};
  wire::ProduceRequest request{.acks = -1, .timeout_ms = kTimeoutMs, .topics = {}};
  probe.Ask("no topics", request, version);
  request.topics = {TopicData(probe, kTopic, {})};
  probe.Ask("no partitions", request, version);
  request.topics = {TopicData(probe, kTopic, {here, nowhere})};
  probe.Ask("a good and an unknown partition", request, version, 1);
  request.topics = {TopicData(probe, kTopic, {here}), TopicData(probe, kAbsentTopic, {here})};
  probe.Ask("a good and an unknown topic", request, version, 1);
  request.acks = 0;
  probe.Ask("acks 0, a good and an unknown topic", request, version, 1);
  request.acks = -1;
  request.topics = {TopicData(probe, kTopic, {here, here})};
  probe.Ask("a partition twice", request, version, 1);
  request.topics = {TopicData(probe, kTopic, {here}), TopicData(probe, kTopic, {here})};
  probe.Ask("a topic twice", request, version, 1);
  if (version < kTopicIdsSince) return;
  request.topics = {TopicData(probe, kTopic, {here})};
  request.topics[0].topic_id = {};
  probe.Ask("the zero topic id", request, version);
}

}  // namespace

void RunProduceRequests(Probe& probe) {
  for (const std::int16_t version : probe.VersionsAround(ApiKey::kProduce)) {
    const std::string good = GoodRecords(version);
    Produce(probe, "good", version, good, 1);
    Produce(probe, "good, acks 1", version, good, 1, {.acks = 1});
    Produce(probe, "good, acks 0", version, good, 1, {.acks = 0});
    Produce(probe, "acks 2", version, good, 1, {.acks = 2});
    Produce(probe, "acks -2", version, good, 1, {.acks = -2});
    Produce(probe, "negative timeout", version, good, 1, {.timeout_ms = -1});
    Produce(probe, "timeout 0", version, good, 1, {.timeout_ms = 0});
    Produce(probe, "unknown topic", version, good, 0, {.topic = kAbsentTopic});
    Produce(probe, "unknown topic, acks 0", version, good, 0, {.acks = 0, .topic = kAbsentTopic});
    Produce(probe, "bad name of a topic", version, good, 0, {.topic = "no/topic"});
    Produce(probe, "unknown partition", version, good, 0, {.partition = 7});
    Produce(probe, "negative partition", version, good, 0, {.partition = -1});
    // Some brokers never answer, which takes our whole patience: in one version of each kind of form.
    const bool one_of_its_kind = version == 0 || version == kBatchesSince || version == kTopicIdsSince;
    if (one_of_its_kind) Produce(probe, "null records", version, std::nullopt, 0);
    Produce(probe, "empty records", version, "", 0);
    RunSeveral(probe, version);
  }
}

}  // namespace ktrial::fidelity
