// ApiVersions is what one node said it supports, and the choice of a version that both sides speak (NC-41).
#ifndef CORE_NETWORK_API_VERSIONS_H_
#define CORE_NETWORK_API_VERSIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/types.h"
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

// In which version to ask a node for its versions: the newest, unless the node, or a gateway before it, ends connections on that
// instead of answering (B119). After two in a row the next question has version 0, which everybody knows. If that is
// answered, the version that the node lists is used from then on, and the newest again if it lists that. If it is not,
// the version was not the reason. Not thread-safe.
class VersionFallback {
 public:
  explicit VersionFallback(std::int16_t newest) : newest_(newest) {}
  std::int16_t VersionFor(NodeId id) const;
  // The other side has ended a connection on which the question was not answered yet.
  void CutOff(NodeId id);
  void Answered(NodeId id, const ApiVersions& versions);
  void Forget(NodeId id) { nodes_.erase(id); }

 private:
  struct Known {
    std::int16_t version = 0;  // To ask with.
    int cut_off = 0;           // Connections in a row.
  };

  const std::int16_t newest_;
  std::map<NodeId, Known> nodes_;  // Those that have cut us off and not taken the newest version since.
};

// From which version of a response on the client itself has to keep to the throttle time in it (NC-43). Before, the
// broker has delayed the response instead.
bool ClientThrottles(wire::ApiKey api, std::int16_t version);

}  // namespace ktrial

#endif  // CORE_NETWORK_API_VERSIONS_H_
