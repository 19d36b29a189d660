// InterceptorChain calls a producer's interceptors, in order and whatever they throw, and puts itself between a record
// and its callback.
#ifndef CORE_PRODUCER_INTERCEPTOR_CHAIN_H_
#define CORE_PRODUCER_INTERCEPTOR_CHAIN_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/accumulator/record_callback.h"
#include "core/producer/interceptor.h"
#include "core/producer/log.h"

namespace ktrial {

// Thread safety: const methods from any thread, several at once; Close once, after them. Stays where it is: callbacks
// point to it.
class InterceptorChain {
 public:
  InterceptorChain(std::vector<std::shared_ptr<ProducerInterceptor>> interceptors, BatchCallback on_batch, Logger log)
      : interceptors_(std::move(interceptors)), on_batch_(on_batch), log_(std::move(log)) {}
  InterceptorChain(const InterceptorChain&) = delete;
  InterceptorChain& operator=(const InterceptorChain&) = delete;

  bool empty() const { return interceptors_.empty(); }

  void OnSend(InterceptedRecord& intercepted) const;

  // A callback that tells the interceptors first and then calls `callback` (PR-13). It must be called exactly once, or
  // be given to Refused.
  RecordCallback Wrap(RecordCallback callback) const;
  // The end of a record that Send refuses: the callback that was wrapped comes first. What it throws goes on to the
  // caller (PR-06).
  void Refused(RecordCallback wrapped, const RecordMetadata& metadata, const absl::Status& status) const;

  // What reports batches to the callback that was given: with the contexts that senders gave, not with those of Wrap.
  BatchCallback on_batch();

  // Closes all of them. The first error, or what was thrown first, as INTERNAL (PR-17).
  absl::Status Close();

 private:
  struct Wrapped {
    const InterceptorChain* chain = nullptr;
    RecordCallback callback;
  };
  static void Run(void* context, const RecordMetadata& metadata, const absl::Status& status);
  static void RunBatch(void* context, const BatchReport& report);
  void OnAcknowledgement(const RecordMetadata& metadata, const absl::Status& status) const;
  // Calls `call`; what it throws is logged, and returned as text if there is a place for it.
  template <typename Call>
  bool Guard(std::size_t index, std::string_view method, Call&& call, std::string* thrown = nullptr) const;

  const std::vector<std::shared_ptr<ProducerInterceptor>> interceptors_;
  const BatchCallback on_batch_;
  const Logger log_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_INTERCEPTOR_CHAIN_H_
