// RecordSender gives records to one producer and notes in the History what it did and what it was told. It is one
// stream: one thread sends with it. No record costs an allocation.
#ifndef SIM_WORKLOAD_RECORD_SENDER_H_
#define SIM_WORKLOAD_RECORD_SENDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "core/env/sync.h"
#include "core/types.h"
#include "sim/workload/app_world.h"
#include "sim/workload/workload_spec.h"

namespace ktrial::sim {

class RecordSender {
 public:
  struct Options {
    std::string workload;             // As in RecordStream::Info.
    CallbackAction on_callback;       // What the callback of each accepted record does besides being noted.
    RecordSender* echo = nullptr;     // For CallbackAction::kSend: the stream that callbacks send with.
    bool counts_outstanding = false;  // For AwaitOutstandingBelow; costs a lock a record.
  };
  // All arguments outlive the sender, and it outlives the callbacks of its records.
  RecordSender(AppWorld& world, ClientProducer& client, const Options& options);
  RecordSender(const RecordSender&) = delete;
  RecordSender& operator=(const RecordSender&) = delete;

  struct Outgoing {
    std::string_view topic;
    PartitionIndex partition = kUnknownPartition;
    std::optional<std::string_view> key;
    std::int32_t value_bytes = 100;  // >= SizeRange::kSmallest
    std::string_view value_tail;     // Stands behind the identity, in place of filler; value_bytes counts it.
    Instant scheduled;
  };
  enum class Outcome : std::uint8_t { kAccepted, kRefused, kClosed };
  // kClosed: the producer takes nothing more.
  Outcome Send(const Outgoing& record);

  // What the last Send was refused with, as in History; 0 if it was accepted.
  std::int16_t refusal() const { return refusal_; }
  // Waits until fewer than `limit` are outstanding, or until the deadline: false.
  bool AwaitOutstandingBelow(std::int64_t limit, Instant deadline);

 private:
  static void OnComplete(void* context, const RecordMetadata& metadata, const absl::Status& status);
  void Complete(RecordEntry& entry, const RecordMetadata& metadata, const absl::Status& status);
  // After a Send that was refused.
  bool TakesNothingMore() const;
  // Within its Send, on the thread that called that.
  bool IsBeingSentHere(const RecordEntry& entry) const;
  void Act(const RecordEntry& entry, const RecordMetadata& metadata);
  void Block(Duration length);
  std::uint16_t TopicNumber(std::string_view topic);

  AppWorld& world_;
  ClientProducer& client_;
  const Options options_;
  RecordStream& stream_;
  const Subject subject_;
  // Of the thread that sends.
  std::vector<char> value_;
  std::string last_topic_;
  std::uint16_t last_topic_number_ = 0;
  ThreadId sending_thread_;
  RecordEntry* sending_ = nullptr;  // The record whose Send has not returned yet.
  std::int16_t refusal_ = 0;
  // For AwaitOutstandingBelow.
  Mutex mutex_;
  CondVar fewer_;
  std::int64_t outstanding_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_RECORD_SENDER_H_
