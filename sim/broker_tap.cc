#include "sim/broker_tap.h"

#include <algorithm>

#include "fmt/format.h"

namespace ktrial::sim {

Subject BrokerTap::SubjectOf(NodeId broker) {
  const auto known = subjects_.find(broker);
  if (known != subjects_.end()) return known->second;
  const Subject subject = trace_.AddSubject(fmt::format("broker-{}", broker.value()));
  subjects_.emplace(broker, subject);
  return subject;
}

void BrokerTap::OnRequest(const RequestView& request) {
  trace_.Note(TraceKind::kRequest, SubjectOf(request.broker), static_cast<std::uint64_t>(request.api),
              static_cast<std::uint32_t>(request.correlation_id));
}

void BrokerTap::OnResponse(const RequestView& request, std::int64_t, bool) {
  trace_.Note(TraceKind::kResponse, SubjectOf(request.broker), static_cast<std::uint64_t>(request.api),
              static_cast<std::uint32_t>(request.correlation_id));
}

void BrokerTap::OnNoResponse(const RequestView& request, std::string_view why) {
  trace_.NoteText(TraceKind::kText, SubjectOf(request.broker), static_cast<std::uint32_t>(request.correlation_id), why);
}

void BrokerTap::OnAppended(const RequestView& request, std::string_view topic, PartitionIndex partition,
                           Offset base_offset, std::span<const RecordIdentity> identities) {
  trace_.NoteText(TraceKind::kAppend, SubjectOf(request.broker), static_cast<std::uint64_t>(base_offset.value()),
                  fmt::format("{}-{}: {} records", topic, partition.value(), identities.size()));
}

void BrokerTap::OnMalformed(NodeId broker, ConnectionId, std::string_view text) {
  violations_.push_back(
      {"invariant", clock_.Now(), fmt::format("broker {} cannot read what it got: {}", broker.value(), text)});
}

void BrokerTap::OnNotServed(NodeId broker, ConnectionId, std::string_view text) {
  std::string warning = fmt::format("broker {}: {}", broker.value(), text);
  if (std::find(warnings_.begin(), warnings_.end(), warning) == warnings_.end())
    warnings_.push_back(std::move(warning));
}

void BrokerTap::OnClusterChange(std::string_view text) {
  trace_.NoteText(TraceKind::kCluster, Subject::kNone, 0, text);
}

}  // namespace ktrial::sim
