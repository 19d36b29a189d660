#include "core/producer/interceptor_chain.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

namespace ktrial {

template <typename Call>
bool InterceptorChain::Guard(std::size_t index, std::string_view method, Call&& call, std::string* thrown) const {
  std::string what;
  try {
    call();
    return true;
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "something that is no exception";
  }
  const std::string text = fmt::format("interceptor {} threw in {}: {}", index + 1, method, what);
  log_.Write(LogLevel::kWarning, text);
  if (thrown != nullptr) *thrown = text;
  return false;
}

void InterceptorChain::OnSend(InterceptedRecord& intercepted) const {
  for (std::size_t i = 0; i < interceptors_.size(); ++i) {
    const Record last_good = intercepted.record;
    if (!Guard(i, "OnSend", [&] { interceptors_[i]->OnSend(intercepted); })) intercepted.record = last_good;
  }
}

void InterceptorChain::OnAcknowledgement(const RecordMetadata& metadata, const absl::Status& status) const {
  for (std::size_t i = 0; i < interceptors_.size(); ++i) {
    Guard(i, "OnAcknowledgement", [&] { interceptors_[i]->OnAcknowledgement(metadata, status); });
  }
}

RecordCallback InterceptorChain::Wrap(RecordCallback callback) const {
  return {.function = &Run, .context = new Wrapped{this, callback}};
}

void InterceptorChain::Run(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  const std::unique_ptr<Wrapped> wrapped(static_cast<Wrapped*>(context));
  wrapped->chain->OnAcknowledgement(metadata, status);
  const RecordCallback callback = wrapped->callback;
  if (callback.function != nullptr) callback.function(callback.context, metadata, status);
}

void InterceptorChain::Refused(RecordCallback wrapped, const RecordMetadata& metadata,
                               const absl::Status& status) const {
  const std::unique_ptr<Wrapped> owned(static_cast<Wrapped*>(wrapped.context));
  const RecordCallback callback = owned->callback;
  try {
    if (callback.function != nullptr) callback.function(callback.context, metadata, status);
  } catch (...) {
    OnAcknowledgement(metadata, status);
    throw;
  }
  OnAcknowledgement(metadata, status);
}

BatchCallback InterceptorChain::on_batch() {
  if (empty() || on_batch_.function == nullptr) return on_batch_;
  return {.function = &RunBatch, .context = this};
}

void InterceptorChain::RunBatch(void* context, const BatchReport& report) {
  const BatchCallback& callback = static_cast<InterceptorChain*>(context)->on_batch_;
  std::vector<RecordSlot> records(report.records.begin(), report.records.end());
  for (RecordSlot& record : records) record.callback = static_cast<const Wrapped*>(record.callback.context)->callback;
  BatchReport unwrapped = report;
  unwrapped.records = records;
  callback.function(callback.context, unwrapped);
}

absl::Status InterceptorChain::Close() {
  absl::Status first;
  for (std::size_t i = 0; i < interceptors_.size(); ++i) {
    absl::Status closed;
    std::string thrown;
    if (!Guard(i, "Close", [&] { closed = interceptors_[i]->Close(); }, &thrown)) {
      closed = absl::InternalError(thrown);
    } else if (!closed.ok()) {
      closed =
          absl::InternalError(fmt::format("interceptor {} did not close: {}", i + 1, std::string(closed.message())));
      log_.Write(LogLevel::kWarning, std::string(closed.message()));
    }
    if (first.ok()) first = closed;
  }
  return first;
}

}  // namespace ktrial
