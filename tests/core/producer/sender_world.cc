#include "tests/core/producer/sender_world.h"

#include <cstdio>

#include "core/check.h"
#include "core/wire/status.h"

namespace ktrial::testing {

int KeptLog::Count(std::string_view text) const {
  int count = 0;
  for (const std::string& line : lines) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

namespace {

AccumulatorConfig AccumulatorConfigOf(const SenderWorld::Options& options) {
  AccumulatorConfig config = options.accumulator;
  config.idempotent = options.idempotent || options.transactional;
  config.transactional = options.transactional;
  return config;
}

}  // namespace

SenderWorld::SenderWorld(Options options)
    : cluster(transport, clock, options.brokers),
      metrics(threads, {}, "test", clock.WallNow()),
      events(metrics, Logger(log, LogLevel::kDebug, "test"), clock, threads, NoObserver()),
      metadata(options.metadata, threads, entropy),
      accumulator(
          AccumulatorConfigOf(options), threads, clock, entropy, [this] { return metadata.Fetch(); }, events),
      client(options.network, metadata, transport, clock, entropy, events),
      identity(options.idempotent && !options.transactional
                   ? std::make_unique<IdempotentIdentity>(
                         ExponentialBackoff(options.accumulator.retry_backoff, options.accumulator.retry_backoff_max),
                         IdempotentIdentity::Parts{
                             .client = client, .accumulator = accumulator, .entropy = entropy, .observer = events},
                         Logger(log, LogLevel::kDebug, "test"))
                   : nullptr),
      transactions(options.transactional
                       ? std::make_unique<TransactionManager>(TransactionConfig{.transactional_id = "tid"},
                                                              TransactionManager::Parts{.client = client,
                                                                                        .accumulator = accumulator,
                                                                                        .entropy = entropy,
                                                                                        .calls = calls,
                                                                                        .observer = events},
                                                              Logger(log, LogLevel::kDebug, "test"))
                       : nullptr),
      sender(
          options.sender,
          {.metadata = metadata,
           .client = client,
           .accumulator = accumulator,
           .clock = clock,
           .threads = threads,
           .metrics = metrics,
           .events = events,
           .identity = transactions != nullptr ? static_cast<ProducerIdentity*>(transactions.get()) : identity.get()},
          Logger(log, LogLevel::kDebug, "test")) {
  if (options.transactional) cluster.coordinator.emplace(clock);
}

SenderWorld::~SenderWorld() {
  accumulator.Close();
  sender.ForceClose();
  sender.Run();
}

BatchResultRef SenderWorld::Append(std::string_view topic, std::int32_t partition, std::string_view value,
                                   const std::vector<wire::HeaderView>& headers) {
  contexts_.push_back(std::make_unique<Context>(Context{this, std::string(value)}));
  metadata.Add(topic, clock.Now());
  absl::StatusOr<AppendResult> appended = accumulator.Append(
      accumulator.Topic(topic), {.partition = PartitionIndex(partition),
                                 .timestamp = clock.WallNow(),
                                 .value = value,
                                 .headers = headers,
                                 .callback = {.function = &OnRecord, .context = contexts_.back().get()},
                                 .may_block = false});
  KT_CHECK(appended.ok());
  return std::move(appended->result);
}

void SenderWorld::OnRecord(void* context, const RecordMetadata& metadata, const absl::Status& status) {
  const Context& record = *static_cast<Context*>(context);
  SenderWorld& world = *record.world;
  world.told.push_back({.value = record.value,
                        .code = wire::KafkaCode(status),
                        .message = std::string(status.message()),
                        .offset = metadata.offset.value(),
                        .timestamp = metadata.timestamp,
                        .at = world.clock.Now()});
  if (world.on_told) world.on_told(Told(world.told.back()));
}

bool SenderWorld::RunUntil(const std::function<bool()>& condition, int turns_max) {
  for (int turn = 0; turn < turns_max; ++turn) {
    if (condition()) return true;
    sender.RunOnce();
  }
  return condition();
}

void SenderWorld::Turns(int count) {
  for (int turn = 0; turn < count; ++turn) sender.RunOnce();
}

const ReceivedProduce& SenderWorld::AwaitProduce(std::size_t count) {
  if (!RunUntil([&] { return cluster.produces.size() >= count; })) {
    for (const std::string& line : log->lines) std::fprintf(stderr, "%s\n", line.c_str());
    CheckFailed("a produce request came", __FILE__, __LINE__);
  }
  KT_CHECK(cluster.produces.size() == count);
  return cluster.produces.back();
}

TransactionCalls::CallRef SenderWorld::Call(TransactionCalls::Kind kind, OffsetsOfGroup offsets) {
  absl::StatusOr<TransactionCalls::CallRef> call = calls.Start(kind, std::move(offsets));
  KT_CHECK_MSG(call.ok(), std::string(call.status().message()));
  sender.WakeUp();
  return *call;
}

absl::Status SenderWorld::AwaitCall(const TransactionCalls::CallRef& call) {
  KT_CHECK(RunUntil([&] { return calls.IsDone(call); }, 2000));
  return calls.Await(call, Instant());
}

std::vector<wire::ErrorCode> SenderWorld::codes() const {
  std::vector<wire::ErrorCode> codes;
  for (const Told& record : told) codes.push_back(record.code);
  return codes;
}

std::vector<std::string> SenderWorld::told_values() const {
  std::vector<std::string> values;
  for (const Told& record : told) values.push_back(record.value);
  return values;
}

}  // namespace ktrial::testing
