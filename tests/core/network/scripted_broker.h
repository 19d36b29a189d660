// The other end of a NetworkClient's connections, speaking bytes: it takes the frames apart, answers what it was told
// to answer by itself, and keeps the rest for the test.
#ifndef TESTS_CORE_NETWORK_SCRIPTED_BROKER_H_
#define TESTS_CORE_NETWORK_SCRIPTED_BROKER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/wire/codec.h"
#include "core/wire/frame_reader.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {

struct ReceivedRequest {
  ConnectionId connection;
  wire::ApiKey api{};
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::string body;
};

// Installs itself as the transport's on_open and on_sent.
class ScriptedBroker {
 public:
  explicit ScriptedBroker(FakeTransport& transport) : transport_(transport) {
    transport_.on_open = [this](ConnectionId id) {
      if (accept) transport_.Accept(id);
    };
    transport_.on_sent = [this](ConnectionId id) { TakeFrames(id); };
  }

  // --- What happens by itself ---
  bool accept = true;
  bool answer_versions = true;
  std::vector<wire::ApiVersion> versions = {{.api_key = 0, .min_version = 3, .max_version = 12},
                                            {.api_key = 3, .min_version = 0, .max_version = 13},
                                            {.api_key = 18, .min_version = 0, .max_version = 4},
                                            {.api_key = 22, .min_version = 0, .max_version = 5}};
  std::optional<wire::MetadataResponse> metadata;  // The answer to every Metadata request.
  // Sees every request before all else; true if it has dealt with it.
  std::function<bool(const ReceivedRequest&)> intercept;

  // --- What is left for the test, in order ---
  std::vector<ReceivedRequest> requests;
  // Everything that came, by API.
  int count(wire::ApiKey api) const {
    const auto found = counts_.find(api);
    return found == counts_.end() ? 0 : found->second;
  }

  ReceivedRequest TakeRequest() {
    KT_CHECK(!requests.empty());
    ReceivedRequest request = std::move(requests.front());
    requests.erase(requests.begin());
    return request;
  }
  template <class Response>
  void Answer(const ReceivedRequest& request, const Response& response) {
    transport_.Deliver(request.connection, Bytes(request, response));
  }
  template <class Response>
  static std::string Bytes(const ReceivedRequest& request, const Response& response) {
    std::string bytes;
    wire::EncodeResponseFrame(response, request.version, request.correlation_id, bytes);
    return bytes;
  }

 private:
  void TakeFrames(ConnectionId id) {
    std::string& sent = transport_.stream(id).sent;
    std::size_t& taken = taken_[id];
    while (sent.size() - taken >= 4) {
      std::uint32_t length = 0;
      for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(sent[taken + i]);
      if (sent.size() - taken < 4 + length) return;
      const std::string frame = sent.substr(taken + 4, length);
      taken += 4 + length;
      const auto parts = wire::DecodeRequestHeader(frame);
      KT_CHECK(parts.ok());
      Handle({.connection = id,
              .api = parts->header.api,
              .version = parts->header.version,
              .correlation_id = parts->header.correlation_id,
              .body = std::string(parts->body)});
    }
  }
  void Handle(ReceivedRequest request) {
    ++counts_[request.api];
    if (intercept && intercept(request)) return;
    if (request.api == wire::ApiKey::kApiVersions && answer_versions) {
      Answer(request, wire::ApiVersionsResponse{.api_keys = versions});
    } else if (request.api == wire::ApiKey::kMetadata && metadata.has_value()) {
      Answer(request, *metadata);
    } else {
      requests.push_back(std::move(request));
    }
  }

  FakeTransport& transport_;
  std::map<ConnectionId, std::size_t> taken_;  // Bytes of `sent` that were taken apart.
  std::map<wire::ApiKey, int> counts_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_NETWORK_SCRIPTED_BROKER_H_
