// WireWitness watches what a foreign client and the brokers say to each other, and judges the client by that alone:
// nobody knows what its application wanted, or what it was told.
//
//   wire          every byte is well formed, and every batch has the right CRC
//   loss          what was acknowledged with acks=all stands in the log where the answer said, or stood so in that of a
//                 topic which was deleted
//   order         first appends in the order in which the records were first seen; only for a client that never had two
//                 requests in flight to a partition, and only if no two connections to one broker produced at a time: the
//                 records of two clients have no order between them
//   request_rate  no second with more metadata requests, refused batches or connections than a sane client makes
//
// Duplicates are counted and not judged: brokers keep no producer state yet, and two equal lines are one record here.
//
// Threads: the loop of the brokers' host while that runs, anybody afterwards.
#ifndef SCENARIOS_SERVE_WIRE_WITNESS_H_
#define SCENARIOS_SERVE_WIRE_WITNESS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/api_key.h"
#include "sim/broker/cluster.h"
#include "sim/broker/observer.h"
#include "sim/checker/checker.h"

namespace ktrial::scenario {

// What a client may do within a second. Far above what any paced client does, far below what a loop without a pause
// does.
inline constexpr std::int64_t kMetadataRequestsPerSecondMax = 100;
inline constexpr std::int64_t kRefusedBatchesPerSecondMax = 1000;
inline constexpr std::int64_t kConnectionsPerSecondMax = 100;

class WireWitness : public sim::BrokerObserver {
 public:
  // `clock` is the brokers' and outlives this. `loud`: tell standard error what happens to the cluster, and what a
  // client asks for that is not served.
  WireWitness(const Clock& clock, bool loud);

  void OnAccepted(NodeId broker, ConnectionId connection) override;
  void OnClosed(NodeId broker, ConnectionId connection, std::string_view why) override;
  void OnRequest(const sim::RequestView& request) override;
  void OnResponse(const sim::RequestView& request, std::int64_t bytes, bool pipelined) override;
  void OnNoResponse(const sim::RequestView& request, std::string_view why) override;
  void OnAppended(const sim::RequestView& request, std::string_view topic, PartitionIndex partition, Offset base_offset,
                  std::span<const sim::RecordIdentity> identities) override;
  void OnProduceResult(const sim::RequestView& request, const sim::ProduceResult& result) override;
  void OnMalformed(NodeId broker, ConnectionId connection, std::string_view text) override;
  void OnNotServed(NodeId broker, ConnectionId connection, std::string_view text) override;
  void OnClusterChange(std::string_view text) override;

  // After the host has stopped. `cluster` holds the logs as they are at the end.
  std::vector<sim::Violation> Judge(const sim::Cluster& cluster) const;
  // "requests.Produce", "connects", "records.acked", "duplicates", ...
  std::map<std::string, double> Metrics(const sim::Cluster& cluster) const;
  // What was asked for and is not served, each text once.
  const std::set<std::string>& not_served() const { return not_served_; }
  bool judges_order() const { return !overlapping_; }

 private:
  // A batch that was appended.
  struct Append {
    TopicPartition where;
    Offset base_offset;
    std::vector<sim::RecordIdentity> identities;
    bool promised = false;  // the answer will say that it succeeded
  };
  struct InHand {
    std::int64_t known_records = 0;  // Of batches that stood in the log already.
    std::vector<TopicPartition> partitions;
    std::vector<Append> appends;
    std::int16_t acks = 0;
  };
  // The largest number of events in one second, by the calendar of the run.
  struct Peak {
    std::int64_t second = -1;
    std::int64_t count = 0;
    std::int64_t most = 0;
    std::int64_t worst_second = 0;
    void Add(std::int64_t now_second);
  };

  std::int64_t Second() const;
  void SeeRecords(const sim::RequestView& request);
  void Forget(const sim::RequestView& request);
  void JudgeLoss(const sim::Cluster& cluster, std::vector<sim::Violation>& violations) const;
  void JudgeOrder(const sim::Cluster& cluster, std::vector<sim::Violation>& violations) const;
  // `seen`: when each of its records was. `count`: violations so far.
  void JudgeOrderOf(const TopicPartition& where, const std::map<sim::RecordIdentity, std::int64_t>& seen,
                    const sim::PartitionLog& log, std::size_t& count, std::vector<sim::Violation>& violations) const;
  void JudgeRates(std::vector<sim::Violation>& violations) const;

  const Clock& clock_;
  const Instant start_;
  const bool loud_;
  std::map<std::uint64_t, InHand> in_hand_;  // Produce requests, by their number
  std::map<TopicPartition, int> in_flight_;
  std::map<NodeId, std::set<ConnectionId>> producing_;  // open connections that have sent a Produce request
  bool overlapping_ = false;
  std::vector<Append> acknowledged_;  // with acks=all
  std::int64_t acknowledged_records_ = 0;
  // When each record was first seen, counted for each partition.
  std::map<TopicPartition, std::map<sim::RecordIdentity, std::int64_t>> first_seen_;
  std::map<wire::ApiKey, std::int64_t> requests_;
  std::int64_t connects_ = 0;
  std::int64_t refused_batches_ = 0;
  Peak metadata_peak_;
  Peak refused_peak_;
  Peak connect_peak_;
  std::vector<sim::Violation> malformed_;
  std::set<std::string> not_served_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_SERVE_WIRE_WITNESS_H_
