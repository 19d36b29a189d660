// Brokers that a test plays by hand, behind a FakeTransport: they answer ApiVersions and Metadata from a small model, and keep each
// produce request until the test answers it, or ends its connection.
#ifndef TESTS_CORE_PRODUCER_FAKE_CLUSTER_H_
#define TESTS_CORE_PRODUCER_FAKE_CLUSTER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/env/transport.h"
#include "core/types.h"
#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/messages.h"
#include "core/wire/record_batch.h"
#include "tests/core/producer/fake_coordinator.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {

using Partition = std::pair<std::string, std::int32_t>;

// One produce request, as it arrived.
struct ReceivedProduce {
  std::int32_t broker = 0;
  ConnectionId connection;
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string> transactional_id;
  std::int16_t acks = 0;
  std::int32_t timeout_ms = 0;
  std::int8_t magic = 2;                                 // The format of its records.
  std::map<std::string, TopicId> topic_ids;              // By v13 alone.
  std::map<Partition, std::vector<std::string>> values;  // Of the records of each batch.
  std::map<Partition, wire::BatchProducer> producers;    // Who wrote each batch.
};

class FakeCluster {
 public:
  // Brokers 1 ... `broker_count` at 10.0.0.<id>, port 9092.
  FakeCluster(FakeTransport& transport, const Clock& clock, std::int32_t broker_count);

  struct Leader {
    std::int32_t broker = 1;  // -1: none.
    std::int32_t epoch = 0;
  };
  // --- The model: what metadata answers say ---
  std::map<std::string, std::vector<Leader>> topics;  // A topic that is not here is unknown.
  std::map<std::string, wire::ErrorCode> topic_errors;
  // --- How brokers behave ---
  std::set<std::int32_t> silent;       // They accept connections and answer nothing.
  std::set<std::int32_t> refusing;     // They refuse connections.
  std::set<std::int32_t> distrusting;  // They refuse who connects.
  std::int16_t produce_version_min = 3;
  std::int16_t produce_version_max = 12;
  std::map<std::string, TopicId> topic_ids;  // Of topics that have one.
  bool gives_producer_ids = true;
  bool holds_metadata = false;  // Answers to metadata requests wait for ReleaseMetadata.
  std::deque<wire::ErrorCode>
      producer_id_errors;  // The answers to the next requests for a producer id; then ids 7, 8, ...
  std::int16_t first_producer_epoch = 0;
  std::optional<FakeCoordinator> coordinator;  // With one, ids come from it, and it is asked about transactions.
  // --- What arrived ---
  std::vector<ReceivedProduce> produces;
  std::vector<std::int32_t> metadata_requests;  // Which broker was asked.
  std::vector<Instant> producer_id_requests;    // When.

  // Answers with the same code for each partition; offsets count from `base_offset`.
  void Answer(const ReceivedProduce& request, wire::ErrorCode code = wire::ErrorCode::kNone,
              std::int64_t base_offset = 0);
  void Answer(const ReceivedProduce& request, const wire::ProduceResponse& response);
  // An answer that Answer would send, for tests that change it first.
  static wire::ProduceResponse ResponseTo(const ReceivedProduce& request, wire::ErrorCode code,
                                          std::int64_t base_offset = 0);
  // Sends the answers that were held, and holds no more.
  void ReleaseMetadata();
  // Ends all connections to a broker.
  void Drop(std::int32_t broker, EndReason reason = EndReason::kReset);
  // Lets the answer go that the coordinator keeps back.
  void AnswerCoordinated();

 private:
  void OnOpen(ConnectionId id);
  void OnSent(ConnectionId id);
  void OnFrame(ConnectionId id, std::int32_t broker, std::string_view frame);
  void OnProduce(ConnectionId id, std::int32_t broker, const wire::RequestParts& request);
  wire::MetadataResponse Metadata(const wire::MetadataRequest& request);
  std::int32_t BrokerOf(ConnectionId id);

  void ReadRecords(std::string_view records, std::int8_t magic, std::vector<std::string>& values);
  std::string ProducerId(const wire::RequestHeader& header);

  FakeTransport& transport_;
  const std::int32_t broker_count_;
  const Clock& clock_;
  std::int64_t next_producer_id_ = 7;
  ConnectionId coordinated_;                     // The last connection on which the coordinator was asked.
  std::map<TopicId, std::string> topics_by_id_;  // All that ever were in an answer.
  std::map<ConnectionId, std::size_t> parsed_bytes_;
  std::vector<std::pair<ConnectionId, std::string>> held_metadata_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_FAKE_CLUSTER_H_
