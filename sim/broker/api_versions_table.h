// What real brokers answer to ApiVersions: the whole list of each release, whether we serve the request or not. Clients
// decide by it (librdkafka writes record batches of format 2 only where Fetch 4 is offered beside Produce 3).
//
// The tables were read from running brokers of these releases; FIDELITY.md names the builds.
#ifndef SIM_BROKER_API_VERSIONS_TABLE_H_
#define SIM_BROKER_API_VERSIONS_TABLE_H_

#include <optional>
#include <span>
#include <string_view>

#include "core/env/clock.h"
#include "core/wire/api_key.h"

namespace ktrial::sim {

struct ApiRange {
  wire::ApiKey api = wire::ApiKey::kProduce;
  wire::VersionRange versions;
};

// A feature as ApiVersions 3 and later report it.
struct FeatureRange {
  std::string_view name;
  std::int16_t supported_min = 0;
  std::int16_t supported_max = 0;
  std::int16_t finalized = 0;  // 0: not finalized, so only listed as supported
};

// What a leader of a release makes of the sequences of an idempotent producer (producer_state.h).
enum class ProducerRules : std::uint8_t {
  kNone,              // Knows no producers: its formats have no place for one.
  kOneBatch,          // Knows the last batch only, and no number but 0 to begin with; refuses the wrap to 0.
  kFiveBatches,       // Says UNKNOWN_PRODUCER_ID to a producer that it does not know and that does not begin with 0,
                      // and forgets those whose records were deleted.
  kAnyFirstSequence,  // Takes whatever number a producer begins with that it does not know (KIP-360).
};

struct BrokerRelease {
  std::string_view name;  // "0.9", "0.10", "0.11", "1.0", "2.0", "2.8", "3.9", "4.0", "4.4": as scenarios write it
  std::span<const ApiRange> apis;  // ascending by key
  std::span<const FeatureRange> features;
  std::int64_t features_epoch = -1;  // of the finalized features
  // Else says CORRUPT_MESSAGE, ends the connection where the shape is wrong, and takes transactional batches whether
  // the request has a transactional id or not.
  bool has_invalid_record = true;
  bool zookeeper = false;             // coordinated by ZooKeeper, not by KRaft: a few answers differ
  bool ignores_unknown_apis = false;  // says nothing to a request that it does not know, and serves on; else closes
  bool verifies_transactions = true;  // a leader asks the coordinator before it appends (KIP-890)
  ProducerRules producers = ProducerRules::kAnyFirstSequence;
  // SCRAM's last message must repeat the nonce of both (CVE-2024-56128). librdkafka before 2.6.1 sends another one.
  bool checks_scram_nonce = true;
  // A leader that does not know the producer of a transaction of version 2 takes no number but 0 from it.
  bool transactions_begin_with_zero = false;
  Duration timestamp_ahead_max = Duration::max();  // message.timestamp.after.max.ms: later records are refused

  // zstd came with version 7 of Produce (KIP-110).
  bool knows_zstd() const { return Range(wire::ApiKey::kProduce)->max >= 7; }

  // None if this release does not list the API.
  std::optional<wire::VersionRange> Range(wire::ApiKey api) const;
};

// Ascending by age.
std::span<const BrokerRelease> BrokerReleases();
// Null if there is no such release. The pointer is good for ever.
const BrokerRelease* FindBrokerRelease(std::string_view name);

}  // namespace ktrial::sim

#endif  // SIM_BROKER_API_VERSIONS_TABLE_H_
