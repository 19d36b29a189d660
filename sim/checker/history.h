// History is what the applications of a run did and what they were told: one compact entry for each record that was
// given to Send. Checkers and metrics read it after the run; together with the partition logs it is all they need.
//
// A record's identity is a number that its value carries in its first 8 bytes (sim/broker/record_identity.h): the
// stream in the high part, the index within the stream in the low part. A stream is one source of records: a workload
// of one producer, the sends of its callbacks, or one call. Within a stream, index order is the order in which Send was
// called, by one thread.
//
// Entries never move, and each can be found from its own address alone (blocks are aligned), so an entry is the whole
// context of a record's callback and no record costs an allocation. 40 bytes a record.
//
// Thread safety: none; one simulated world is one OS thread, and no function here is a scheduling point.
#ifndef SIM_CHECKER_HISTORY_H_
#define SIM_CHECKER_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/env/clock.h"
#include "core/types.h"
#include "sim/broker/group_offset.h"

namespace ktrial::sim {

enum class RecordState : std::uint8_t {
  kPending,  // Send was called; nothing final was said yet.
  kAcked,
  kFailed,   // Failed after it had been in a request at least once: it may be in the log, or not.
  kUnsent,   // Accepted by Send, failed before it was in any request: it must not be in any log.
  kRefused,  // Send itself failed: it must not be in any log.
};

struct RecordEntry {
  std::int64_t scheduled_nanos = 0;        // When it fell due; deliveries are counted from here.
  std::int64_t returned_nanos = 0;         // When Send returned; 0 before.
  std::int64_t completed_nanos = 0;        // When the first completion arrived; 0 before.
  std::uint32_t blocked_micros = 0;        // How long Send took; saturates.
  std::uint32_t offset = kNoOffset;        // As the completion says.
  std::uint16_t topic = 0;                 // Index into History::topics().
  std::uint16_t partition = kNoPartition;  // As the completion says.
  std::int16_t error = 0;                  // Of the completion: Kafka's code, or as in sim/metrics/metric_names.h.
  RecordState state = RecordState::kPending;
  std::uint8_t completions = 0;  // 1 when all is well; saturates.

  static constexpr std::uint32_t kNoOffset = UINT32_MAX;
  static constexpr std::uint16_t kNoPartition = UINT16_MAX;
};
static_assert(sizeof(RecordEntry) == 40);

using RecordId = std::uint64_t;

// How a transaction ended, as far as its producer was told.
enum class TransactionOutcome : std::uint8_t {
  kOpen,       // Never, as far as the application went, or without having been committed.
  kCommitted,  // CommitTransaction succeeded.
  kAborted,    // AbortTransaction succeeded.
  kUncertain,  // CommitTransaction was called, and its producer does not know whether it was committed.
};

struct TransactionEntry {
  struct Range {
    std::int64_t first = 0;
    std::int64_t end = INT64_MAX;
  };
  std::int32_t producer = 0;
  TransactionOutcome outcome = TransactionOutcome::kOpen;
  Instant begun;
  Instant ended;  // The last that was said of it.
  bool ending = false;
  std::vector<GroupOffset> offsets;  // That SendOffsetsToTransaction was given, and has not refused.
  std::vector<Range>
      records;  // By stream; those that are missing came later, and are in it from their first record on.
};

class History;
class RecordSender;  // sim/workload/record_sender.h

// One source of records. Read-only for everybody but History and the workload that fills it.
class RecordStream {
 public:
  struct Info {
    std::string workload;            // The thread's name, as in where = { workload = ... }.
    std::int32_t producer = 0;       // Index of the producer.
    RecordSender* sender = nullptr;  // Whoever filled it, for callbacks; null for who needs none.
  };
  const Info& info() const { return info_; }
  std::size_t index() const { return index_; }  // In History::streams().
  std::int64_t size() const { return size_; }
  const RecordEntry& at(std::int64_t index) const { return EntryAt(index); }
  RecordId id(std::int64_t index) const;

 private:
  friend class History;
  struct Block;
  struct FreeBlock {
    void operator()(Block* block) const;
  };
  RecordStream(std::size_t index, Info info);
  RecordEntry& EntryAt(std::int64_t index) const;
  RecordEntry& Add();

  const std::size_t index_;
  const Info info_;
  std::int64_t size_ = 0;
  std::vector<std::unique_ptr<Block, FreeBlock>> blocks_;
};

class History {
 public:
  History() = default;
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  RecordStream& OpenStream(RecordStream::Info info);
  const std::vector<std::unique_ptr<RecordStream>>& streams() const { return streams_; }
  // The index of a topic's name, given out on first use.
  std::uint16_t TopicIndex(std::string_view topic);
  const std::deque<std::string>& topics() const { return topics_; }
  std::optional<std::uint16_t> FindTopic(std::string_view topic) const;

  // --- The life of a record, in this order ---
  // Before Send is called. The pointer is the callback's context and stays valid as long as the History.
  RecordEntry* Call(RecordStream& stream, std::uint16_t topic, Instant scheduled);
  // When Send has returned, whatever it returned.
  void Return(RecordEntry& entry, Instant called, Instant now);
  // From the callback. Every call counts, also a second one, which the checker `completion` will report.
  struct Completion {
    RecordState state = RecordState::kAcked;
    std::int16_t error = 0;  // As in RecordEntry.
    PartitionIndex partition = kUnknownPartition;
    Offset offset = kUnknownOffset;
  };
  void Complete(RecordEntry& entry, Instant now, const Completion& completion);

  // From the entry's address alone.
  static RecordStream& StreamOf(const RecordEntry& entry);
  static RecordId IdOf(const RecordEntry& entry);
  // Null if no such record was ever sent.
  const RecordEntry* Find(RecordId id) const;
  // Where the record of an identity is: an index into streams() and one into the stream. The index is -1 if there is
  // none.
  struct Position {
    std::size_t stream = 0;
    std::int64_t index = -1;
  };
  Position Locate(RecordId id) const;

  // --- Transactions: those records of a producer belong to one that were sent between its begin and its end. A record whose Send
  // runs beside either of them, on another thread, is counted in none. ---
  // BeginTransaction has returned. Returns the number of the transaction.
  std::size_t TransactionBegun(std::int32_t producer, Instant now);
  // SendOffsetsToTransaction has returned, well or without a word of what became of them.
  void TransactionOffsets(std::size_t transaction, std::vector<GroupOffset> offsets);
  // Commit or abort is about to be called.
  void TransactionEnding(std::size_t transaction);
  void TransactionEnded(std::size_t transaction, TransactionOutcome outcome, Instant now);
  const std::vector<TransactionEntry>& transactions() const { return transactions_; }
  void ForEachRecord(const TransactionEntry& transaction,
                     absl::FunctionRef<void(const RecordStream& stream, std::int64_t index)> function) const;

  // Close of a producer has returned: its completions from now on are counted as late.
  void ProducerClosed(std::int32_t producer);
  std::int64_t completions_after_close() const { return completions_after_close_; }

  std::int64_t pending() const { return called_ - completed_; }
  std::int64_t called() const { return called_; }
  std::int64_t acked() const { return acked_; }

 private:
  std::vector<std::unique_ptr<RecordStream>> streams_;
  std::deque<std::string> topics_;  // Names do not move: records refer to them while they are being sent.
  std::map<std::string, std::uint16_t, std::less<>> topic_indices_;
  std::vector<TransactionEntry> transactions_;
  std::vector<bool> closed_;  // By producer index.
  std::int64_t called_ = 0;
  std::int64_t completed_ = 0;
  std::int64_t acked_ = 0;
  std::int64_t completions_after_close_ = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_CHECKER_HISTORY_H_
