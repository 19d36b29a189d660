#include "core/producer/init_producer_id_call.h"

namespace ktrial {

absl::Status InitProducerIdCall::Check(const wire::InitProducerIdResponse& response) const {
  if (response.error == wire::ErrorCode::kNone && (response.producer_id < 0 || response.producer_epoch < 0)) {
    return absl::DataLossError("init producer id response: an id or an epoch that is negative");
  }
  return absl::OkStatus();
}

}  // namespace ktrial
