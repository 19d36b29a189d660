// The scripts, by what they ask. Each function runs all of its own, in every version that the broker offers and one above and
// one below; which versions have what a script needs is its own business.
#ifndef TESTS_REAL_FIDELITY_SCRIPTS_H_
#define TESTS_REAL_FIDELITY_SCRIPTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/real/fidelity/probe.h"

namespace ktrial::fidelity {

void RunApiVersions(Probe& probe);
void RunMetadata(Probe& probe);
void RunInitProducerId(Probe& probe);
void RunFrames(Probe& probe);
void RunBodies(Probe& probe);
void RunProduceRequests(Probe& probe);     // topics, partitions, acks, timeouts
void RunProduceBatches(Probe& probe);      // format v2
void RunProduceMessageSets(Probe& probe);  // the formats before it
void RunProduceIdempotent(Probe& probe);

// --- What those of Produce share ---

inline constexpr std::int16_t kBatchesSince = 3;
inline constexpr std::int16_t kTopicIdsSince = 13;
inline constexpr std::int32_t kTimeoutMs = 5000;

// A topic that nobody has, where topics are named by id.
TopicId AbsentTopicId();

// The topic by its name, or by its id where the version does so. Views of the arguments.
wire::TopicProduceData TopicData(const Probe& probe, std::string_view name,
                                 std::vector<wire::PartitionProduceData> partitions);

struct ProduceOptions {
  std::int16_t acks = -1;
  std::int32_t timeout_ms = kTimeoutMs;
  std::string_view topic = kTopic;
  std::int32_t partition = 0;
  std::optional<std::string_view> transactional_id;
};
// What a good request of this version carries.
std::string GoodRecords(std::int16_t version);
// One partition. `added`: how many records there are, if they are taken.
std::vector<nlohmann::json> Produce(Probe& probe, std::string name, std::int16_t version,
                                    std::optional<std::string_view> records, std::int32_t added,
                                    const ProduceOptions& options = {});

}  // namespace ktrial::fidelity

#endif  // TESTS_REAL_FIDELITY_SCRIPTS_H_
