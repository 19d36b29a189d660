// ApiVersions, 0 to 5.
// Same as a real broker: the whole list of the release; UNSUPPORTED_VERSION in the form of version 0, with the range of
// ApiVersions itself since 2.4; INVALID_REQUEST for a software name that is not one, and for a cluster without a
// node or the other way round; REBOOTSTRAP_REQUIRED if another one is meant; features whose range starts at 0 only since
// version 4; of each feature the level that every broker of the cluster can have.
// Absent: throttling.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "core/wire/codec.h"
#include "sim/broker/request.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

// From here on an answer of UNSUPPORTED_VERSION says which versions there are.
constexpr std::int16_t kRangeInRefusalSince = 3;
// Below this, features that start at 0 are left out: older clients could not read them.
constexpr std::int16_t kZeroFeaturesSince = 4;
constexpr std::int16_t kSoftwareNamesSince = 3;
constexpr std::int32_t kNobody = -1;

// The controller finalizes what all brokers can do, also those that are down just now, and nothing newer while they are
// upgraded; 0: nothing.
std::int16_t FinalizedLevel(const Cluster& cluster, std::string_view name) {
  std::int16_t level = std::numeric_limits<std::int16_t>::max();
  for (const BrokerRelease* release : cluster.releases()) {
    const auto found = std::ranges::find(release->features, name, &FeatureRange::name);
    level = std::min(level, found == release->features.end() ? std::int16_t{0} : found->finalized);
  }
  return level;
}

class ApiVersions final : public Request {
 public:
  absl::Status Decode(std::string_view body) override {
    // A version that nobody here knows has a body that nobody can read; that is what the answer says.
    if (!wire::CodecVersionRange(wire::ApiKey::kApiVersions)->Contains(view.version)) return absl::OkStatus();
    absl::StatusOr<wire::ApiVersionsRequest> request = wire::Decode<wire::ApiVersionsRequest>(body, view.version);
    if (request.ok()) request_ = *std::move(request);
    return request.status();
  }

  void Act(BrokerContext&) override {}

  Reply Answer(BrokerContext& context, std::string& frame) override {
    const BrokerRelease& release = *context.broker.release;
    wire::ApiVersionsResponse response;
    response.error = ErrorIn(context);
    if (response.error == ErrorCode::kNone) {
      FillLists(context, response);
    } else if (response.error == ErrorCode::kUnsupportedVersion) {
      const wire::VersionRange own = *release.Range(wire::ApiKey::kApiVersions);
      if (own.max >= kRangeInRefusalSince) {
        response.api_keys.push_back({static_cast<std::int16_t>(wire::ApiKey::kApiVersions), own.min, own.max});
      }
    }
    wire::EncodeResponseFrame(response, view.version, view.correlation_id, frame);
    return Reply::kSend;
  }

 private:
  ErrorCode ErrorIn(const BrokerContext& context) const {
    const BrokerRelease& release = *context.broker.release;
    // First, as everything else is encoded in the version that was asked for.
    const bool offered = release.Range(wire::ApiKey::kApiVersions)->Contains(view.version);
    const bool spoken = wire::CodecVersionRange(wire::ApiKey::kApiVersions)->Contains(view.version);
    if (!offered || !spoken) return ErrorCode::kUnsupportedVersion;
    if (const ErrorCode asked = control.ErrorFor(); asked != ErrorCode::kNone) return asked;
    const bool named =
        view.version < kSoftwareNamesSince || (wire::IsValidClientSoftware(request_.client_software_name) &&
                                               wire::IsValidClientSoftware(request_.client_software_version));
    const bool half = request_.cluster_id.has_value() != (request_.node_id != kNobody);
    if (!named || half) return ErrorCode::kInvalidRequest;
    const bool is_meant =
        !request_.cluster_id.has_value() || (*request_.cluster_id == context.cluster.spec().cluster_id &&
                                             NodeId(request_.node_id) == context.broker.spec.id);
    return is_meant ? ErrorCode::kNone : ErrorCode::kRebootstrapRequired;
  }

  void FillLists(const BrokerContext& context, wire::ApiVersionsResponse& response) const {
    const BrokerRelease& release = *context.broker.release;
    for (const ApiRange& range : release.apis) {
      response.api_keys.push_back({static_cast<std::int16_t>(range.api), range.versions.min, range.versions.max});
    }
    response.finalized_features_epoch = release.features_epoch;
    for (const FeatureRange& feature : release.features) {
      const std::string name(feature.name);
      if (feature.supported_min > 0 || view.version >= kZeroFeaturesSince) {
        response.supported_features.push_back({name, feature.supported_min, feature.supported_max});
      }
      const std::int16_t level = FinalizedLevel(context.cluster, feature.name);
      if (level > 0) response.finalized_features.push_back({name, level, level});
    }
  }

  wire::ApiVersionsRequest request_;
};

}  // namespace

std::unique_ptr<Request> NewApiVersions() { return std::make_unique<ApiVersions>(); }

}  // namespace ktrial::sim
