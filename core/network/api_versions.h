// ApiVersions is what one node said it supports, and the choice of a version that both sides speak (NC-41).
#ifndef CORE_NETWORK_API_VERSIONS_H_
#define CORE_NETWORK_API_VERSIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/wire/api_key.h"
#include "core/wire/messages.h"

namespace ktrial {

// Thread safety: immutable.
class ApiVersions {
 public:
  explicit ApiVersions(const wire::ApiVersionsResponse& response);
  // What brokers of 0.8.2 and 0.9 speak, of what a producer needs. They do not know the question.
  static ApiVersions BeforeApiVersions();
  // Nullopt if the node does not list the API, or lists nonsense for it.
  std::optional<wire::VersionRange> Find(wire::ApiKey api) const;
  // The newest version in both ranges; nullopt if there is none.
  std::optional<std::int16_t> Choose(wire::ApiKey api, wire::VersionRange wanted) const;

 private:
  std::map<std::int16_t, wire::VersionRange> ranges_;
};

// What the cluster as a whole has agreed to use, as its nodes report it. They hear of a change one after the other; the
// epoch tells which report is the latest. Not thread-safe.
class FinalizedFeatures {
 public:
  void Learn(const wire::ApiVersionsResponse& response);
  // 0 for a feature that is not used, or not known.
  std::int16_t Level(std::string_view name) const;

 private:
  std::int64_t epoch_ = -1;
  std::map<std::string, std::int16_t, std::less<>> levels_;
};

// In which version the ApiVersions request itself is to be tried next, after a node refused `tried` with
// UNSUPPORTED_VERSION: the newest that it lists, else 0; always lower than `tried`, so that the search ends. Nullopt:
// there is nothing left to try (NC-40).
std::optional<std::int16_t> NextApiVersionsVersion(std::int16_t tried, const wire::ApiVersionsResponse& refusal);

// From which version of a response on the client itself has to keep to the throttle time in it (NC-43). Before, the
// broker has delayed the response instead.
bool ClientThrottles(wire::ApiKey api, std::int16_t version);

}  // namespace ktrial

#endif  // CORE_NETWORK_API_VERSIONS_H_
