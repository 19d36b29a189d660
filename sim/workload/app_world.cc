#include "sim/workload/app_world.h"

#include "core/check.h"
#include "core/wire/status.h"
#include "sim/kernel/unchecked_section.h"
#include "sim/metrics/metric_names.h"

namespace ktrial::sim {

std::int32_t AppWorld::PartitionsOf(std::string_view topic) const {
  const auto found = partitions.find(topic);
  KT_CHECK_MSG(found != partitions.end(), "a workload for a topic that the cluster does not have");
  return found->second;
}

void AppWorld::AddCall(CallOutcome outcome) {
  const UncheckedSection unchecked;
  calls.push_back(std::move(outcome));
}

absl::Status AppWorld::CloseProducer(ClientProducer& client, Duration timeout) {
  const absl::Status status = client.producer->Close(timeout);
  history.ProducerClosed(client.index);
  return status;
}

std::int16_t ErrorNumber(const absl::Status& status) {
  if (status.ok()) return 0;
  if (wire::HasKafkaCode(status)) return static_cast<std::int16_t>(wire::KafkaCode(status));
  return static_cast<std::int16_t>(kStatusErrorBase + static_cast<std::int16_t>(status.code()));
}

}  // namespace ktrial::sim
