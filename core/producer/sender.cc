#include "core/producer/sender.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/producer/disposition.h"
#include "core/producer/text.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using wire::ErrorCode;

// What a broker would have said, had it been able to.
ErrorCode CodeOfFailure(RequestOutcome::Kind kind, Codec codec) {
  switch (kind) {
    case RequestOutcome::Kind::kAnswered:
    case RequestOutcome::Kind::kWritten:
      return ErrorCode::kNone;
    case RequestOutcome::Kind::kDisconnected:
      return ErrorCode::kNetworkException;
    case RequestOutcome::Kind::kTimedOut:
      return ErrorCode::kRequestTimedOut;
    case RequestOutcome::Kind::kUnsupportedVersion:
      return codec == Codec::kZstd ? ErrorCode::kUnsupportedCompressionType : ErrorCode::kUnsupportedVersion;
  }
  CheckFailed("known outcome", __FILE__, __LINE__);
}

// SN-04, SN-12, SN-13.
BatchOutcome OutcomeOf(const wire::PartitionProduceResponse& answer) {
  BatchOutcome outcome;
  if (answer.error == ErrorCode::kNone) {
    outcome.base_offset = Offset(answer.base_offset);
    if (answer.log_append_time_ms >= 0) outcome.log_append_time = WallTime::FromMillis(answer.log_append_time_ms);
    return outcome;
  }
  const std::string message = answer.error_message.value_or(std::string());
  if (answer.record_errors.empty()) {
    outcome.status = wire::KafkaError(answer.error, message);
    return outcome;
  }
  outcome.status = wire::KafkaError(ErrorCode::kUnknownServerError,
                                    "the record was not appended, because other records of its batch are invalid");
  const ErrorCode code = answer.record_errors.size() == 1 ? answer.error : ErrorCode::kInvalidRecord;
  for (const wire::RecordError& error : answer.record_errors) {
    outcome.record_errors.push_back(
        {.index = error.batch_index, .status = wire::KafkaError(code, error.message.value_or(message))});
  }
  std::sort(outcome.record_errors.begin(), outcome.record_errors.end(),
            [](const RecordError& left, const RecordError& right) { return left.index < right.index; });
  return outcome;
}

}  // namespace

Sender::Sender(const SenderConfig& config, const Parts& parts, Logger log)
    : config_(config),
      metadata_(parts.metadata),
      client_(parts.client),
      accumulator_(parts.accumulator),
      clock_(parts.clock),
      metrics_(parts.metrics),
      events_(parts.events),
      identity_(parts.identity),
      log_(std::move(log)),
      attention_(parts.threads, Site("sender.attention"), Attention::kAwake),
      phase_(parts.threads, Site("sender.phase"), Phase::kRunning),
      requests_in_flight_(parts.threads, Site("sender.requests_in_flight"), 0),
      cluster_(metadata_.Fetch()),
      down_converter_(config.codec, config.compression_level) {}

bool Sender::Run() {
  while (phase_.Load() == Phase::kRunning) RunOnce();
  if (identity_ != nullptr) identity_->AcceptsNoMore();
  while (phase_.Load() != Phase::kForced && HasWork()) RunOnce();
  if (identity_ != nullptr && phase_.Load() != Phase::kForced && identity_->StartClose()) {
    while (phase_.Load() != Phase::kForced && HasWork()) RunOnce();
  }
  const bool complete = phase_.Load() != Phase::kForced || !HasWork();
  if (!complete) {
    accumulator_.AbortIncomplete(absl::CancelledError("the producer was closed before the record was acknowledged"));
    LogThrowingCallbacks();
  }
  if (identity_ != nullptr) identity_->Close();
  // What is still in flight here has expired, so nobody waits for it; or it was aborted above.
  client_.Close();
  metadata_.Close();
  return complete;
}

void Sender::RunOnce() {
  // From here on, whoever adds work and calls makes us look again; what was called for before, we are about to see.
  attention_.Store(Attention::kAwake);
  events_.OnLoopIteration();
  const Instant now = clock_.Now();
  Instant deadline = SendWhatIsReady(now);
  requests_in_flight_.StoreRelaxed(static_cast<std::int64_t>(client_.in_flight_count()));
  // If the last records have just expired, there is nothing to wait for. (Who starts the close later than this look wakes us.)
  if (phase_.LoadRelaxed() != Phase::kRunning && !HasWork()) deadline = now;
  if (deadline > now) {
    // Fails if somebody has called since the store above. If it succeeds, whoever comes later finds kSleeping and wakes the client,
    // whose wake-up is remembered until the wait that follows. So no call is lost.
    Attention expected = Attention::kAwake;
    if (!attention_.CompareExchange(expected, Attention::kSleeping)) deadline = now;
  }
  client_.Poll(now, deadline);
  LogThrowingCallbacks();
}

bool Sender::HasWork() {
  return accumulator_.HasUndrained() || accumulator_.HasIncomplete() || (identity_ != nullptr && identity_->IsBusy());
}

void Sender::WakeUp() {
  // Who finds the call of somebody else that was not answered yet needs none of its own: the sender looks at everything after it
  // has answered. The look spares a write that would take the cache line away from the sender once a record while queues are long.
  if (attention_.Load() == Attention::kCalled) return;
  if (attention_.Exchange(Attention::kCalled) == Attention::kSleeping) client_.WakeUp();
}

void Sender::StartClose() {
  Phase expected = Phase::kRunning;
  phase_.CompareExchange(expected, Phase::kClosing);
  WakeUp();
}

void Sender::ForceClose() {
  phase_.Store(Phase::kForced);
  WakeUp();
}

Instant Sender::SendWhatIsReady(Instant now) {
  metadata_.FetchIfNewer(cluster_);
  Instant look_again = Instant::Never();
  if (identity_ != nullptr) {
    look_again = identity_->Prepare(now, produces_in_flight_ > 0);
    // SN-23
    accumulator_.SetOneInFlight(client_.SomeNodeKnowsOneBatch(*cluster_));
  }
  const ReadyNodes ready = accumulator_.Ready(cluster_, now);
  AskForLeaders(ready, now);
  const std::vector<NodeId> nodes = KeepNodesThatCanSend(ready, now, look_again);
  std::vector<NodeBatches> drained = accumulator_.Drain(cluster_, nodes, config_.max_request_size, now);
  // Ready has not looked at what else a ready node has; a turn that took all of it needs no other one to find nothing.
  const bool left_some = drained.size() < nodes.size() ||
                         std::ranges::any_of(drained, [](const NodeBatches& node) { return node.left_some; });
  if (config_.strict_order) {
    for (const NodeBatches& node : drained) {
      for (const BatchRef& batch : node.batches) accumulator_.Mute(*batch);
    }
  }
  ExpiredBatches expired = accumulator_.Expire(now);
  FailExpired(expired, now);
  for (NodeBatches& node : drained) SendRequest(std::move(node), now);
  if (left_some) return now;
  return std::min({ready.next_ready, look_again, expired.next_expiry});
}

void Sender::AskForLeaders(const ReadyNodes& ready, Instant now) {
  if (ready.topics_without_leader.empty()) return;
  // Once more each turn, so that a topic with records that wait is never forgotten for idleness (MD-37).
  for (const std::string& topic : ready.topics_without_leader) metadata_.Add(topic, now);
  metadata_.RequestUpdate(RefreshReason::kUnknownLeader);
}

std::vector<NodeId> Sender::KeepNodesThatCanSend(const ReadyNodes& ready, Instant now, Instant& look_again) {
  std::vector<NodeId> nodes;
  for (const NodeId id : ready.nodes) {
    const Node* node = cluster_->FindNode(id);
    KT_CHECK(node != nullptr);  // The accumulator found it in the same snapshot.
    const bool can_send = client_.Ready(*node, now);
    accumulator_.UpdateNodeLatency(id, now, can_send);
    if (can_send) {
      nodes.push_back(id);
    } else {
      look_again = std::min(look_again, client_.LookAgainAt(id, now));
    }
  }
  return nodes;
}

void Sender::FailExpired(ExpiredBatches& expired, Instant now) {
  const auto fail = [&](const BatchRef& batch) {
    const std::string trouble = events_.Trouble();
    BatchOutcome outcome;
    outcome.status = wire::KafkaError(
        ErrorCode::kRequestTimedOut,
        fmt::format("{} records for {}-{} were not acknowledged within {} ms (delivery.timeout.ms){}{}",
                    batch->record_count(), batch->topic(), batch->partition().value(), Millis(now - batch->created()),
                    trouble.empty() ? "" : "; ", trouble));
    if (identity_ != nullptr) identity_->BatchExpires(outcome.status);
    accumulator_.Finish(*batch, std::move(outcome));
  };
  for (const BatchRef& batch : expired.in_flight) fail(batch);
  for (const BatchRef& batch : expired.queued) fail(batch);
}

void Sender::FailWhatIsTooNew(NodeBatches& batches) {
  const std::optional<wire::VersionRange> spoken = client_.NodeVersions(batches.node, wire::ApiKey::kProduce);
  if (!spoken.has_value() || MagicOf(spoken->max) == 2) return;
  std::erase_if(batches.batches, [this](const BatchRef& batch) {
    if (!down_converter_.HasHeaders(batch->bytes())) return false;
    if (config_.strict_order) accumulator_.Unmute(*batch);
    FailBatch(*batch, {.error = ErrorCode::kUnsupportedForMessageFormat,
                       .base_offset = -1,
                       .error_message = "records with headers need a broker of Kafka 0.11 or later"});
    return true;
  });
}

void Sender::SendRequest(NodeBatches batches, Instant now) {
  FailWhatIsTooNew(batches);
  if (batches.batches.empty()) return;
  std::int64_t records = 0;
  for (const BatchRef& batch : batches.batches) records += batch->record_count();
  metrics_.ProduceRequestMade(records, now);
  const BufferPoolStats pool = accumulator_.buffer_pool_stats();
  metrics_.BufferPoolSeen(pool.wait_time, pool.exhausted, now);
  ++produces_in_flight_;
  client_.Send(
      batches.node,
      std::make_unique<ProduceCall>(
          ProduceCall::Settings{.acks = config_.acks,
                                .timeout = config_.request_timeout,
                                .versions = ProduceVersions(),
                                .transactional_id = identity_ != nullptr ? identity_->transactional_id() : nullptr},
          std::move(batches.batches), *cluster_, down_converter_, static_cast<ProduceCall::Owner&>(*this)),
      now);
}

// WP-10.
wire::VersionRange Sender::ProduceVersions() const {
  constexpr std::int16_t kZstdSince = 7;
  wire::VersionRange versions =
      identity_ != nullptr ? identity_->produce_versions() : *wire::ClientVersionRange(wire::ApiKey::kProduce);
  if (config_.codec == Codec::kZstd) versions.min = std::max(versions.min, kZstdSince);
  return versions;
}

void Sender::LogThrowingCallbacks() {
  const std::int64_t thrown = accumulator_.callbacks_thrown();
  if (thrown == callbacks_thrown_logged_) return;
  log_.Write(LogLevel::kError,
             fmt::format("{} callbacks of the application have thrown", thrown - callbacks_thrown_logged_));
  callbacks_thrown_logged_ = thrown;
}

void Sender::OnProduceDone(ProduceCall& call, const RequestOutcome& outcome) {
  --produces_in_flight_;
  // The wait is over, and the next turn looks at everything: callbacks that send need not wake us.
  attention_.Store(Attention::kAwake);
  if (outcome.kind == RequestOutcome::Kind::kAnswered) {
    metrics_.ProduceAnswered(outcome.node, outcome.ended - outcome.created, call.throttle(), outcome.ended);
  }
  // Without an answer every batch has the same one; acks=0 succeeds without knowing where (SN-04, SN-05).
  const wire::PartitionProduceResponse same_for_all{.error = CodeOfFailure(outcome.kind, config_.codec),
                                                    .base_offset = -1};
  const bool answered = outcome.kind == RequestOutcome::Kind::kAnswered;
  for (std::size_t i = 0; i < call.batches().size(); ++i) {
    CompleteBatch(*call.batches()[i], answered ? call.answers()[i] : same_for_all, outcome.ended);
  }
  if (answered) MergeLeaderHints(call);
}

void Sender::CompleteBatch(ProducerBatch& batch, const wire::PartitionProduceResponse& answer, Instant now) {
  // Whatever is decided below, the next batch of the partition cannot overtake this one any more: it is final, or at the head of its
  // queue again (SN-17).
  if (config_.strict_order) accumulator_.Unmute(batch);
  if (wire::IsInvalidMetadata(answer.error)) metadata_.RequestUpdate(RefreshReason::kProduceError);
  if (batch.is_final()) return;  // It expired meanwhile, and was reported (SN-18).
  switch (Classify(answer.error)) {
    case Disposition::kDone:
      accumulator_.Finish(batch, OutcomeOf(answer));
      return;
    case Disposition::kDoneElsewhere:
      accumulator_.Finish(batch, {});
      return;
    case Disposition::kSplit:
      if (batch.record_count() > 1) {
        accumulator_.Split(batch);
      } else {
        FailBatch(batch, answer);
      }
      return;
    case Disposition::kRetry:
    case Disposition::kFail:
      if (ShouldRetry(batch, answer, now)) {
        accumulator_.Reenqueue(batch, answer.error, now);
      } else {
        FailBatch(batch, answer);
      }
      return;
  }
}

bool Sender::ShouldRetry(const ProducerBatch& batch, const wire::PartitionProduceResponse& answer, Instant now) {
  if (!CanRetry(batch, now)) return false;
  return Classify(answer.error) == Disposition::kRetry ||
         (identity_ != nullptr && identity_->MayRetry(batch, answer.error, answer.log_start_offset));
}

void Sender::FailBatch(ProducerBatch& batch, const wire::PartitionProduceResponse& answer) {
  BatchOutcome outcome = OutcomeOf(answer);
  if (identity_ != nullptr) identity_->BatchFails(batch, answer.error, outcome.status);
  accumulator_.Finish(batch, std::move(outcome));
}

bool Sender::CanRetry(const ProducerBatch& batch, Instant now) const {
  return batch.attempts() < config_.retries && now - batch.created() < config_.delivery_timeout;
}

void Sender::MergeLeaderHints(ProduceCall& call) {
  std::vector<LeaderHint> hints;
  for (std::size_t i = 0; i < call.batches().size(); ++i) {
    const wire::PartitionProduceResponse& answer = call.answers()[i];
    if (!CarriesLeaderHint(answer.error)) continue;
    if (answer.current_leader.leader_id == -1 || answer.current_leader.leader_epoch == -1) continue;
    hints.push_back({.topic = std::string(call.batches()[i]->topic()),
                     .partition = call.batches()[i]->partition(),
                     .leader = NodeId(answer.current_leader.leader_id),
                     .epoch = LeaderEpoch(answer.current_leader.leader_epoch)});
  }
  if (hints.empty()) return;
  std::vector<Node> nodes;
  for (const wire::NodeEndpoint& endpoint : call.node_endpoints()) {
    if (endpoint.port < 1 || endpoint.port > std::numeric_limits<std::uint16_t>::max()) continue;
    nodes.push_back({.id = NodeId(endpoint.node_id),
                     .host = endpoint.host,
                     .port = static_cast<std::uint16_t>(endpoint.port),
                     .rack = endpoint.rack});
  }
  metadata_.MergeLeaders(hints, nodes);
}

}  // namespace ktrial
