// What the producer does about the error code that a broker gave for a batch: one exhaustive switch, and the only place
// that decides (SN-04, SN-06, SN-10, SN-11, SN-12).
#ifndef CORE_PRODUCER_DISPOSITION_H_
#define CORE_PRODUCER_DISPOSITION_H_

#include <cstdint>

#include "core/wire/error_code.h"

namespace ktrial {

enum class Disposition : std::uint8_t {
  kDone,           // The records are in the log.
  kDoneElsewhere,  // They are in the log already, from an earlier try; where is not known (SN-11).
  kRetry,  // They may or may not be in the log, and the same request may succeed: send again, while there is time.
  kSplit,  // Too much at once: again in smaller batches, if there is more than one record (SN-10).
  kFail,   // Sending the same again would fail the same way: report it.
};

Disposition Classify(wire::ErrorCode code);

// Whether a batch that is given up with this error may be in the log all the same. The retriable ones include answers that
// never came, and what a broker says that does not know its own state is no proof.
bool MayHaveBeenAppended(wire::ErrorCode code);

// Whether a hint about the new leader may come with the code (SN-09).
bool CarriesLeaderHint(wire::ErrorCode code);

}  // namespace ktrial

#endif  // CORE_PRODUCER_DISPOSITION_H_
