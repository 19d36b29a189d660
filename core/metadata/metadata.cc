#include "core/metadata/metadata.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/exponential_backoff.h"
#include "core/wire/status.h"

namespace ktrial {

Metadata::Metadata(MetadataConfig config, Threads& threads, Entropy& entropy)
    : config_(std::move(config)),
      entropy_(entropy),
      mutex_(threads, Site("metadata.mutex")),
      changed_(threads),
      generation_(threads, Site("metadata.generation"), 0),
      schedule_(ExponentialBackoff(config_.retry_backoff, config_.retry_backoff_max), config_.max_age) {
  KT_CHECK(!config_.bootstrap.empty());
  MutexLock lock(mutex_);
  bootstrap_ = config_.bootstrap;
  Swap(BootstrapCluster(1));
  version_ = 1;
  schedule_.RequestFull(RefreshReason::kInitial);
}

Metadata::~Metadata() {
  MutexLock lock(mutex_);
  KT_CHECK(waiters_.empty());
}

std::shared_ptr<const Cluster> Metadata::BootstrapCluster(std::uint64_t generation) const {
  Cluster::Parts parts{.bootstrap = true, .generation = generation};
  std::int32_t id = 0;
  for (const BootstrapAddress& address : bootstrap_) {
    parts.nodes.push_back({.id = NodeId(--id), .host = address.host, .port = address.port, .rack = std::nullopt});
  }
  return std::make_shared<const Cluster>(std::move(parts));
}

void Metadata::Swap(std::shared_ptr<const Cluster> cluster) {
  cluster_ = std::move(cluster);
  generation_.Store(cluster_->generation());
}

// --- Reading ---

std::shared_ptr<const Cluster> Metadata::Fetch() const {
  MutexLock lock(mutex_);
  return cluster_;
}

bool Metadata::FetchIfNewer(std::shared_ptr<const Cluster>& cached) const {
  if (generation_.Load() == cached->generation()) return false;
  std::shared_ptr<const Cluster> current = Fetch();
  // The old snapshot may go down with its last owner here, without the lock.
  cached = std::move(current);
  return true;
}

std::int64_t Metadata::version() const {
  MutexLock lock(mutex_);
  return version_;
}

LeaderAndEpoch Metadata::CurrentLeader(std::string_view topic, PartitionIndex partition) const {
  MutexLock lock(mutex_);
  const std::optional<LeaderEpoch> last_seen = epochs_.Find(topic, partition);
  const PartitionInfo* info = cluster_->FindPartition(topic, partition);
  if (info == nullptr || (last_seen.has_value() && info->leader_epoch != *last_seen)) {
    return {.node = nullptr, .epoch = last_seen.value_or(kUnknownEpoch), .cluster = cluster_};
  }
  return {.node = cluster_->FindNode(info->leader), .epoch = info->leader_epoch, .cluster = cluster_};
}

wire::ErrorCode Metadata::LastTopicError(std::string_view topic) const {
  MutexLock lock(mutex_);
  return cluster_->TopicError(topic);
}

std::optional<Instant> Metadata::last_successful_refresh() const {
  MutexLock lock(mutex_);
  return schedule_.last_success();
}

// --- Asking ---

void Metadata::Add(std::string_view topic, Instant now) {
  MutexLock lock(mutex_);
  if (topics_.Add(topic, now + config_.max_idle)) RequestForNewTopic(/*past_backoff=*/true);
}

bool Metadata::IsTracked(std::string_view topic) const {
  MutexLock lock(mutex_);
  return topics_.Contains(topic);
}

std::int64_t Metadata::RequestForNewTopic(bool past_backoff) {
  ++request_version_;
  schedule_.RequestPartial(RefreshReason::kNewTopic, past_backoff);
  return version_;
}

std::int64_t Metadata::RequestUpdate(RefreshReason reason, Equivalents equivalents) {
  MutexLock lock(mutex_);
  schedule_.RequestFull(reason);
  if (equivalents == Equivalents::kForget) schedule_.ForgetEquivalents();
  return version_;
}

std::int64_t Metadata::RequestUpdateForTopic(std::string_view topic) {
  MutexLock lock(mutex_);
  if (topics_.IsNew(topic)) {
    // Past the backoff only the first time: a broker that never says a word about this topic must not be asked at the
    // rate at which it answers.
    return RequestForNewTopic(topics_.IsUnasked(topic));
  }
  schedule_.RequestFull(RefreshReason::kMetadataWait);
  return version_;
}

bool Metadata::SawLeaderEpoch(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch) {
  KT_CHECK(epoch >= LeaderEpoch(0));
  MutexLock lock(mutex_);
  if (!epochs_.Raise(topic, partition, epoch)) return false;
  schedule_.RequestFull(RefreshReason::kNewerEpoch);
  return true;
}

absl::Status Metadata::AwaitUpdate(std::int64_t last_version, Instant deadline) {
  MutexLock lock(mutex_);
  const std::uint64_t ticket = next_ticket_++;
  const auto place = waiters_.insert(waiters_.end(), ticket);
  const auto first_in_line_for_error = [&] {
    mutex_.AssertHeld();
    return !fatal_error_.ok() && waiters_.front() == ticket;
  };
  const auto over = [&] {
    mutex_.AssertHeld();
    return !failure_.ok() || first_in_line_for_error() || closed_ || version_ > last_version;
  };
  changed_.Wait(mutex_, deadline, over, Site("metadata.await_update"));
  const bool takes_error = first_in_line_for_error();
  waiters_.erase(place);
  if (!failure_.ok()) return failure_;
  if (takes_error) return std::exchange(fatal_error_, absl::OkStatus());
  if (closed_) return absl::CancelledError("the producer was closed while this waited for metadata");
  if (version_ > last_version) return absl::OkStatus();
  return wire::KafkaError(wire::ErrorCode::kRequestTimedOut, "the metadata was not updated in time");
}

absl::Status Metadata::TakeErrors(std::string_view topic) {
  MutexLock lock(mutex_);
  const absl::Status fatal = std::exchange(fatal_error_, absl::OkStatus());
  const auto errors = std::exchange(untaken_errors_, {});
  if (!failure_.ok()) return failure_;
  if (!fatal.ok()) return fatal;
  const auto found = errors.find(topic);
  if (found == errors.end()) return absl::OkStatus();
  return wire::KafkaError(found->second, std::string(topic) + ": " + std::string(wire::DefaultMessage(found->second)));
}

// --- Updating, but for what a response says (metadata_update.cc) ---

Instant Metadata::NextUpdateAt() const {
  MutexLock lock(mutex_);
  return closed_ ? Instant::Never() : schedule_.NextUpdateAt();
}

MetadataQuery Metadata::BuildRequest(Instant now) {
  MutexLock lock(mutex_);
  const RefreshSchedule::Started started = schedule_.Start(now);
  MetadataQuery query{.request_version = request_version_,
                      .partial = started.partial,
                      .all_topics = config_.all_topics && !started.partial,
                      .reason = started.reason};
  // All topics or the new ones are asked for by name; all that there are, by no list at all.
  std::vector<std::string> names = topics_.Ask(/*only_new=*/query.partial);
  if (query.all_topics) {
    query.request.topics.reset();
    return query;
  }
  for (std::string& name : names) {
    query.request.topics->push_back({.topic_id = {}, .name = std::move(name)});
  }
  return query;
}

void Metadata::UpdateFailed(Instant now) {
  MutexLock lock(mutex_);
  schedule_.Failed(now, entropy_);
}

void Metadata::SetFatalError(absl::Status error) {
  KT_CHECK(!error.ok());
  MutexLock lock(mutex_);
  fatal_error_ = std::move(error);
  changed_.NotifyAll();
}

void Metadata::SetBootstrap(std::vector<BootstrapAddress> addresses) {
  KT_CHECK(!addresses.empty());
  MutexLock lock(mutex_);
  KT_CHECK(cluster_->is_bootstrap());
  bootstrap_ = std::move(addresses);
  Swap(BootstrapCluster(cluster_->generation() + 1));
  ++version_;
  changed_.NotifyAll();
}

void Metadata::FailForGood(absl::Status error) {
  KT_CHECK(!error.ok());
  MutexLock lock(mutex_);
  failure_ = std::move(error);
  changed_.NotifyAll();
}

absl::Status Metadata::failure() const {
  MutexLock lock(mutex_);
  return failure_;
}

void Metadata::Rebootstrap() {
  MutexLock lock(mutex_);
  Swap(BootstrapCluster(cluster_->generation() + 1));
  ++version_;
  schedule_.RequestFullFirst(RefreshReason::kRebootstrap);
  changed_.NotifyAll();
}

// --- Lifetime ---

void Metadata::AddListener(MetadataListener& listener) { listeners_.push_back(&listener); }

void Metadata::RemoveListener(MetadataListener& listener) { std::erase(listeners_, &listener); }

void Metadata::TellListeners(const Cluster& cluster) {
  for (MetadataListener* listener : listeners_) listener->OnCluster(cluster);
}

std::size_t Metadata::waiter_count() const {
  MutexLock lock(mutex_);
  return waiters_.size();
}

void Metadata::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

}  // namespace ktrial
