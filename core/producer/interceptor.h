// ProducerInterceptor is code around every record of a producer: it may change what is sent, and sees what became of it
// (KIP-42).
//
//   class Stamp : public ProducerInterceptor {
//     void OnSend(InterceptedRecord& intercepted) override {
//       intercepted.record.value = intercepted.Keep(Stamped(intercepted.record.value));
//     }
//   };
//   config.interceptors = {std::make_shared<Stamp>()};
//
// Several form a chain in the order of ProducerConfig::interceptors: each gets the record as the one before has left it
// (PR-13). What one throws is logged and goes no further: after a failed OnSend the next one gets the record as it was
// before. With an interceptor each record costs an allocation; without, none of this costs anything.
//
// Thread safety: OnSend runs on the threads that send, OnAcknowledgement on the sender thread and, for a record that
// Send refuses, on the one that sends. Both may run several times at once. They may call the producer under the rules
// for its callbacks, but not from OnSend, where Send would come back to it for ever.
#ifndef CORE_PRODUCER_INTERCEPTOR_H_
#define CORE_PRODUCER_INTERCEPTOR_H_

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "core/accumulator/record_callback.h"
#include "core/producer/record.h"

namespace ktrial {

// A record on its way through the chain, and the memory of what the chain has put into it.
class InterceptedRecord {
 public:
  explicit InterceptedRecord(const Record& original) : record(original) {}
  InterceptedRecord(const InterceptedRecord&) = delete;
  InterceptedRecord& operator=(const InterceptedRecord&) = delete;

  // All of it may be changed. Its views must live until Send returns.
  Record record;

  // Takes over bytes until Send returns.
  std::string_view Keep(std::string bytes) { return kept_.emplace_back(std::move(bytes)); }

 private:
  std::deque<std::string> kept_;  // Does not move what it holds.
};

class ProducerInterceptor {
 public:
  virtual ~ProducerInterceptor() = default;

  // Before anything is looked at: what it leaves must be a record that Send takes.
  virtual void OnSend(InterceptedRecord& intercepted) = 0;

  // Once for each record, as for its callback: before that one on the sender thread, after it for a record that Send
  // refused. A failed record has topic and partition only, and a status with Kafka's code if there is one.
  virtual void OnAcknowledgement(const RecordMetadata& metadata, const absl::Status& status) = 0;

  // Once, when nothing is sent any more (PR-17): on the sender thread, or by Producer::Create if that fails. Must not
  // call the producer.
  virtual absl::Status Close() { return absl::OkStatus(); }
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_INTERCEPTOR_H_
