// Errors of the protocol as absl::Status: Kafka's own code travels as the one payload of the Status (design: errors).
//
// The Status's own code is only a coarse class for readers of logs; whoever decides looks at KafkaCode().
#ifndef CORE_WIRE_STATUS_H_
#define CORE_WIRE_STATUS_H_

#include <string_view>

#include "absl/status/status.h"
#include "core/wire/error_code.h"

namespace ktrial::wire {

// A failed Status that carries `code`, which is not kNone. An empty message becomes DefaultMessage(code).
absl::Status KafkaError(ErrorCode code, std::string_view message = {});

// kNone for an OK status; kUnknownServerError for a failure without a Kafka code. HasKafkaCode tells the two apart.
ErrorCode KafkaCode(const absl::Status& status);
bool HasKafkaCode(const absl::Status& status);

}  // namespace ktrial::wire

#endif  // CORE_WIRE_STATUS_H_
