// steps KEY=VALUE...: a producer of this configuration that does what standard input says: a step a line, in JSON. Each step
// but "send" is answered when it is done, by a line of JSON on standard output. The end of the input closes the producer.
//
//   {"do": "send", "topic": "t", "partition": 0, "key": "a2V5", "value": null, "timestamp": 1700000000000,
//    "headers": [["name", "dmFsdWU="], ["name", null]]}
//       Everything but the topic may be left out; keys and values, and those of headers, are in base64.
//   {"do": "flush"}    [[0, 17], "MESSAGE_TOO_LARGE", ...]: partition and offset of each record since the last flush, in the
//       order of the sends, or why it failed.
//   {"do": "init"}, {"do": "begin"}, {"do": "commit"}, {"do": "abort"},
//   {"do": "offsets", "group": "g", "offsets": [["t", 0, 17], ...]}    the calls of a transaction: null, or why it failed.
//
// Why something failed is the name of Kafka's error code, or that of the Status where it carries none.
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "core/env/clock.h"
#include "core/env/env.h"
#include "core/env/posix/posix_env.h"
#include "core/producer/config.h"
#include "core/producer/future.h"
#include "core/producer/producer.h"
#include "core/producer/transaction.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "core/wire/status.h"

namespace ktrial {
namespace {

using nlohmann::json;

json WhyNot(const absl::Status& status) {
  if (status.ok()) return nullptr;
  if (wire::HasKafkaCode(status)) return std::string(wire::ErrorCodeName(wire::KafkaCode(status)));
  return absl::StatusCodeToString(status.code());
}

std::optional<std::string> Bytes(const json& base64) {
  if (base64.is_null()) return std::nullopt;
  std::string bytes;
  if (!absl::Base64Unescape(base64.get<std::string>(), &bytes)) {
    throw std::invalid_argument("found " + base64.dump() + ", allowed: base64");
  }
  return bytes;
}

class Steps {
 public:
  explicit Steps(Producer& producer) : producer_(producer) {}

  // The answer, if there is one. Throws for a step that nobody knows.
  std::optional<json> Do(const json& step) {
    const std::string what = step.at("do");
    if (what == "send") {
      Send(step);
      return std::nullopt;
    }
    if (what == "flush") return Flush();
    if (what == "offsets") return WhyNot(SendOffsets(step));
    static const std::map<std::string, absl::Status (Producer::*)()> kCalls = {
        {"init", &Producer::InitTransactions},
        {"begin", &Producer::BeginTransaction},
        {"commit", &Producer::CommitTransaction},
        {"abort", &Producer::AbortTransaction},
    };
    return WhyNot((producer_.*kCalls.at(what))());
  }

 private:
  void Send(const json& step) {
    const std::string topic = step.at("topic");
    const std::optional<std::string> key = Bytes(step.value("key", json()));
    const std::optional<std::string> value = Bytes(step.value("value", json()));
    std::vector<std::pair<std::string, std::optional<std::string>>> headers;
    for (const json& header : step.value("headers", json::array())) {
      headers.emplace_back(header.at(0), Bytes(header.at(1)));
    }
    std::vector<Header> views;
    for (const auto& [name, bytes] : headers) views.push_back({.key = name, .value = bytes});
    Record record{.topic = topic, .key = key, .value = value, .headers = views};
    if (step.contains("partition")) record.partition = PartitionIndex(step["partition"]);
    if (step.contains("timestamp")) record.timestamp = WallTime::FromMillis(step["timestamp"]);
    sent_.push_back(producer_.Send(record));
  }

  json Flush() {
    json outcomes = json::array();
    if (const absl::Status status = producer_.Flush(); !status.ok()) return WhyNot(status);
    for (const Future& future : std::exchange(sent_, {})) {
      const absl::StatusOr<Acknowledgement> done = future.Get();
      outcomes.push_back(done.ok() ? json::array({done->partition.value(), done->offset.value()})
                                   : WhyNot(done.status()));
    }
    return outcomes;
  }

  absl::Status SendOffsets(const json& step) {
    std::vector<OffsetToCommit> offsets;
    for (const json& offset : step.at("offsets")) {
      offsets.push_back(
          {.topic = offset.at(0), .partition = PartitionIndex(offset.at(1)), .offset = Offset(offset.at(2))});
    }
    return producer_.SendOffsetsToTransaction(std::move(offsets), {.group_id = step.at("group")});
  }

  Producer& producer_;
  std::vector<Future> sent_;
};

int Main(const std::map<std::string, std::string>& properties) {
  const absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse(properties);
  if (!config.ok()) {
    std::cerr << "steps: " << config.status().message() << "\n";
    return 2;
  }
  const std::unique_ptr<Env> env = MakePosixEnv();
  const absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::cerr << "steps: " << producer.status().message() << "\n";
    return 2;
  }
  Steps steps(**producer);
  int number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    ++number;
    try {
      if (const std::optional<json> answer = steps.Do(json::parse(line))) std::cout << answer->dump() << std::endl;
    } catch (const std::exception& error) {  // of the JSON library
      std::cerr << "steps: standard input:" << number << ": " << error.what() << ": " << line.substr(0, 200) << "\n";
      return 2;
    }
  }
  return (*producer)->Close().ok() ? 0 : 1;
}

}  // namespace
}  // namespace ktrial

int main(int count, char** arguments) {
  std::map<std::string, std::string> properties;
  for (int index = 1; index < count; ++index) {
    const std::string text = arguments[index];
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      std::cerr << "steps: found \"" << text << "\", allowed: KEY=VALUE\n";
      return 2;
    }
    properties[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return ktrial::Main(properties);
}
