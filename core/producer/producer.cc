#include "core/producer/producer.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/producer/config_check.h"
#include "core/producer/interceptor_chain.h"
#include "core/producer/log.h"
#include "core/producer/producer_impl.h"
#include "core/tls/tls_context.h"
#include "core/tls/tls_transport.h"

namespace ktrial {

namespace {

// A callback that is any function object travels as a pointer to a copy of it on the heap.
void RunAndDelete(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  const std::unique_ptr<Producer::Callback> callback(static_cast<Producer::Callback*>(context));
  (*callback)(metadata, status);
}

// PR-17: who was given is closed, also when nothing comes of it. What that says is in the log.
absl::Status Refused(ProducerConfig config, absl::Status wrong) {
  std::erase(config.interceptors, nullptr);
  const Logger log(config.log, config.log_level, config.client_id);
  InterceptorChain(std::move(config.interceptors), {}, log).Close().IgnoreError();
  return wrong;
}

absl::StatusOr<std::unique_ptr<Transport>> NewTransport(const ProducerConfig& config, Env& env) {
  std::unique_ptr<Transport> transport = env.NewTransport(config.client_id);
  if (!UsesTls(config.security_protocol)) return transport;
  absl::StatusOr<std::unique_ptr<TlsContext>> context =
      TlsContext::Create(TlsSide::kClient, config.tls, env, config.client_id);
  if (!context.ok()) return context.status();
  return NewTlsTransport(std::move(transport), {.client = *std::move(context), .server = nullptr}, env.clock());
}

}  // namespace

absl::StatusOr<std::unique_ptr<Producer>> Producer::Create(ProducerConfig config, Env& env, ProducerObserver* observer,
                                                           BatchCallback on_batch) {
  if (absl::Status wrong = CheckConfig(config); !wrong.ok()) return Refused(std::move(config), std::move(wrong));
  if (config.client_id.empty() && !config.transactional_id.empty()) {
    config.client_id = fmt::format("producer-{}", config.transactional_id);
  }
  if (config.client_id.empty()) config.client_id = fmt::format("producer-{}", env.NextProducerNumber());
  absl::StatusOr<std::unique_ptr<Transport>> transport = NewTransport(config, env);
  if (!transport.ok()) return Refused(std::move(config), transport.status());
  return std::unique_ptr<Producer>(new Producer(std::make_unique<Impl>(
      std::move(config), env, *std::move(transport), observer == nullptr ? NoObserver() : *observer, on_batch)));
}

Producer::Producer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Producer::~Producer() = default;

Future Producer::Send(const Record& record, RecordCallback callback) { return impl_->Send(record, callback); }

Future Producer::Send(const Record& record, Callback callback) {
  if (callback == nullptr) return impl_->Send(record, RecordCallback());
  auto kept = std::make_unique<Callback>(std::move(callback));
  return impl_->Send(record, {.function = &RunAndDelete, .context = kept.release()});
}

absl::Status Producer::Flush(Duration timeout) { return impl_->Flush(timeout); }

absl::StatusOr<std::vector<PartitionInfo>> Producer::PartitionsFor(std::string_view topic) {
  return impl_->PartitionsFor(topic);
}

absl::Status Producer::InitTransactions() { return impl_->Transact(TransactionCalls::Kind::kInit); }

absl::Status Producer::BeginTransaction() { return impl_->BeginTransaction(); }

absl::Status Producer::CommitTransaction() { return impl_->Transact(TransactionCalls::Kind::kCommit); }

absl::Status Producer::AbortTransaction() { return impl_->Transact(TransactionCalls::Kind::kAbort); }

absl::Status Producer::SendOffsetsToTransaction(std::vector<OffsetToCommit> offsets, ConsumerGroupMetadata group) {
  return impl_->SendOffsets(std::move(offsets), std::move(group));
}

TransactionState Producer::transaction_state() const { return impl_->transaction_state(); }

bool Producer::MayBeCommitted() const { return impl_->MayBeCommitted(); }

MetricsSnapshot Producer::Metrics() const { return impl_->Metrics(); }

absl::Status Producer::Close(Duration timeout) { return impl_->Close(timeout); }

const std::string& Producer::client_id() const { return impl_->config().client_id; }

const ProducerConfig& Producer::config() const { return impl_->config(); }

}  // namespace ktrial
