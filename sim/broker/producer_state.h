// ProducerState is what a partition remembers of the idempotent producers that wrote to it: for each producer id the
// epoch, the last five batches of that epoch with their offsets, and where an open transaction began. A leader judges by
// it whether a batch continues where the one before ended, came before, or left a hole.
//
// It is a function of the log: whoever has the same batches knows the same of their producers. So a follower that takes
// over with a shorter log has forgotten what it had not copied, and a batch that is sent again to it is new.
//
// What is simplified against real brokers stands in FIDELITY.md. Not thread-safe; the cluster's thread uses it.
#ifndef SIM_BROKER_PRODUCER_STATE_H_
#define SIM_BROKER_PRODUCER_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"
#include "core/wire/error_code.h"
#include "sim/broker/api_versions_table.h"
#include "sim/broker/partition_log.h"

namespace ktrial::sim {

class ProducerState {
 public:
  // A batch that stands in the log.
  struct Remembered {
    Sequence first;
    Sequence last;
    Offset base_offset;
    Offset last_offset;
    std::int64_t timestamp_ms = 0;  // the latest of its records
  };
  struct Producer {
    ProducerEpoch epoch = kNoProducerEpoch;
    std::vector<Remembered> batches;    // oldest first, of this epoch. None: a marker has raised it
    std::optional<Offset> transaction;  // where its open transaction began
    Instant last_append;
  };
  struct Verdict {
    // kNone: append it, unless it is a duplicate. Else INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER,
    // UNKNOWN_PRODUCER_ID, or INVALID_TXN_STATE for a batch outside of a transaction while one is open.
    wire::ErrorCode code = wire::ErrorCode::kNone;
    // The batch that was this very one: it is answered as it was then, and nothing is appended.
    std::optional<Remembered> duplicate;
  };

  // What a leader that knows `rules` says to a batch with a producer id, before it appends it. Changes nothing.
  Verdict Judge(const LogBatch& batch, ProducerRules rules) const;
  // The batch, if it has a producer id, was appended where it says. A marker ends the transaction of its producer.
  void Note(const LogBatch& batch);
  // The log was cut off: forgets all and learns it again from what is left.
  void Rebuild(const PartitionLog& log);
  // Forgets the producer if its last append is `age` or longer ago.
  void ForgetIfIdle(ProducerId id, Instant now, Duration age);
  // Forgets the producers all of whose remembered records lie before `start`.
  void ForgetBefore(Offset start);

  // Null if nothing is known of it.
  const Producer* Find(ProducerId id) const;
  std::size_t size() const { return producers_.size(); }

 private:
  std::map<ProducerId, Producer> producers_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_PRODUCER_STATE_H_
