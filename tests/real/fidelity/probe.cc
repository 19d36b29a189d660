#include "tests/real/fidelity/probe.h"

#include <poll.h>

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "core/wire/big_endian.h"
#include "fmt/format.h"
#include "tests/real/wire_judges/message_json.h"

namespace ktrial::fidelity {
namespace {

using nlohmann::json;
using wire::ApiKey;

constexpr int kPatienceMs = 5000;
constexpr int kSetupPatienceMs = 20000;
constexpr int kSetupTries = 200;
constexpr int kBetweenTriesMs = 50;
// What every broker of every release answers; sent behind each script to see whether it is still served.
constexpr std::int32_t kLifeSign = 99999;

void Pause() { poll(nullptr, 0, kBetweenTriesMs); }

std::string LifeSign() {
  const wire::MetadataRequest request{.topics = {{{.name = std::string(kTopic)}}}};
  return Frame(ApiKey::kMetadata, 0, Body(request, 0), kLifeSign - kCorrelation);
}

// Numbers of errors become their names.
void NameErrors(json& value) {
  if (value.is_object()) {
    for (auto& [name, field] : value.items()) {
      if (name == "errorCode") {
        field = std::string(wire::ErrorCodeName(wire::ErrorCodeFromWire(field.get<std::int16_t>())));
      } else {
        NameErrors(field);
      }
    }
  } else if (value.is_array()) {
    for (json& element : value) NameErrors(element);
  }
}

json Unreadable(const absl::Status& status) {
  return {{"unreadable", std::string(status.message().data(), status.message().size())}};
}

template <class Response>
json Decoded(std::string_view body, std::int16_t version) {
  const absl::StatusOr<Response> response = wire::Decode<Response>(body, version);
  if (!response.ok()) return Unreadable(response.status());
  json answer = wire::ToJson(*response, version);
  NameErrors(answer);
  return answer;
}

json DecodedApiVersions(std::string_view body, std::int16_t version) {
  const wire::VersionRange known = *wire::CodecVersionRange(ApiKey::kApiVersions);
  const std::int16_t form = known.Contains(version) ? version : std::int16_t{0};
  const auto response = wire::DecodeApiVersionsResponse(body, form);
  if (!response.ok()) return Unreadable(response.status());
  json answer =
      wire::ToJson(*response, wire::Decode<wire::ApiVersionsResponse>(body, form).ok() ? form : std::int16_t{0});
  NameErrors(answer);
  return answer;
}

json Describe(std::string_view frame, ApiKey api, std::int16_t version) {
  const auto parts = wire::DecodeResponseHeader(frame, api, version);
  if (!parts.ok()) return Unreadable(parts.status());
  switch (api) {
    case ApiKey::kProduce:
      return Decoded<wire::ProduceResponse>(parts->body, version);
    case ApiKey::kMetadata:
      return Decoded<wire::MetadataResponse>(parts->body, version);
    case ApiKey::kApiVersions:
      return DecodedApiVersions(parts->body, version);
    case ApiKey::kInitProducerId:
      return Decoded<wire::InitProducerIdResponse>(parts->body, version);
    default:
      return {{"unreadable", "an answer to a request that nobody can read"}};
  }
}

}  // namespace

std::string Frame(ApiKey api, std::int16_t version, std::string_view body, std::int32_t number,
                  std::optional<std::string_view> client_id) {
  std::string frame(4, '\0');
  wire::EncodeRequestHeader(
      {.api = api, .version = version, .correlation_id = kCorrelation + number, .client_id = client_id}, frame);
  frame += body;
  wire::StoreBigEndian(frame.data(), static_cast<std::int32_t>(frame.size() - 4));
  return frame;
}

template <class Response, class Request>
absl::StatusOr<Response> Probe::Quietly(const Request& request, std::int16_t version) {
  Connection connection(address_);
  connection.Send(Frame(Request::kApi, version, Body(request, version)));
  connection.Send(LifeSign());
  const Connection::Received received = connection.Receive(kSetupPatienceMs);
  if (received.event != Connection::Event::kFrame) return absl::UnavailableError("no answer");
  if (wire::PeekCorrelationId(received.frame) != kCorrelation) return absl::NotFoundError("passed over");
  const auto parts = wire::DecodeResponseHeader(received.frame, Request::kApi, version);
  if (!parts.ok()) return parts.status();
  return wire::Decode<Response>(parts->body, version);
}

absl::Status Probe::Prepare() {
  if (absl::Status status = AwaitTopic(kTopic); !status.ok()) return status;
  const auto offered = Quietly<wire::ApiVersionsResponse>(wire::ApiVersionsRequest(), 0);
  if (absl::IsNotFound(offered.status())) {  // 0.9 does not know the question
    offered_ = {{ApiKey::kProduce, {0, 1}}, {ApiKey::kMetadata, {0, 0}}};
    return absl::OkStatus();
  }
  if (!offered.ok()) return offered.status();
  for (const wire::ApiVersion& api : offered->api_keys) {
    offered_.push_back({static_cast<ApiKey>(api.api_key), {api.min_version, api.max_version}});
  }
  if (!Offers(ApiKey::kInitProducerId)) return absl::OkStatus();
  if (absl::Status status = AwaitProducerIds(); !status.ok()) return status;
  const wire::MetadataRequest request{.topics = {{{.name = std::string(kTopic)}}}};
  const std::int16_t version =
      std::min(Offers(ApiKey::kMetadata)->max, wire::CodecVersionRange(ApiKey::kMetadata)->max);
  const auto answer = Quietly<wire::MetadataResponse>(request, version);
  if (answer.ok() && !answer->topics.empty()) topic_id_ = answer->topics[0].topic_id;
  if (answer.ok()) cluster_id_ = answer->cluster_id.value_or("");
  if (answer.ok() && !answer->brokers.empty()) node_id_ = answer->brokers[0].node_id;
  return answer.status();
}

absl::Status Probe::AwaitTopic(std::string_view name) {
  const wire::MetadataRequest request{.topics = {{{.name = std::string(name)}}}};
  for (int i = 0; i < kSetupTries; ++i, Pause()) {
    const auto answer = Quietly<wire::MetadataResponse>(request, 0);
    if (answer.ok() && !answer->topics.empty() && !answer->topics[0].partitions.empty() &&
        answer->topics[0].partitions[0].error == wire::ErrorCode::kNone) {
      return absl::OkStatus();
    }
  }
  return absl::DeadlineExceededError(fmt::format("the topic {} is never made", name));
}

absl::Status Probe::AwaitProducerIds() {
  const wire::FindCoordinatorRequest find{.key = "fidelity", .key_type = wire::kTransactionCoordinator};
  const wire::InitProducerIdRequest transactional{.transactional_id = "fidelity", .transaction_timeout_ms = 10000};
  for (int i = 0; i < kSetupTries; ++i, Pause()) {
    const auto plain = Quietly<wire::InitProducerIdResponse>(wire::InitProducerIdRequest(), 0);
    if (!plain.ok() || plain->error != wire::ErrorCode::kNone) continue;
    const auto found = Quietly<wire::FindCoordinatorResponse>(find, 1);
    if (!found.ok() || found->error != wire::ErrorCode::kNone) continue;
    const auto init = Quietly<wire::InitProducerIdResponse>(transactional, 0);
    if (init.ok() && init->error == wire::ErrorCode::kNone) return absl::OkStatus();
  }
  return absl::DeadlineExceededError("no producer id is to be had");
}

std::optional<wire::VersionRange> Probe::Offers(ApiKey api) const {
  const auto found = std::ranges::find(offered_, api, [](const auto& entry) { return entry.first; });
  if (found == offered_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::int16_t> Probe::VersionsAround(ApiKey api) const {
  const wire::VersionRange range = Offers(api).value_or(wire::VersionRange{0, 1});
  std::vector<std::int16_t> versions;
  for (int version = range.min - 1; version <= range.max + 1; ++version) {
    versions.push_back(static_cast<std::int16_t>(version));
  }
  return versions;
}

std::vector<json> Probe::Run(const Script& script) {
  auto connection = std::make_unique<Connection>(address_);
  for (const std::string& write : script.writes) connection->Send(write);
  if (!script.whole) connection = std::make_unique<Connection>(address_);
  connection->Send(LifeSign());
  std::vector<json> answers;
  std::string end = "stands still";
  for (;;) {
    const Connection::Received received = connection->Receive(kPatienceMs);
    if (received.event == Connection::Event::kClosed) end = "closes";
    if (received.event != Connection::Event::kFrame) break;
    const std::int32_t correlation = wire::PeekCorrelationId(received.frame).value_or(-1);
    if (correlation == kLifeSign) {
      end = "serves on";
      break;
    }
    json answer = Describe(received.frame, script.api, script.version);
    if (script.requests != 1 || correlation != kCorrelation) answer["correlation"] = correlation - kCorrelation;
    answers.push_back(std::move(answer));
  }
  const json line = {{"script", script.name},     {"api", wire::ApiKeyName(script.api)},
                     {"version", script.version}, {"records", script.records},
                     {"answers", answers},        {"end", end}};
  out_ << line.dump() << "\n";
  return answers;
}

}  // namespace ktrial::fidelity
