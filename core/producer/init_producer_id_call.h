// The request for a producer id, or for the next epoch of one (WP-12, SN-21). Thread safety: none; the sender thread.
#ifndef CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_
#define CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_

#include "absl/status/status.h"
#include "core/network/message_call.h"
#include "core/wire/messages.h"

namespace ktrial {

class InitProducerIdCall final : public ReportedCall<wire::InitProducerIdRequest, wire::InitProducerIdResponse> {
 public:
  using ReportedCall::ReportedCall;

 private:
  absl::Status Check(const wire::InitProducerIdResponse& response) const override;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_
