// Metadata is what one producer knows of its cluster, and when it has to ask again. It owns the current Cluster, the
// set of topics that matter, the leader epochs seen so far and the schedule of refreshes. It sends nothing itself: the
// network client asks when an update is due, takes a request from here and brings the answer back
// (core/network/metadata_updater.h).
//
//   caller of Send                                       sender thread
//   Add(topic, now)                                      NextUpdateAt() <= now: BuildRequest(now) -> the wire
//   version = RequestUpdateForTopic(topic)               Update(request, response, version, now), or UpdateFailed(now)
//   wake the sender; AwaitUpdate(version, deadline)      -> new Cluster, version + 1, waiters wake
//
// The rules are MD-01 to MD-47 in their current form. What differs from other clients on purpose:
//   - Jitter is drawn once per success or failure and kept as a moment, so "is it due?" never flickers (D-4).
//   - Waiters take a fatal error in the order in which they came (D-6).
//   - A re-bootstrap wakes waiters, as every change of the version does.
//   - A set of errors of topics is told apart per topic name in the Cluster itself; who asks consumes all of them
//   (MD-32).
//
// Thread safety: every function may be called from any thread; the ones marked [sender] are meant for one thread. No
// function blocks except AwaitUpdate. Listeners run on the thread of the update, without the lock.
#ifndef CORE_METADATA_METADATA_H_
#define CORE_METADATA_METADATA_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/sync.h"
#include "core/env/threads.h"
#include "core/metadata/cluster.h"
#include "core/metadata/leader_epochs.h"
#include "core/metadata/refresh_schedule.h"
#include "core/metadata/tracked_topics.h"
#include "core/observer.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "core/wire/messages.h"

namespace ktrial {

// One address of the bootstrap list: a host name or an IP literal, and a port.
struct BootstrapAddress {
  std::string host;
  std::uint16_t port = 0;
};

struct MetadataConfig {
  std::vector<BootstrapAddress> bootstrap;                       // At least one.
  Duration retry_backoff = std::chrono::milliseconds(100);       // retry.backoff.ms
  Duration retry_backoff_max = std::chrono::milliseconds(1000);  // retry.backoff.max.ms
  Duration max_age = std::chrono::minutes(5);                    // metadata.max.age.ms
  Duration max_idle = std::chrono::minutes(5);                   // metadata.max.idle.ms
  // Ask for all topics, and keep all, instead of the tracked ones.
  bool all_topics = false;
};

// Told of every snapshot that a broker's answer made, KIP-951 merges included (MD-46). Must not block; must not call
// Metadata.
class MetadataListener {
 public:
  virtual ~MetadataListener() = default;
  virtual void OnCluster(const Cluster& cluster) = 0;
};

// A leader that a produce response named (MD-43, SN-09).
struct LeaderHint {
  std::string topic;
  PartitionIndex partition;
  NodeId leader = kNoNode;
  LeaderEpoch epoch = kUnknownEpoch;
};

struct LeaderAndEpoch {
  const Node* node = nullptr;  // Belongs to `cluster`. Null: unknown.
  LeaderEpoch epoch = kUnknownEpoch;
  std::shared_ptr<const Cluster> cluster;
};

// What is asked, and what the answer will need to be understood.
struct MetadataQuery {
  wire::MetadataRequest request;
  std::int64_t request_version = 0;  // MD-11
  bool partial = false;              // MD-12
  bool all_topics = false;
  RefreshReason reason = RefreshReason::kPeriodic;
};

enum class UpdateResult : std::uint8_t {
  kUpdated,
  kNoBrokers,    // The list of brokers was empty: counted as a failed update (MD-19).
  kRebootstrap,  // The broker demands it (MD-23): counted as a failed update; bootstrapping is the caller's decision.
  kClosed,       // Nothing happened: closed before (MD-34).
};

class Metadata {
 public:
  // Starts with the bootstrap addresses, version 1 and an update that is due (MD-20, MD-21). `threads` and `entropy`
  // outlive this.
  Metadata(MetadataConfig config, Threads& threads, Entropy& entropy);
  ~Metadata();
  Metadata(const Metadata&) = delete;
  Metadata& operator=(const Metadata&) = delete;

  // --- Reading ---

  // The current snapshot, never null. A short lock.
  std::shared_ptr<const Cluster> Fetch() const;
  // Puts the current snapshot into `cached` unless it is there already, and says whether it did. One atomic load when
  // it is: no lock and no reference count, so this may stand on the path of a record. `cached` is not null and is
  // guarded by its owner.
  bool FetchIfNewer(std::shared_ptr<const Cluster>& cached) const;
  // Compare with Cluster::generation(). One atomic load.
  std::uint64_t generation() const { return generation_.Load(); }
  // How many times the metadata was updated: bootstrap, re-bootstrap, successful responses (MD-08, MD-09, MD-20).
  std::int64_t version() const;
  // The leader of the cached entry, unless a newer epoch was heard of since: then no node, and that epoch (MD-42).
  LeaderAndEpoch CurrentLeader(std::string_view topic, PartitionIndex partition) const;
  // The last error that a response gave for this topic, and stays until a response clears it (MD-30). kNone if none.
  wire::ErrorCode LastTopicError(std::string_view topic) const;
  // The last full update (metadata age counts from it, MD-09); nullopt before the first.
  std::optional<Instant> last_successful_refresh() const;

  // --- Asking (any thread; wake the sender afterwards) ---

  // Tracks a topic, or puts off the end of its idle time to now + max_idle (MD-26, MD-36). A topic that is new makes an
  // update due at once, past all backoff (MD-07). Call it for each new batch, not for each record: it takes the lock.
  void Add(std::string_view topic, Instant now);
  bool IsTracked(std::string_view topic) const;
  // Makes a full update due once the backoff allows it (MD-03, MD-06). Returns the current version, for AwaitUpdate.
  enum class Equivalents : std::uint8_t {
    kKeep,
    kForget
  };  // kForget: equal answers so far do not slow this one down (MD-03).
  std::int64_t RequestUpdate(RefreshReason reason, Equivalents equivalents = Equivalents::kKeep);
  // For a topic that nobody has answered for yet: a partial update, due at once; else RequestUpdate(kMetadataWait)
  // (MD-13).
  std::int64_t RequestUpdateForTopic(std::string_view topic);
  // What FailForGood was told; else OK.
  absl::Status failure() const;
  // True if the epoch is news: larger than the one remembered, which must exist. Then a full update is requested
  // (MD-42).
  bool SawLeaderEpoch(std::string_view topic, PartitionIndex partition, LeaderEpoch epoch);

  // Waits until version() > last_version: OK. Otherwise, in this order of precedence (MD-24): the failure for good; a fatal error, which it
  // takes away so that exactly one waiter gets it (MD-33); kCancelled after Close, without a Kafka code (MD-34);
  // REQUEST_TIMED_OUT at the deadline.
  absl::Status AwaitUpdate(std::int64_t last_version, Instant deadline);
  // The fatal error, else the error of this topic (INVALID_TOPIC_EXCEPTION or TOPIC_AUTHORIZATION_FAILED), else OK.
  // Forgets the fatal error and the errors of *all* topics, whichever it was asked for (MD-31, MD-32).
  absl::Status TakeErrors(std::string_view topic);

  // --- Updating [sender] ---

  // When the next update is due: in the past for "now", Never() once closed (MD-04, MD-05). A function of the state
  // alone.
  Instant NextUpdateAt() const;
  // The request for an update that is due (MD-11 to MD-14). One at a time: Update or UpdateFailed must follow.
  MetadataQuery BuildRequest(Instant now);
  // Takes over what the response says (MD-08, MD-09, MD-15 to MD-19, MD-36 to MD-45). `response_version` is that of the
  // request.
  UpdateResult Update(const MetadataQuery& query, const wire::MetadataResponse& response, std::int16_t response_version,
                      Instant now);
  // An attempt came to nothing. Nobody is woken (MD-10).
  void UpdateFailed(Instant now);
  // For whoever waits next, or waits first now (MD-33).
  void SetFatalError(absl::Status error);
  // The addresses to start from are these, from now on; at least one. Only before the first answer: version + 1.
  void SetBootstrap(std::vector<BootstrapAddress> addresses);
  // Nothing will ever come: whoever waits or asks for errors gets this, now and later. For good.
  void FailForGood(absl::Status error);
  // Starts over from the configured addresses (MD-22): version + 1, waiters wake, a full update is due.
  void Rebootstrap();
  // Leaders learnt from a produce response (MD-43). `nodes` are the endpoints in it. No flag, no version, no waiter.
  // Returns those that were taken over.
  std::vector<TopicPartition> MergeLeaders(std::span<const LeaderHint> hints, std::span<const Node> nodes);

  // --- Lifetime ---

  // A listener is told from now on; it stays the caller's. [sender], or before the sender runs.
  void AddListener(MetadataListener& listener);
  void RemoveListener(MetadataListener& listener);
  // Ends all waits, present and future (MD-34). Idempotent.
  void Close();
  // How many threads are in AwaitUpdate now.
  std::size_t waiter_count() const;

 private:
  std::shared_ptr<const Cluster> BootstrapCluster(std::uint64_t generation) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Swap(std::shared_ptr<const Cluster> cluster) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::int64_t RequestForNewTopic(bool past_backoff) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The snapshot that an answer makes of the present one. Asks for a full update if the answer contains a reason for
  // one.
  struct Digest {
    Cluster::Parts parts;
    bool taught_something = false;
  };
  Digest DigestResponse(const MetadataQuery& query, const wire::MetadataResponse& response, bool reliable_epochs,
                        Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<const TopicInfo> DigestTopic(const wire::MetadataTopic& topic, bool reliable_epochs,
                                               bool& taught_something) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CarryOver(const wire::MetadataResponse& response, Instant now, Cluster::Parts& parts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Retain(std::string_view topic, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellListeners(const Cluster& cluster);

  // Set in the constructor, never changed.
  const MetadataConfig config_;
  Entropy& entropy_;

  mutable Mutex mutex_;
  CondVar changed_;
  Atomic<std::uint64_t> generation_;  // Of cluster_; written under the lock, read without.
  std::shared_ptr<const Cluster> cluster_ ABSL_GUARDED_BY(mutex_);
  std::int64_t version_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t request_version_ ABSL_GUARDED_BY(mutex_) = 0;
  RefreshSchedule schedule_ ABSL_GUARDED_BY(mutex_);
  TrackedTopics topics_ ABSL_GUARDED_BY(mutex_);
  LeaderEpochs epochs_ ABSL_GUARDED_BY(mutex_);
  // Errors that TakeErrors has not consumed yet; what LastTopicError shows stays in cluster_.
  std::map<std::string, wire::ErrorCode, std::less<>> untaken_errors_ ABSL_GUARDED_BY(mutex_);
  absl::Status fatal_error_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  std::vector<BootstrapAddress> bootstrap_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  // Tickets of the waits in progress, oldest first: the front takes a fatal error.
  std::list<std::uint64_t> waiters_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t next_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  // Only the thread of the updates.
  std::vector<MetadataListener*> listeners_;
};

}  // namespace ktrial

#endif  // CORE_METADATA_METADATA_H_
