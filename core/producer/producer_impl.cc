#include "core/producer/producer_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "core/producer/idempotent_identity.h"
#include "core/producer/transaction_manager.h"
#include "core/wire/limits.h"

namespace ktrial {

namespace {

int CompressionLevelOf(const ProducerConfig& config) {
  switch (config.compression_type) {
    case Codec::kGzip:
      return config.compression_gzip_level;
    case Codec::kLz4:
      return config.compression_lz4_level;
    case Codec::kZstd:
      return config.compression_zstd_level;
    case Codec::kNone:
    case Codec::kSnappy:
      break;
  }
  return 0;
}

AccumulatorConfig AccumulatorConfigOf(const ProducerConfig& config, BatchCallback on_batch) {
  return {.batch_size = config.batch_size,
          .buffer_memory = config.buffer_memory,
          .incremental_allocation = config.incremental_allocation,
          .linger = config.linger,
          .delivery_timeout = config.delivery_timeout,
          .retry_backoff = config.retry_backoff,
          .retry_backoff_max = config.retry_backoff_max,
          // PT-12: who chooses himself is not second-guessed.
          .adaptive_partitioning = config.partitioner_adaptive && config.partitioner == nullptr,
          .rack = config.partitioner_rack_aware ? config.client_rack : "",
          .partition_availability_timeout = config.partitioner_availability_timeout,
          .codec = config.compression_type,
          .compression_level = CompressionLevelOf(config),
          .idempotent = config.enable_idempotence,
          .transactional = !config.transactional_id.empty(),
          .max_in_flight_per_partition = config.max_in_flight_requests_per_connection,
          .on_batch = on_batch};
}

std::vector<BootstrapAddress> BootstrapOf(const ProducerConfig& config) {
  std::vector<BootstrapAddress> addresses;
  for (const BootstrapServer& server : config.bootstrap_servers) {
    addresses.push_back({.host = server.host, .port = server.port});
  }
  return addresses;
}

MetadataConfig MetadataConfigOf(const ProducerConfig& config) {
  return {.bootstrap = BootstrapOf(config),
          .retry_backoff = config.retry_backoff,
          .retry_backoff_max = config.retry_backoff_max,
          .max_age = config.metadata_max_age,
          .max_idle = config.metadata_max_idle};
}

NetworkClientConfig NetworkClientConfigOf(const ProducerConfig& config) {
  NetworkClientConfig network{
      .client_id = config.client_id,
      .max_in_flight = config.max_in_flight_requests_per_connection,
      .request_timeout = config.request_timeout,
      .reconnect_backoff = config.reconnect_backoff,
      .reconnect_backoff_max = config.reconnect_backoff_max,
      .connection_setup_timeout = config.connection_setup_timeout,
      .connection_setup_timeout_max = config.connection_setup_timeout_max,
      .connections_max_idle = config.connections_max_idle,
      .socket_buffers = {.send_bytes = config.send_buffer_bytes, .receive_bytes = config.receive_buffer_bytes},
      .rebootstrap = config.metadata_recovery == MetadataRecovery::kRebootstrap,
      .rebootstrap_trigger = config.metadata_rebootstrap_trigger,
      .discover_versions = config.api_version_request,
      .check_cluster = config.metadata_cluster_check,
      .handshake = UsesTls(config.security_protocol)};
  if (UsesSasl(config.security_protocol)) network.sasl = config.sasl;
  if (config.connections_max_idle < Duration::zero()) network.connections_max_idle = std::nullopt;
  if (config.bootstrap_resolve_timeout > Duration::zero()) {
    network.bootstrap_resolve_timeout = config.bootstrap_resolve_timeout;
  }
  if (config.client_dns_lookup == DnsLookup::kCanonicalBootstrap) network.canonical_bootstrap = BootstrapOf(config);
  return network;
}

SenderConfig SenderConfigOf(const ProducerConfig& config) {
  return {.acks = static_cast<std::int16_t>(config.acks),
          .request_timeout = config.request_timeout,
          .delivery_timeout = config.delivery_timeout,
          .retries = config.retries,
          .max_request_size = config.max_request_size,
          .codec = config.compression_type,
          .compression_level = CompressionLevelOf(config),
          .strict_order = config.max_in_flight_requests_per_connection == 1};
}

MetricsRecorder::TransactionCall TimedAs(TransactionCalls::Kind kind) {
  switch (kind) {
    case TransactionCalls::Kind::kInit:
      return MetricsRecorder::TransactionCall::kInit;
    case TransactionCalls::Kind::kSendOffsets:
      return MetricsRecorder::TransactionCall::kSendOffsets;
    case TransactionCalls::Kind::kCommit:
      return MetricsRecorder::TransactionCall::kCommit;
    case TransactionCalls::Kind::kAbort:
      return MetricsRecorder::TransactionCall::kAbort;
  }
  CheckFailed("known call", __FILE__, __LINE__);
}

std::unique_ptr<ProducerIdentity> MakeIdentity(const ProducerConfig& config, NetworkClient& client,
                                               RecordAccumulator& accumulator, Entropy& entropy,
                                               TransactionCalls* calls, ProducerObserver& observer, const Logger& log) {
  if (!config.enable_idempotence) return nullptr;
  if (calls == nullptr) {
    return std::make_unique<IdempotentIdentity>(
        ExponentialBackoff(config.retry_backoff, config.retry_backoff_max),
        IdempotentIdentity::Parts{
            .client = client, .accumulator = accumulator, .entropy = entropy, .observer = observer},
        log);
  }
  return std::make_unique<TransactionManager>(
      TransactionConfig{.transactional_id = config.transactional_id,
                        .timeout = config.transaction_timeout,
                        .retry_backoff = config.retry_backoff,
                        .retry_backoff_max = config.retry_backoff_max},
      TransactionManager::Parts{
          .client = client, .accumulator = accumulator, .entropy = entropy, .calls = *calls, .observer = observer},
      log);
}

}  // namespace

Producer::Impl::Impl(ProducerConfig config, Env& env, std::unique_ptr<Transport> transport, ProducerObserver& observer,
                     BatchCallback on_batch)
    : config_(std::move(config)),
      threads_(env.threads()),
      clock_(env.clock()),
      log_(config_.log, config_.log_level, config_.client_id),
      interceptors_(config_.interceptors, on_batch, log_),
      entropy_(env.NewEntropy(config_.client_id)),
      transport_(std::move(transport)),
      metrics_(threads_, {.count = config_.metrics_num_samples, .length = config_.metrics_sample_window},
               config_.client_id, clock_.WallNow()),
      events_(metrics_, log_, clock_, threads_, observer),
      metadata_(MetadataConfigOf(config_), threads_, *entropy_),
      accumulator_(
          AccumulatorConfigOf(config_, interceptors_.on_batch()), threads_, clock_, *entropy_,
          [this] { return metadata_.Fetch(); }, events_),
      client_(NetworkClientConfigOf(config_), metadata_, *transport_, clock_, *entropy_, events_),
      transaction_calls_(config_.transactional_id.empty() ? nullptr : std::make_unique<TransactionCalls>(threads_)),
      identity_(MakeIdentity(config_, client_, accumulator_, *entropy_, transaction_calls_.get(), events_, log_)),
      sender_(SenderConfigOf(config_),
              {.metadata = metadata_,
               .client = client_,
               .accumulator = accumulator_,
               .clock = clock_,
               .threads = threads_,
               .metrics = metrics_,
               .events = events_,
               .identity = identity_.get()},
              log_),
      topic_wait_(
          metadata_, events_, metrics_, clock_, threads_,
          {.on_sender_thread = [this] { return OnSenderThread(); }, .wake_sender = [this] { sender_.WakeUp(); }}),
      close_mutex_(threads_, Site("producer.close_mutex")),
      sender_ended_changed_(threads_) {
  // Batches do not linger while a thread waits for memory (AC-08), but the sender has to look to find that out: a batch that lingers
  // for a minute would otherwise keep its memory from that thread for as long.
  events_.set_on_memory_wait([this] { sender_.WakeUp(); });
  for (const std::string& warning : config_.warnings) log_.Write(LogLevel::kWarning, warning);
  sender_thread_ = threads_.Spawn(fmt::format("{} sender", config_.client_id), [this] {
    const bool complete = sender_.Run();
    absl::Status closed = interceptors_.Close();
    MutexLock lock(close_mutex_);
    interceptors_closed_ = std::move(closed);
    gave_up_ = !complete;
    sender_ended_ = true;
    sender_ended_changed_.NotifyAll();
  });
  sender_thread_id_ = sender_thread_->id();
}

Producer::Impl::~Impl() {
  KT_CHECK_MSG(!OnSenderThread(), "a producer must not be destroyed by one of its callbacks");
  // What was not closed in good order ends by force; what that was cannot interest anybody any more.
  Close(Duration::zero()).IgnoreError();
  KT_CHECK(sender_thread_->Join(Instant::Never()));
}

absl::Status Producer::Impl::Flush(Duration timeout) {
  if (OnSenderThread()) {
    return absl::FailedPreconditionError("a callback cannot flush: its own batch would never be done");
  }
  const Instant start = clock_.Now();
  RecordAccumulator::Flush flush = accumulator_.BeginFlush();
  sender_.WakeUp();
  const bool done = flush.Await(start + timeout);
  metrics_.Flushed(clock_.Now() - start);
  return done ? absl::OkStatus() : absl::DeadlineExceededError("not every record is completed yet");
}

absl::StatusOr<std::vector<PartitionInfo>> Producer::Impl::PartitionsFor(std::string_view topic) {
  if (absl::Status wrong = CheckTopic(topic); !wrong.ok()) return wrong;
  if (topic_wait_.closing()) return absl::FailedPreconditionError("the producer is closed");
  Duration max_block = config_.max_block;
  const absl::StatusOr<std::shared_ptr<const Cluster>> cluster =
      topic_wait_.ClusterWith(topic, kUnknownPartition, max_block);
  if (!cluster.ok()) return cluster.status();
  metadata_.Add(topic, clock_.Now());  // PR-19: counts as a use.
  return (*cluster)->FindTopic(topic)->partitions;
}

absl::Status Producer::Impl::CheckTransactional() const {
  if (transaction_calls_ == nullptr) return absl::FailedPreconditionError("transactions need a transactional.id");
  return topic_wait_.closing() ? absl::FailedPreconditionError("the producer is closed") : metadata_.failure();
}

absl::Status Producer::Impl::BeginTransaction() {
  if (absl::Status status = CheckTransactional(); !status.ok()) return status;
  const Instant start = clock_.Now();
  absl::Status begun = transaction_calls_->Begin();
  // What came too late for the transaction before has woken the sender in vain, and whoever joins its batch wakes nobody.
  if (begun.ok() && accumulator_.HasIncomplete()) sender_.WakeUp();
  metrics_.TransactionCalled(MetricsRecorder::TransactionCall::kBegin, clock_.Now() - start);
  return begun;
}

absl::Status Producer::Impl::Transact(TransactionCalls::Kind kind, OffsetsOfGroup offsets) {
  if (absl::Status status = CheckTransactional(); !status.ok()) return status;
  if (OnSenderThread()) {
    return absl::FailedPreconditionError("a callback cannot wait for brokers: it would keep its own answer away");
  }
  const absl::StatusOr<TransactionCalls::CallRef> call = transaction_calls_->Start(kind, std::move(offsets));
  if (!call.ok()) return call.status();
  sender_.WakeUp();
  const Instant start = clock_.Now();
  absl::Status status = transaction_calls_->Await(*call, start + config_.max_block);
  metrics_.TransactionCalled(TimedAs(kind), clock_.Now() - start);
  // What the call waited for will never come.
  if (!status.ok() && !metadata_.failure().ok()) return metadata_.failure();
  return status;
}

absl::Status Producer::Impl::SendOffsets(std::vector<OffsetToCommit> offsets, ConsumerGroupMetadata group) {
  if (group.group_id.empty()) return absl::InvalidArgumentError("SendOffsetsToTransaction needs the name of a group");
  const std::size_t longest = std::max({group.group_id.size(), group.member_id.size(),
                                        group.group_instance_id ? group.group_instance_id->size() : std::size_t{0}});
  if (longest > wire::kStringBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("a group's name and members' names have at most {} bytes, not {}", wire::kStringBytesMax, longest));
  }
  for (const OffsetToCommit& one : offsets) {
    if (absl::Status wrong = CheckTopic(one.topic); !wrong.ok()) return wrong;
    if (one.metadata.size() > wire::kStringBytesMax) {
      return absl::InvalidArgumentError(fmt::format("the metadata of an offset have at most {} bytes, not {}",
                                                    wire::kStringBytesMax, one.metadata.size()));
    }
    if (one.partition.value() < 0 || one.offset.value() < 0) {
      return absl::InvalidArgumentError(
          fmt::format("{}-{} at {}: neither an offset to commit nor its partition may be negative", one.topic,
                      one.partition.value(), one.offset.value()));
    }
  }
  if (offsets.empty()) return CheckTransactional();
  std::ranges::sort(offsets, [](const OffsetToCommit& left, const OffsetToCommit& right) {
    return std::tie(left.topic, left.partition) < std::tie(right.topic, right.partition);
  });
  return Transact(TransactionCalls::Kind::kSendOffsets, {.offsets = std::move(offsets), .group = std::move(group)});
}

bool Producer::Impl::MayBeCommitted() const {
  return transaction_calls_ != nullptr && transaction_calls_->MayBeCommitted();
}

TransactionState Producer::Impl::transaction_state() const {
  return transaction_calls_ == nullptr ? TransactionState::kUninitialized : transaction_calls_->state();
}

MetricsSnapshot Producer::Impl::Metrics() {
  const Instant now = clock_.Now();
  const BufferPoolStats pool = accumulator_.buffer_pool_stats();
  metrics_.BufferPoolSeen(pool.wait_time, pool.exhausted, now);
  const std::optional<Instant> refreshed = metadata_.last_successful_refresh();
  return metrics_.Snapshot({.requests_in_flight = sender_.requests_in_flight(),
                            .metadata_age_seconds = refreshed ? static_cast<double>((now - *refreshed).count()) / 1e9
                                                              : std::numeric_limits<double>::quiet_NaN(),
                            .buffer_total_bytes = pool.total_bytes,
                            .buffer_available_bytes = pool.available_bytes,
                            .waiting_threads = pool.waiters},
                           now);
}

absl::Status Producer::Impl::Close(Duration timeout) {
  if (timeout < Duration::zero()) return absl::InvalidArgumentError("Close needs a timeout that is not negative");
  // In this order: who finds the sender closing must not be able to append any more, or his record might be left behind (SN-34).
  topic_wait_.StartClose();
  accumulator_.Close();
  if (OnSenderThread()) {
    sender_.ForceClose();
    return absl::OkStatus();
  }
  sender_.StartClose();
  return AwaitSenderEnd(timeout);
}

absl::Status Producer::Impl::AwaitSenderEnd(Duration timeout) {
  const Instant deadline = clock_.Now() + timeout;
  MutexLock lock(close_mutex_);
  const auto ended = [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return sender_ended_; };
  if (!sender_ended_changed_.Wait(close_mutex_, deadline, ended, Site("producer.close"))) {
    sender_.ForceClose();
    // From here on the sender thread waits for nothing; only a callback of the application can hold it up.
    sender_ended_changed_.Wait(close_mutex_, Instant::Never(), ended, Site("producer.close_forced"));
  }
  if (gave_up_) return absl::DeadlineExceededError("records that were not acknowledged were given up");
  return interceptors_closed_;
}

}  // namespace ktrial
