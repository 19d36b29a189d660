#include "core/producer/init_producer_id_call.h"

#include <chrono>

#include "core/check.h"
#include "core/wire/codec.h"

namespace ktrial {

wire::VersionRange InitProducerIdCall::versions() const {
  const auto range = wire::ClientVersionRange(wire::ApiKey::kInitProducerId);
  KT_CHECK(range.has_value());
  return *range;
}

void InitProducerIdCall::Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
                                wire::GatherBytes& frame) {
  wire::EncodeRequestFrame(request_, version, correlation_id, client_id, frame);
}

absl::StatusOr<Duration> InitProducerIdCall::ParseResponse(std::int16_t version, std::string_view body) {
  const absl::StatusOr<wire::InitProducerIdResponse> answer = wire::Decode<wire::InitProducerIdResponse>(body, version);
  if (!answer.ok()) return answer.status();
  if (answer->error == wire::ErrorCode::kNone && (answer->producer_id < 0 || answer->producer_epoch < 0)) {
    return absl::DataLossError("init producer id response: an id or an epoch that is negative");
  }
  answer_ = *answer;
  return std::chrono::milliseconds(answer_.throttle_time_ms);
}

}  // namespace ktrial
