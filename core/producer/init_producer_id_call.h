// The request for a producer id (WP-12, SN-21). Thread safety: none; the sender thread.
#ifndef CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_
#define CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/env/clock.h"
#include "core/network/outgoing_request.h"
#include "core/wire/api_key.h"
#include "core/wire/messages.h"

namespace ktrial {

class InitProducerIdCall final : public OutgoingRequest {
 public:
  class Owner {
   public:
    // `answer` means something only if the outcome is kAnswered.
    virtual void OnProducerId(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome) = 0;

   protected:
    ~Owner() = default;
  };
  // The owner outlives the request.
  InitProducerIdCall(wire::InitProducerIdRequest request, Owner& owner) : request_(std::move(request)), owner_(owner) {}

  wire::ApiKey api() const override { return wire::ApiKey::kInitProducerId; }
  wire::VersionRange versions() const override;
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) override;
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) override;
  void OnComplete(const RequestOutcome& outcome) override { owner_.OnProducerId(answer_, outcome); }

 private:
  const wire::InitProducerIdRequest request_;
  Owner& owner_;
  wire::InitProducerIdResponse answer_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_INIT_PRODUCER_ID_CALL_H_
