// Cluster is one immutable picture of the brokers, topics and leaders, as metadata responses told it. Whoever holds one
// sees one consistent cluster for as long as he likes: a change makes a new Cluster and swaps the reference (MD-02).
//
//   const std::shared_ptr<const Cluster> cluster = metadata.Fetch();
//   if (const Node* leader = cluster->LeaderOf("orders", PartitionIndex(3))) ...
//
// Order is by id and by name, never by hash and never shuffled, because it reaches the wire (D-5): nodes ascend by id,
// topics by name, partitions by index.
//
// Pointers and views that a Cluster hands out live as long as it does. Thread safety: immutable, so any thread may read
// it.
#ifndef CORE_METADATA_CLUSTER_H_
#define CORE_METADATA_CLUSTER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "core/wire/error_code.h"

namespace ktrial {

// A broker, or an entry of the bootstrap list (negative id).
struct Node {
  NodeId id;
  std::string host;
  std::uint16_t port = 0;
  std::optional<std::string> rack;
  friend bool operator==(const Node&, const Node&) = default;
};

struct PartitionInfo {
  PartitionIndex index;
  // kNoNode while nobody leads, and while the leader is missing from the list of nodes (MD-44).
  NodeId leader = kNoNode;
  // The leader by its number alone, whether we know that node or not; kNoNode if nobody leads.
  NodeId reported_leader = kNoNode;
  LeaderEpoch leader_epoch = kUnknownEpoch;
  std::vector<NodeId> replicas;
  std::vector<NodeId> in_sync_replicas;
  std::vector<NodeId> offline_replicas;
  friend bool operator==(const PartitionInfo&, const PartitionInfo&) = default;
};

// The bound of a partition's index. The accumulator keeps a queue for every partition below one that is written to, and what one
// answer can make us allocate must have an end. Whole clusters of Kafka have as many partitions.
inline constexpr std::int32_t kPartitionsPerTopicMax = 200'000;

struct TopicInfo {
  std::string name;
  TopicId id{};  // All zero below Metadata v10.
  bool internal = false;
  // By index. A response may leave gaps. Those from kPartitionsPerTopicMax on are left out.
  std::vector<PartitionInfo> partitions;
  std::vector<PartitionIndex> available;  // Those that have a leader (MD-47), by index.

  std::int32_t partition_count() const { return static_cast<std::int32_t>(partitions.size()); }
  // Null if there is no such partition.
  const PartitionInfo* Find(PartitionIndex index) const;
};

class Cluster {
 public:
  // What a Cluster is made of. The constructor sorts, and works out leaders, `available` and the indexes.
  struct Parts {
    std::vector<Node> nodes;
    std::vector<std::shared_ptr<const TopicInfo>> topics;
    std::map<std::string, wire::ErrorCode, std::less<>> topic_errors;
    NodeId controller = kNoNode;
    std::optional<std::string> cluster_id;
    bool bootstrap = false;
    std::uint64_t generation = 0;
  };
  explicit Cluster(Parts parts);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // --- Nodes ---
  std::span<const Node> nodes() const { return parts_.nodes; }
  const Node* FindNode(NodeId id) const;
  const Node* controller() const { return FindNode(parts_.controller); }

  // --- Topics. A look-up by name is one hash and one comparison. ---
  std::span<const std::shared_ptr<const TopicInfo>> topics() const { return parts_.topics; }
  // Null if the topic is unknown, which is not the same as having no partitions (MD-47).
  const TopicInfo* FindTopic(std::string_view name) const;
  const PartitionInfo* FindPartition(std::string_view topic, PartitionIndex index) const;
  const Node* LeaderOf(std::string_view topic, PartitionIndex index) const;

  // What the last response that spoke of this topic said about it as a whole: kNone, kInvalidTopicException,
  // kTopicAuthorizationFailed or another (MD-16). A topic with an error has no partitions here (MD-18).
  wire::ErrorCode TopicError(std::string_view name) const;

  const std::optional<std::string>& cluster_id() const { return parts_.cluster_id; }
  // True while nothing is known but the configured addresses (MD-20).
  bool is_bootstrap() const { return parts_.bootstrap; }
  // Grows by one with each new snapshot of one Metadata. Not Metadata's version: leaders learnt from a produce response
  // make a snapshot without a version (MD-43).
  std::uint64_t generation() const { return parts_.generation; }

  // For whoever makes the successor of this Cluster.
  const Parts& parts() const { return parts_; }

 private:
  void ResolveLeaders();
  void BuildTopicIndex();

  // Set in the constructor, never changed.
  Parts parts_;
  std::vector<std::uint32_t> topic_slots_;  // Open addressing over parts_.topics: position + 1, 0 for an empty slot.
};

}  // namespace ktrial

#endif  // CORE_METADATA_CLUSTER_H_
