// The coordinator of one transactional producer and of groups, as a test plays it: it says yes to everything, unless the
// test has an error for the next request of a kind, or keeps its answers back.
#ifndef TESTS_CORE_PRODUCER_FAKE_COORDINATOR_H_
#define TESTS_CORE_PRODUCER_FAKE_COORDINATOR_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/wire/api_key.h"
#include "core/wire/codec.h"
#include "core/wire/error_code.h"
#include "core/wire/transaction_messages.h"

namespace ktrial::testing {

class FakeCoordinator {
 public:
  explicit FakeCoordinator(const Clock& clock) : clock_(clock) {}

  // --- How it behaves ---
  std::int32_t broker = 1;         // Where FindCoordinator says that it is.
  bool knows_transactions = true;  // Else it is older than Kafka 0.11.
  bool raises_epochs = true;       // InitProducerId 3 and later (Kafka 2.5).
  bool version_2 = false;          // transaction.version 2: what that needs, and it is finalized.
  std::set<wire::ApiKey> mute;     // Requests that are not answered.
  Duration find_throttle{};        // What the answers of FindCoordinator ask for.
  // The answers to the next requests of a kind; then none is an error.
  std::map<wire::ApiKey, std::deque<wire::ErrorCode>> errors;
  // For a partition "t-0", instead, whenever it is named.
  std::map<std::string, wire::ErrorCode> partition_errors;

  // --- What arrived: "EndTxn commit 7/0" ---
  std::vector<std::string> requests;
  std::vector<Instant> times;          // of each
  std::vector<std::int16_t> versions;  // of each
  std::vector<std::int32_t> brokers;   // of each: who was asked
  std::vector<wire::TxnOffsetCommitRequest> offsets;

  std::vector<wire::ApiVersion> apis() const;
  // The whole answer; nullopt if there is none.
  std::optional<std::string> Answer(std::int32_t broker, const wire::RequestParts& request);
  // The last request that was not answered.
  std::string AnswerMuted();

 private:
  std::string FindCoordinator(const wire::RequestParts& request);
  std::string InitProducerId(const wire::RequestParts& request);
  std::string AddPartitions(const wire::RequestParts& request);
  std::string AddOffsets(const wire::RequestParts& request);
  std::string CommitOffsets(const wire::RequestParts& request);
  std::string End(const wire::RequestParts& request);
  wire::ErrorCode NextError(wire::ApiKey api);
  wire::ErrorCode ErrorOf(wire::ErrorCode whole, const std::string& topic, std::int32_t partition) const;
  template <class Response>
  static std::string Frame(const Response& response, const wire::RequestHeader& header);

  const Clock& clock_;
  std::int64_t producer_id_ = 7;
  std::int16_t epoch_ = -1;
  std::string unanswered_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_FAKE_COORDINATOR_H_
