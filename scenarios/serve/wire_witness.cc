#include "scenarios/serve/wire_witness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "core/wire/messages.h"
#include "core/wire/record_batch.h"

namespace ktrial::scenario {
namespace {

constexpr std::int16_t kAcksAll = -1;
constexpr std::size_t kShown = 5;  // violations of one kind

std::string Name(const TopicPartition& where) { return fmt::format("{}/{}", where.topic, where.partition.value()); }

// The logs of a partition: one, and one for each time that its topic was deleted.
std::vector<const sim::PartitionLog*> LogsOf(const sim::Cluster& cluster, const TopicPartition& where) {
  std::vector<const sim::PartitionLog*> logs;
  if (const sim::Partition* partition = cluster.FindPartition(where.topic, where.partition)) {
    logs.push_back(&partition->log());
  }
  const auto index = static_cast<std::size_t>(where.partition.value());
  for (const auto& topic : cluster.deleted_topics()) {
    if (topic->name == where.topic && index < topic->partitions.size())
      logs.push_back(&topic->partitions[index]->log());
  }
  return logs;
}

}  // namespace

void WireWitness::Peak::Add(std::int64_t now_second) {
  if (now_second != second) {
    second = now_second;
    count = 0;
  }
  if (++count > most) {
    most = count;
    worst_second = second;
  }
}

WireWitness::WireWitness(const Clock& clock, bool loud) : clock_(clock), start_(clock.Now()), loud_(loud) {}

std::int64_t WireWitness::Second() const { return (clock_.Now() - start_) / std::chrono::seconds(1); }

void WireWitness::OnAccepted(NodeId, ConnectionId) {
  ++connects_;
  connect_peak_.Add(Second());
}

void WireWitness::OnClosed(NodeId broker, ConnectionId connection, std::string_view) {
  producing_[broker].erase(connection);
}

void WireWitness::OnRequest(const sim::RequestView& request) {
  ++requests_[request.api];
  if (request.api == wire::ApiKey::kMetadata) metadata_peak_.Add(Second());
  if (request.produce != nullptr) SeeRecords(request);
}

void WireWitness::SeeRecords(const sim::RequestView& request) {
  InHand& in_hand = in_hand_[request.id];
  in_hand.acks = request.produce->acks;
  std::set<ConnectionId>& producing = producing_[request.broker];
  producing.insert(request.connection);
  if (producing.size() > 1) overlapping_ = true;
  for (const wire::TopicProduceData& topic : request.produce->topics) {
    for (const wire::PartitionProduceData& data : topic.partitions) {
      const TopicPartition where{std::string(topic.name), PartitionIndex(data.index)};
      if (++in_flight_[where] > 1) overlapping_ = true;
      in_hand.partitions.push_back(where);
      const auto batch = wire::RecordBatchView::Parse(data.records.value_or(std::string_view()));
      if (!batch.ok() || batch->codec() != wire::Codec::kNone) continue;
      std::map<sim::RecordIdentity, std::int64_t>& seen = first_seen_[where];
      wire::RecordReader reader(*batch);
      while (const wire::RecordView* record = reader.Next()) {
        seen.try_emplace(sim::HashIdentity(record->key, record->value), static_cast<std::int64_t>(seen.size()));
      }
    }
  }
}

void WireWitness::OnAppended(const sim::RequestView& request, std::string_view topic, PartitionIndex partition,
                             Offset base_offset, std::span<const sim::RecordIdentity> identities) {
  in_hand_[request.id].appends.push_back(
      {{std::string(topic), partition}, base_offset, {identities.begin(), identities.end()}});
}

void WireWitness::OnProduceResult(const sim::RequestView& request, const sim::ProduceResult& result) {
  if (result.code != wire::ErrorCode::kNone) {
    ++refused_batches_;
    refused_peak_.Add(Second());
    return;
  }
  // A batch that came again is acknowledged too; what it holds was noted when it was appended.
  if (result.duplicate) in_hand_[request.id].known_records += result.record_count;
  for (Append& append : in_hand_[request.id].appends) {
    if (append.where.topic == result.topic && append.where.partition == result.partition) append.promised = true;
  }
}

void WireWitness::OnResponse(const sim::RequestView& request, std::int64_t, bool pipelined) {
  if (request.api != wire::ApiKey::kProduce) return;
  // What comes behind is not decoded yet, and may well be for the same partition.
  if (pipelined) overlapping_ = true;
  InHand& in_hand = in_hand_[request.id];
  acknowledged_records_ += in_hand.known_records;
  for (Append& append : in_hand.appends) {
    if (!append.promised) continue;
    acknowledged_records_ += static_cast<std::int64_t>(append.identities.size());
    if (in_hand.acks == kAcksAll) acknowledged_.push_back(std::move(append));
  }
  Forget(request);
}

void WireWitness::OnNoResponse(const sim::RequestView& request, std::string_view) {
  if (request.api == wire::ApiKey::kProduce) Forget(request);
}

void WireWitness::Forget(const sim::RequestView& request) {
  for (const TopicPartition& where : in_hand_[request.id].partitions) --in_flight_[where];
  in_hand_.erase(request.id);
}

void WireWitness::OnMalformed(NodeId broker, ConnectionId, std::string_view text) {
  if (malformed_.size() >= kShown) return;
  malformed_.push_back(
      {"wire", Instant() + (clock_.Now() - start_), fmt::format("to broker {}: {}", broker.value(), text)});
}

void WireWitness::OnNotServed(NodeId broker, ConnectionId, std::string_view text) {
  const bool is_new = not_served_.insert(std::string(text)).second;
  if (is_new) std::fputs(fmt::format("broker {} does not serve: {}\n", broker.value(), text).c_str(), stderr);
}

void WireWitness::OnClusterChange(std::string_view text) {
  if (!loud_) return;
  const double seconds = static_cast<double>((clock_.Now() - start_).count()) / 1e9;
  std::fputs(fmt::format("{:8.3f} s  {}\n", seconds, text).c_str(), stderr);
}

void WireWitness::JudgeLoss(const sim::Cluster& cluster, std::vector<sim::Violation>& violations) const {
  std::size_t count = 0;
  for (const Append& append : acknowledged_) {
    const std::vector<const sim::PartitionLog*> logs = LogsOf(cluster, append.where);
    for (std::size_t i = 0; i < append.identities.size(); ++i) {
      const Offset offset(append.base_offset.value() + static_cast<std::int64_t>(i));
      const auto holds = [&](const sim::PartitionLog* log) { return log->IdentityAt(offset) == append.identities[i]; };
      if (std::ranges::any_of(logs, holds)) continue;
      if (++count > kShown) return;
      violations.push_back(
          {"loss", Instant() + (clock_.Now() - start_),
           fmt::format("{} offset {} was acknowledged and holds something else", Name(append.where), offset.value())});
    }
  }
}

void WireWitness::JudgeOrder(const sim::Cluster& cluster, std::vector<sim::Violation>& violations) const {
  if (overlapping_) return;
  std::size_t count = 0;
  for (const auto& [where, seen] : first_seen_) {
    for (const sim::PartitionLog* log : LogsOf(cluster, where)) JudgeOrderOf(where, seen, *log, count, violations);
  }
}

void WireWitness::JudgeOrderOf(const TopicPartition& where, const std::map<sim::RecordIdentity, std::int64_t>& seen,
                               const sim::PartitionLog& log, std::size_t& count,
                               std::vector<sim::Violation>& violations) const {
  std::set<sim::RecordIdentity> appended;
  std::int64_t latest = -1;
  for (const sim::LogBatch& batch : log.batches()) {
    std::int64_t offset = batch.base_offset.value();
    for (const sim::RecordIdentity identity : log.IdentitiesOf(batch)) {
      const auto found = seen.find(identity);
      const bool first = found != seen.end() && appended.insert(identity).second;
      if (first && found->second < latest && ++count <= kShown) {
        violations.push_back(
            {"order", Instant() + (batch.appended - start_),
             fmt::format("{} offset {} was sent before a record that stands in front of it", Name(where), offset)});
      }
      if (first) latest = std::max(latest, found->second);
      ++offset;
    }
  }
}

void WireWitness::JudgeRates(std::vector<sim::Violation>& violations) const {
  const auto judge = [&violations](const Peak& peak, std::int64_t most, std::string_view what) {
    if (peak.most <= most) return;
    violations.push_back({"request_rate", Instant() + std::chrono::seconds(peak.worst_second),
                          fmt::format("{} {} within a second, allowed: {}", peak.most, what, most)});
  };
  judge(metadata_peak_, kMetadataRequestsPerSecondMax, "metadata requests");
  judge(refused_peak_, kRefusedBatchesPerSecondMax, "refused batches");
  judge(connect_peak_, kConnectionsPerSecondMax, "connections");
}

std::vector<sim::Violation> WireWitness::Judge(const sim::Cluster& cluster) const {
  std::vector<sim::Violation> violations = malformed_;
  JudgeLoss(cluster, violations);
  JudgeOrder(cluster, violations);
  JudgeRates(violations);
  return violations;
}

std::map<std::string, double> WireWitness::Metrics(const sim::Cluster& cluster) const {
  std::map<std::string, double> metrics;
  std::int64_t records = 0;
  std::int64_t duplicates = 0;
  for (const auto& [name, topic] : cluster.topics()) {
    for (const auto& partition : topic->partitions) {
      std::set<sim::RecordIdentity> known;
      for (const sim::LogBatch& batch : partition->log().batches()) {
        for (const sim::RecordIdentity identity : partition->log().IdentitiesOf(batch)) {
          ++records;
          if (!known.insert(identity).second) ++duplicates;
        }
      }
    }
  }
  metrics["log.records"] = static_cast<double>(records);
  metrics["duplicates"] = static_cast<double>(duplicates);
  metrics["records.acked"] = static_cast<double>(acknowledged_records_);
  metrics["batches.refused"] = static_cast<double>(refused_batches_);
  metrics["connects"] = static_cast<double>(connects_);
  for (const auto& [api, count] : requests_) {
    metrics["requests." + std::string(wire::ApiKeyName(api))] = static_cast<double>(count);
  }
  return metrics;
}

}  // namespace ktrial::scenario
