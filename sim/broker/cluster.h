// Cluster is what the brokers know together: who is up, which topics there are, who leads what since which epoch, how
// far the replicas have copied, and what each broker has heard of all this. It holds no connection and reads no bytes;
// broker_host.h does.
//
// Leadership. Each partition has one authoritative state. A broker that leads or has just lost leadership knows it at
// once; what a broker says in Metadata answers may be older (`lag`, `metadata_lag`), as when a controller tells the
// replicas first and everybody else later. Every election raises the epoch by one.
//
// Replication. The followers in sync have a batch after half of the replication delay, and the leader knows that they
// do (the high watermark moves, acks=all is answered) after the whole of it. A follower that is paused or fenced but
// still in sync holds this up. When another replica takes over, what its followers did not have is cut off the log; so
// an append may survive whose sender was told NOT_LEADER_OR_FOLLOWER, and one may be lost that was acknowledged with
// acks=1.
//
// Operations that could not do anything (an unknown partition, a leader that leads already) change nothing and return
// false: faults count by it whether they had an effect.
//
// Not thread-safe: everything happens on the loop of the BrokerHost, or between its turns.
#ifndef SIM_BROKER_CLUSTER_H_
#define SIM_BROKER_CLUSTER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "sim/broker/api_versions_table.h"
#include "sim/broker/observer.h"
#include "sim/broker/partition.h"
#include "sim/broker/settings.h"
#include "sim/broker/timer_queue.h"
#include "sim/kernel/draws.h"

namespace ktrial::sim {

struct BrokerSpec {
  NodeId id;
  // An IP literal: where it listens, and what Metadata answers say unless `advertised_host` is set.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;       // 0: chosen when it starts to listen, and kept from then on.
  std::string advertised_host;  // What Metadata answers say instead; empty: `host`.
  std::optional<std::string> rack;
  std::string release = "4.0";  // One of BrokerReleases().
  Distribution service;         // How long it works on a request before it does anything.
  // As some gateways do (B119): a connection on which ApiVersions comes in a version that it does not have is reset. Kafka
  // answers UNSUPPORTED_VERSION.
  bool resets_unknown_versions = false;
};

struct TopicSpec {
  std::string name;
  std::int32_t partitions = 1;
  // Replicas of partition p: the brokers at (p + k) mod n in order of id; the first one leads.
  std::int32_t replication = 1;
  SettingsMap settings;
};

struct ClusterSpec {
  std::string cluster_id = "ktrial-cluster";
  std::vector<BrokerSpec> brokers;  // Ids are unique and >= 0; the order does not matter.
  std::vector<TopicSpec> topics;
  std::vector<std::string>
      later_releases;              // That brokers will be of for a while (SetRelease): they hold back features.
  SettingsMap settings;            // Of every broker.
  Distribution replication_delay;  // Of one batch, see above.
  IdentityRule identity = IdentityRule::kValuePrefix;
  bool keep_raw_batches = false;  // Logs keep the bytes (LogBatch::raw).
};

// One broker as the cluster knows it.
struct Broker {
  BrokerSpec spec;
  const BrokerRelease* release = nullptr;
  bool up = true;            // Down: crashed, not restarted yet.
  bool paused = false;       // Reads and answers nothing, copies nothing.
  bool fenced = false;       // The controller has given it up: in no ISR, leads nothing, is not listed.
  Duration metadata_lag{0};  // Every change reaches this broker's Metadata answers so much later.

  // Metadata answers name it. One that has just crashed is still named, until the controller notices.
  bool listed() const { return !fenced; }
  const std::string& advertised_host() const { return spec.advertised_host.empty() ? spec.host : spec.advertised_host; }
};

struct Topic {
  std::string name;
  TopicId id{};
  TopicSettings settings;
  SettingsMap settings_as_given;
  std::int32_t replication = 1;
  std::vector<std::unique_ptr<Partition>> partitions;  // By index.
  // When the Metadata answers of brokers begin and cease to know it; those that are not named do so at once.
  std::map<NodeId, Instant> known_from;
  std::map<NodeId, Instant> known_until;

  // What makes another one like it.
  TopicSpec Shape() const;
};

// 1 to 249 letters, digits and "._-", and neither "." nor "..".
bool IsLegalTopicName(std::string_view name);

class Cluster {
 public:
  // INVALID_ARGUMENT for what the spec says wrong. `clock` outlives the cluster; `draws` is for the replication delay
  // and the service times.
  static absl::StatusOr<std::unique_ptr<Cluster>> Create(ClusterSpec spec, const Clock& clock, Stream draws);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // --- Looking ---
  const std::map<NodeId, Broker>& brokers() const { return brokers_; }
  // All that its brokers are, or will be.
  const std::vector<const BrokerRelease*>& releases() const { return releases_; }
  const Broker* FindBroker(NodeId id) const;
  const std::map<std::string, std::unique_ptr<Topic>, std::less<>>& topics() const { return topics_; }
  Topic* FindTopic(std::string_view name) const;
  Topic* FindTopicById(const TopicId& id) const;
  // Those that are gone, in the order in which they were deleted, as they were then: nobody can write to them or read
  // them, but checkers want to know what they had. A name may be there several times.
  const std::vector<std::unique_ptr<Topic>>& deleted_topics() const { return deleted_topics_; }
  // The last one of that name; null if none was ever deleted.
  const Topic* FindDeletedTopic(std::string_view name) const;
  // What `broker` has heard of topics by now: one may be deleted, and one that exists may be missing. In order of name.
  const Topic* SeenTopic(NodeId broker, std::string_view name) const;
  const Topic* SeenTopicById(NodeId broker, const TopicId& id) const;
  std::vector<const Topic*> SeenTopics(NodeId broker) const;
  Partition* FindPartition(std::string_view topic, PartitionIndex partition) const;
  // kNoNode if there is none (or no such partition).
  NodeId LeaderOf(std::string_view topic, PartitionIndex partition) const;
  // The broker that Metadata answers name: the lowest id that is listed; kNoNode if none is.
  NodeId controller() const;
  // What `broker` has heard of a partition by now.
  const PartitionState& SeenBy(NodeId broker, const Partition& partition) const;
  const ClusterSpec& spec() const { return spec_; }
  const BrokerSettings& settings() const { return settings_; }
  std::int32_t MinInsyncReplicas(const Topic& topic) const;
  std::int32_t MaxMessageBytes(const Topic& topic) const;
  TimestampType timestamp_type(const Topic& topic) const;

  // --- Leaders and replicas ---
  struct MoveOptions {
    Duration lag{0};   // All brokers but the new leader go on naming the old one in Metadata answers for so long.
    bool hint = true;  // A Produce that is refused names the new leader, where its version can.
  };
  // Makes `to` lead. False unless it is an in-sync replica that is up and not fenced, and another one leads.
  bool MoveLeader(std::string_view topic, PartitionIndex partition, NodeId to, MoveOptions options);
  // As above, to the next such replica after the leader in the order of `replicas`.
  bool MoveLeaderAnywhere(std::string_view topic, PartitionIndex partition, MoveOptions options);
  // Takes the leader away; the partition stays so until ElectLeader. False if it had none.
  bool RemoveLeader(std::string_view topic, PartitionIndex partition);
  // Gives a leaderless partition the first in-sync replica that can lead. False if there is none or it has a leader.
  bool ElectLeader(std::string_view topic, PartitionIndex partition);
  // Takes a follower out of the in-sync replicas, or back in if it is up and not fenced.
  bool ShrinkIsr(std::string_view topic, PartitionIndex partition, NodeId follower);
  bool ExpandIsr(std::string_view topic, PartitionIndex partition, NodeId follower);

  // --- Brokers. BrokerHost has the operations that faults want: they treat connections too ---
  // The process is gone, or back. Who leads and who is in sync does not change by this: FenceBroker and UnfenceBroker
  // do that.
  bool SetDown(NodeId broker);
  bool SetUp(NodeId broker);
  bool SetPaused(NodeId broker, bool paused);
  // The controller gives a broker up: what it led is led by others in sync, it is in no ISR any more. Partitions
  // without another replica in sync become leaderless and keep it as their last one.
  bool FenceBroker(NodeId broker);
  // It is back and has caught up everywhere: in every ISR that it belongs to, and leader of what has waited for it.
  bool UnfenceBroker(NodeId broker);
  bool SetMetadataLag(NodeId broker, Duration lag);
  // What it is from now on; its clients must have no connection to it. `release` is one of BrokerReleases().
  void SetRelease(NodeId broker, std::string_view release);
  // What a broker listens on, once it does.
  void SetPort(NodeId broker, std::uint16_t port);

  // --- Topics ---
  // How much later than at once brokers' Metadata answers follow (and later still by their own metadata_lag); 0 for
  // those that are not named. Leaders know at once, as with elections.
  using TopicLags = std::map<NodeId, Duration>;
  // TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, INVALID_CONFIG as
  // Kafka errors. Each topic has an id of its own, of the same name or not.
  absl::Status CreateTopic(const TopicSpec& spec, const TopicLags& lags = {});
  // With its logs, and what its leaders knew of producers. Who waits for replication gets UNKNOWN_TOPIC_OR_PARTITION.
  bool DeleteTopic(std::string_view name, const TopicLags& lags = {});
  bool AddPartitions(std::string_view name, std::int32_t total);
  // What lies before `start` is gone for readers, and old leaders forget its producers (DeleteRecords; retention has the
  // same effect). False unless it lies between the present start and the high watermark.
  bool DeleteRecords(std::string_view topic, PartitionIndex partition, Offset start);
  // With the broker's defaults, if auto.create.topics.enable allows it and the name is legal.
  wire::ErrorCode AutoCreateTopic(std::string_view name);

  // --- What a leader does with a batch (00_produce.cc) ---
  struct AppendResult {
    Offset base_offset;
    Offset needed;  // acks=all is satisfied once the high watermark is here
  };
  // What the leader makes of the producer id, epoch and sequence of a batch, which it then appends or not.
  ProducerState::Verdict JudgeProducer(Partition& partition, const LogBatch& batch);
  AppendResult Append(Partition& partition, LogBatch batch, std::span<const RecordIdentity> identities);
  // The end of a transaction of that producer.
  AppendResult AppendMarker(Partition& partition, ProducerId id, ProducerEpoch epoch, BatchKind marker);
  // Calls `done` once `needed` is replicated (kNone), leadership is lost (NOT_LEADER_OR_FOLLOWER), too few replicas are
  // in sync by then (NOT_ENOUGH_REPLICAS_AFTER_APPEND), the topic is gone, or at `deadline` (REQUEST_TIMED_OUT). Maybe
  // before it returns.
  void AwaitReplication(Partition& partition, Offset needed, Instant deadline,
                        absl::AnyInvocable<void(wire::ErrorCode)> done);

  // --- Bits that are handed out ---
  ProducerId NextProducerId(NodeId broker);  // Never twice. Each broker takes blocks of 1000, as real ones do.
  Duration DrawServiceTime(NodeId broker);
  Duration DrawReplicationDelay() { return spec_.replication_delay.Draw(draws_); }

  TimerQueue& timers() { return timers_; }
  const Clock& clock() const { return clock_; }
  // Told of every change; null: nobody. Outlives the cluster or is taken away again.
  void SetObserver(BrokerObserver* observer);

 private:
  Cluster(ClusterSpec spec, const Clock& clock, Stream draws);
  absl::Status Init();
  absl::Status LearnRelease(std::string_view name);
  Broker* MutableBroker(NodeId id);
  void AddPartition(Topic& topic);
  // The moments at which brokers hear of what happens now, of those that do so later.
  std::map<NodeId, Instant> HeardAt(const TopicLags& lags) const;
  bool Knows(NodeId broker, const Topic& topic) const;

  // Leadership, in leadership.cc.
  template <class Function>
  void ForEachPartition(Function function);
  bool CanLead(const Partition& partition, NodeId broker) const;
  // `leader` may be kNoNode.
  void Elect(Partition& partition, NodeId leader, MoveOptions options);
  // The first in the order of `replicas` that can lead, `but` excepted.
  bool ElectFirst(Partition& partition, NodeId but);
  void RemoveFromIsr(Partition& partition, NodeId follower);
  void AddToIsr(Partition& partition, NodeId follower);
  // A partition that was leaderless: the replicas that came back meanwhile could not catch up with anybody.
  void AdmitFollowers(Partition& partition);
  // Keeps the present state, which is about to change, for brokers that will hear of the change later.
  void Remember(Partition& partition, Duration lag, NodeId told_at_once);

  // Replication, in replication.cc.
  void StartReplication(Partition& partition, Offset end);
  void ScheduleReplication(Partition& partition);
  void AdvanceReplication(Partition& partition);
  // To be called after each change of the ISR or of a broker's condition.
  void UpdateHold(Partition& partition);
  void Resume(Partition& partition, Duration delay);
  // What every follower in sync has.
  Offset CopiedEnd(const Partition& partition) const;
  wire::ErrorCode EnoughInSync(const Partition& partition) const;
  void SettleWaiters(Partition& partition);
  void FailWaiters(Partition& partition, wire::ErrorCode code);

  ClusterSpec spec_;
  const Clock& clock_;
  Stream draws_;
  BrokerSettings settings_;
  BrokerObserver* observer_;
  TimerQueue timers_;
  std::map<NodeId, Broker> brokers_;
  std::vector<const BrokerRelease*> releases_;  // The brokers' own, and spec_.later_releases.
  std::map<std::string, std::unique_ptr<Topic>, std::less<>> topics_;
  std::vector<std::unique_ptr<Topic>> deleted_topics_;
  std::int64_t topics_created_ = 0;
  std::int64_t producer_id_blocks_ = 0;
  struct ProducerIdBlock {
    std::int64_t next = 0;
    std::int64_t end = 0;
  };
  std::map<NodeId, ProducerIdBlock> producer_ids_;
  std::uint64_t last_waiter_id_ = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_CLUSTER_H_
