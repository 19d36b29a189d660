// Probe sends scripted bytes to one broker, each script over a connection of its own, and writes down what comes back: a
// line of JSON each, in the order of the scripts. fidelity_test.py compares the lines of two brokers.
//
//   {"script": "wrong crc", "api": "Produce", "version": 7, "records": 0, "answers": [{...}], "end": "serves on"}
//
// `answers` are decoded as Kafka's own converters write them, with error codes by name; what nobody can decode is
// {"unreadable": why}. `end` says what the connection was good for afterwards: "serves on", "closes" or "stands still".
// `records` is how many records the script adds to the log if it is taken.
#ifndef TESTS_REAL_FIDELITY_PROBE_H_
#define TESTS_REAL_FIDELITY_PROBE_H_

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/types.h"
#include "core/wire/codec.h"
#include "tests/real/fidelity/connection.h"

namespace ktrial::fidelity {

// The topic that is there when scripts begin, with one partition, and one that never is.
inline constexpr std::string_view kTopic = "fid";
inline constexpr std::string_view kAbsentTopic = "absent";

// A whole request: length, header with correlation id kCorrelation + `number`, body.
inline constexpr std::int32_t kCorrelation = 70000;
std::string Frame(wire::ApiKey api, std::int16_t version, std::string_view body, std::int32_t number = 0,
                  std::optional<std::string_view> client_id = "fidelity");

// The body of a message in `version`, or in the nearest one that we can write.
template <class Message>
std::string Body(const Message& message, std::int16_t version) {
  const wire::VersionRange known = *wire::CodecVersionRange(Message::kApi);
  std::string body;
  wire::Encode(message, std::clamp(version, known.min, known.max), body);
  return body;
}

// What is sent, and which answers may come: by api and version, in order.
struct Script {
  std::string name;
  wire::ApiKey api{};
  std::int16_t version = 0;
  std::vector<std::string> writes;
  std::int32_t requests = 1;  // how many there are in the writes, numbered from 0
  std::int32_t records = 0;
  bool whole = true;  // false: the rest never comes, the connection is closed; the broker must serve another one
};

class Probe {
 public:
  Probe(Address address, std::ostream& out) : address_(std::move(address)), out_(out) {}

  // Finds out what the broker offers, has kTopic made, and waits until producer ids and transactions are to be had.
  absl::Status Prepare();
  // Has a topic made, if it is not there, and waits until it can be written to.
  absl::Status AwaitTopic(std::string_view name);

  // None where the broker does not offer the API.
  std::optional<wire::VersionRange> Offers(wire::ApiKey api) const;
  // What scripts of an API go through: one below what is offered to one above; 0 and 1 for what is not offered.
  std::vector<std::int16_t> VersionsAround(wire::ApiKey api) const;
  // Who the broker is, by its Metadata.
  const std::string& cluster_id() const { return cluster_id_; }  // Empty where clusters have none.
  std::int32_t node_id() const { return node_id_; }
  const TopicId& topic_id() const { return topic_id_; }  // Zero where topics have none.

  // Returns the answers, too.
  std::vector<nlohmann::json> Run(const Script& script);
  // One request in one version.
  template <class Message>
  std::vector<nlohmann::json> Ask(std::string name, const Message& message, std::int16_t version,
                                  std::int32_t records = 0) {
    return Run({.name = std::move(name),
                .api = Message::kApi,
                .version = version,
                .writes = {Frame(Message::kApi, version, Body(message, version))},
                .records = records});
  }

 private:
  template <class Response, class Request>
  absl::StatusOr<Response> Quietly(const Request& request, std::int16_t version);
  absl::Status AwaitProducerIds();

  Address address_;
  std::ostream& out_;
  std::vector<std::pair<wire::ApiKey, wire::VersionRange>> offered_;
  TopicId topic_id_{};
  std::string cluster_id_;
  std::int32_t node_id_ = -1;
};

}  // namespace ktrial::fidelity

#endif  // TESTS_REAL_FIDELITY_PROBE_H_
