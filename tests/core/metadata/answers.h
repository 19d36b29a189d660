// Metadata responses in one line each, and a Metadata with hand-moved doors.
#ifndef TESTS_CORE_METADATA_ANSWERS_H_
#define TESTS_CORE_METADATA_ANSWERS_H_

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/metadata/metadata.h"
#include "core/wire/messages.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {

using namespace std::chrono_literals;  // NOLINT: tests only

inline constexpr std::int16_t kNewestVersion = 13;

// Brokers "b<id>", port 9092; the first is the controller.
inline wire::MetadataResponse Answer(std::initializer_list<std::int32_t> brokers,
                                     std::vector<wire::MetadataTopic> topics = {}) {
  wire::MetadataResponse response;
  for (const std::int32_t id : brokers) {
    response.brokers.push_back({.node_id = id, .host = "b" + std::to_string(id), .port = 9092});
  }
  response.controller_id = brokers.size() == 0 ? -1 : *brokers.begin();
  response.cluster_id = "cluster";
  response.topics = std::move(topics);
  return response;
}

inline wire::MetadataPartition Led(std::int32_t index, std::int32_t leader, std::int32_t epoch = 1,
                                   wire::ErrorCode error = wire::ErrorCode::kNone) {
  return {.error = error, .index = index, .leader_id = leader, .leader_epoch = epoch, .replicas = {leader}};
}

inline wire::MetadataTopic Topic(std::string name, std::vector<wire::MetadataPartition> partitions,
                                 std::uint8_t id = 0) {
  return {.name = std::move(name), .topic_id = TopicId{id}, .partitions = std::move(partitions)};
}

inline wire::MetadataTopic BadTopic(std::string name, wire::ErrorCode error) {
  return {.error = error, .name = std::move(name)};
}

// Two bootstrap addresses; backoff 100 ms to 1 s without jitter unless a test fixes the draws; max age and idle 5 min.
class MetadataWorld {
 public:
  static MetadataConfig Config() { return {.bootstrap = {{"boot-a", 9092}, {"boot-b", 9093}}}; }
  explicit MetadataWorld(MetadataConfig config = Config()) : metadata(std::move(config), threads, entropy) {}

  Instant now() const { return clock.Now(); }
  bool IsDue() const { return metadata.NextUpdateAt() <= clock.Now(); }
  Duration UntilNext() const { return metadata.NextUpdateAt() - clock.Now(); }
  UpdateResult Update(const wire::MetadataResponse& response, std::int16_t version = kNewestVersion) {
    return metadata.Update(metadata.BuildRequest(now()), response, version, now());
  }
  void Fail() {
    metadata.BuildRequest(now());
    metadata.UpdateFailed(now());
  }

  ManualClock clock;
  FakeEntropy entropy;
  NoThreads threads;
  Metadata metadata;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_METADATA_ANSWERS_H_
