#include "scenarios/ktrial/delivery_log.h"

#include <cstdio>

#include "core/wire/error_code.h"
#include "core/wire/status.h"

namespace ktrial::scenario {

RecordCallback DeliveryLog::ForLine(std::uint64_t line) {
  const std::lock_guard lock(mutex_);
  Slot* slot = nullptr;
  if (free_.empty()) {
    slot = &slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  *slot = {this, line};
  ++counts_.sent;
  return {&OnDone, slot};
}

void DeliveryLog::OnDone(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  Slot& slot = *static_cast<Slot*>(context);
  slot.log->Done(slot, metadata, status);
}

void DeliveryLog::Done(Slot& slot, const RecordMetadata& metadata, const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t line = slot.line;
  free_.push_back(&slot);
  if (status.ok()) {
    ++counts_.acknowledged;
    return;
  }
  ++counts_.failed;
  last_failure_ = status;
  if (counts_.failed > kShown) return;
  std::fprintf(stderr, "line %llu to %.*s: %s\n", static_cast<unsigned long long>(line),
               static_cast<int>(metadata.topic.size()), metadata.topic.data(), DescribeFailure(status).c_str());
  if (counts_.failed == kShown) std::fprintf(stderr, "further failures are only counted\n");
}

DeliveryLog::Counts DeliveryLog::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

absl::Status DeliveryLog::last_failure() const {
  const std::lock_guard lock(mutex_);
  return last_failure_;
}

std::string DescribeFailure(const absl::Status& status) {
  const std::string text(status.message());
  if (!wire::HasKafkaCode(status)) return text;
  const std::string name(wire::ErrorCodeName(wire::KafkaCode(status)));
  return text.starts_with(name) ? text : name + ": " + text;
}

}  // namespace ktrial::scenario
