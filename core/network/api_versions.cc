#include "core/network/api_versions.h"

#include <algorithm>

namespace ktrial {
namespace {

// One may be an accident, such as a broker that is just going down.
constexpr int kCutOffsThatTell = 2;

}  // namespace

ApiVersions::ApiVersions(const wire::ApiVersionsResponse& response) {
  for (const wire::ApiVersion& api : response.api_keys) {
    if (api.min_version < 0 || api.min_version > api.max_version) continue;
    ranges_[api.api_key] = {.min = api.min_version, .max = api.max_version};
  }
}

ApiVersions ApiVersions::BeforeApiVersions() {
  const auto key = [](wire::ApiKey api) { return static_cast<std::int16_t>(api); };
  return ApiVersions(wire::ApiVersionsResponse{
      .api_keys = {{.api_key = key(wire::ApiKey::kProduce), .min_version = 0, .max_version = 1},
                   {.api_key = key(wire::ApiKey::kMetadata), .min_version = 0, .max_version = 0}}});
}

std::optional<wire::VersionRange> ApiVersions::Find(wire::ApiKey api) const {
  const auto found = ranges_.find(static_cast<std::int16_t>(api));
  if (found == ranges_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int16_t> ApiVersions::Choose(wire::ApiKey api, wire::VersionRange wanted) const {
  const std::optional<wire::VersionRange> offered = Find(api);
  if (!offered.has_value()) return std::nullopt;
  const std::int16_t newest = std::min(offered->max, wanted.max);
  if (newest < offered->min || newest < wanted.min) return std::nullopt;
  return newest;
}

void FinalizedFeatures::Learn(const wire::ApiVersionsResponse& response) {
  if (response.finalized_features_epoch <= epoch_) return;
  epoch_ = response.finalized_features_epoch;
  levels_.clear();
  for (const wire::FinalizedFeature& feature : response.finalized_features) {
    levels_[feature.name] = feature.max_version_level;
  }
}

std::int16_t FinalizedFeatures::Level(std::string_view name) const {
  const auto found = levels_.find(name);
  return found == levels_.end() ? std::int16_t{0} : found->second;
}

std::optional<std::int16_t> NextApiVersionsVersion(std::int16_t tried, const wire::ApiVersionsResponse& refusal) {
  if (tried <= 0) return std::nullopt;
  const std::optional<wire::VersionRange> listed = ApiVersions(refusal).Find(wire::ApiKey::kApiVersions);
  if (!listed.has_value()) return std::int16_t{0};
  return std::min<std::int16_t>(listed->max, static_cast<std::int16_t>(tried - 1));
}

std::int16_t VersionFallback::VersionFor(NodeId id) const {
  const auto known = nodes_.find(id);
  if (known == nodes_.end()) return newest_;
  return known->second.cut_off < kCutOffsThatTell ? known->second.version : std::int16_t{0};
}

void VersionFallback::CutOff(NodeId id) {
  Known& known = nodes_.try_emplace(id, Known{.version = newest_}).first->second;
  if (++known.cut_off > kCutOffsThatTell) known = {.version = newest_};
}

void VersionFallback::Answered(NodeId id, const ApiVersions& versions) {
  const auto known = nodes_.find(id);
  if (known == nodes_.end()) return;
  const std::optional<wire::VersionRange> listed = versions.Find(wire::ApiKey::kApiVersions);
  const bool was_lower = VersionFor(id) < newest_;
  if (was_lower && listed.has_value() && listed->max < newest_) {
    known->second = {.version = listed->max};
  } else {
    nodes_.erase(known);
  }
}

bool ClientThrottles(wire::ApiKey api, std::int16_t version) {
  switch (api) {
    case wire::ApiKey::kProduce:
    case wire::ApiKey::kMetadata:
      return version >= 6;
    case wire::ApiKey::kApiVersions:
    case wire::ApiKey::kFindCoordinator:
      return version >= 2;
    case wire::ApiKey::kInitProducerId:
    case wire::ApiKey::kAddPartitionsToTxn:
    case wire::ApiKey::kAddOffsetsToTxn:
    case wire::ApiKey::kTxnOffsetCommit:
    case wire::ApiKey::kEndTxn:
      return version >= 1;
    default:
      return false;
  }
}

}  // namespace ktrial
