#include "core/network/metadata_updater.h"

#include <chrono>
#include <utility>

#include "core/check.h"

namespace ktrial {

void MetadataUpdater::SearchStarted(Instant now) {
  if (!without_metadata_since_.has_value()) without_metadata_since_ = now;
}

const wire::MetadataRequest& MetadataUpdater::Begin(NodeId id, Instant now) {
  KT_CHECK(!in_progress());
  query_ = metadata_.BuildRequest(now);
  const auto& topics = query_->request.topics;
  const std::int32_t topic_count = topics.has_value() ? static_cast<std::int32_t>(topics->size()) : -1;
  observer_.OnMetadataRequest(id, query_->reason, query_->partial, topic_count);
  return query_->request;
}

void MetadataUpdater::Answered(const wire::MetadataResponse& response, std::int16_t version, Instant now) {
  KT_CHECK(in_progress());
  const MetadataQuery query = std::move(*query_);
  query_.reset();
  switch (metadata_.Update(query, response, version, now)) {
    case UpdateResult::kUpdated:
      without_metadata_since_.reset();
      observer_.OnMetadataUpdated(metadata_.version());
      break;
    case UpdateResult::kNoBrokers:
      observer_.OnMetadataFailed("the answer lists no brokers");
      break;
    case UpdateResult::kRebootstrap:
      told_to_rebootstrap_ = rebootstrap_trigger_.has_value();
      observer_.OnMetadataFailed("the broker demands a new bootstrap");
      break;
    case UpdateResult::kClosed:
      break;
  }
}

void MetadataUpdater::Failed(std::string_view why, const absl::Status& fatal, Instant now) {
  query_.reset();
  if (!fatal.ok()) metadata_.SetFatalError(fatal);
  metadata_.UpdateFailed(now);
  observer_.OnMetadataFailed(why);
}

void MetadataUpdater::NodeLost(RefreshReason reason, const absl::Status& fatal, Instant now) {
  if (IsDue(now)) {
    Failed("a connection was lost before the request could be sent", absl::OkStatus(), now);
  }
  if (!fatal.ok()) metadata_.SetFatalError(fatal);
  metadata_.RequestUpdate(reason);
}

void MetadataUpdater::DemandRebootstrap() {
  KT_CHECK(rebootstrap_trigger_.has_value());
  told_to_rebootstrap_ = true;
}

bool MetadataUpdater::NeedsRebootstrap(Instant now) const { return told_to_rebootstrap_ || NextRebootstrapAt() <= now; }

Instant MetadataUpdater::NextRebootstrapAt() const {
  if (!rebootstrap_trigger_.has_value() || !without_metadata_since_.has_value()) return Instant::Never();
  return *without_metadata_since_ + *rebootstrap_trigger_ + std::chrono::nanoseconds(1);
}

void MetadataUpdater::Rebootstrap(Instant now) {
  told_to_rebootstrap_ = false;
  without_metadata_since_ = now;
  metadata_.Rebootstrap();
  observer_.OnRebootstrap();
  observer_.OnMetadataUpdated(metadata_.version());
}

}  // namespace ktrial
