#include "core/producer/idempotent_identity.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <utility>

#include "core/producer/disposition.h"
#include "core/producer/init_producer_id_call.h"
#include "core/wire/status.h"

namespace ktrial {

namespace {

using wire::ErrorCode;

constexpr std::int16_t kBatchesSince = 3;  // Older versions of Produce carry no producer id.
constexpr std::int16_t kLastEpoch = std::numeric_limits<std::int16_t>::max();

// SN-28. Another producer has taken over, or this one may not write or cannot be understood.
bool IsFatal(ErrorCode error) {
  return error == ErrorCode::kClusterAuthorizationFailed || error == ErrorCode::kProducerFenced ||
         error == ErrorCode::kUnsupportedVersion;
}

}  // namespace

IdempotentIdentity::IdempotentIdentity(ExponentialBackoff retry_backoff, const Parts& parts, Logger log)
    : retry_backoff_(retry_backoff),
      client_(parts.client),
      accumulator_(parts.accumulator),
      entropy_(parts.entropy),
      observer_(parts.observer),
      log_(std::move(log)) {}

Instant IdempotentIdentity::Prepare(Instant now, bool /*produce_in_flight*/) {
  if (!failure_.ok()) {
    accumulator_.AbortIncomplete(failure_);
    return Instant::Never();
  }
  if (producer_.is_valid() && accumulator_.NeedsNewEpoch()) StartNewEpoch();
  accumulator_.RestartSequences();
  return producer_.is_valid() || asking_ ? Instant::Never() : AskForProducerId(now);
}

void IdempotentIdentity::StartNewEpoch() {
  if (producer_.epoch.value() == kLastEpoch) {
    log_.Write(LogLevel::kInfo,
               fmt::format("producer id {} has no epoch left; asking for another id", producer_.id.value()));
    Become({});
    return;
  }
  Become({.id = producer_.id, .epoch = ProducerEpoch(static_cast<std::int16_t>(producer_.epoch.value() + 1))});
  log_.Write(LogLevel::kInfo,
             fmt::format("records are missing in a partition for good; producer id {} goes on with epoch {}",
                         producer_.id.value(), producer_.epoch.value()));
}

void IdempotentIdentity::Become(const ProducerIdAndEpoch& producer) {
  producer_ = producer;
  accumulator_.SetProducer(producer);
}

Instant IdempotentIdentity::AskForProducerId(Instant now) {
  if (now < ask_again_at_) return ask_again_at_;
  const LeastLoaded best = client_.FindLeastLoaded(now);
  // Without a node to ask, what brings one is an event of the client, or its search for metadata. Drawn once, not at each look
  // (D-4).
  if (best.node == nullptr) {
    return ask_again_at_ = now + retry_backoff_.Delay(0, entropy_, DrawPurpose::kRetryBackoff);
  }
  if (!client_.Ready(*best.node, now)) return client_.LookAgainAt(best.node->id, now);
  asking_ = true;
  client_.Send(
      best.node->id,
      std::make_unique<InitProducerIdCall>(
          wire::InitProducerIdRequest{.transaction_timeout_ms = std::numeric_limits<std::int32_t>::max()}, kAnyVersion,
          [this](const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome) {
            OnProducerId(answer, outcome);
          }),
      now);
  return Instant::Never();
}

void IdempotentIdentity::OnProducerId(const wire::InitProducerIdResponse& answer, const RequestOutcome& outcome) {
  asking_ = false;
  if (!failure_.ok()) return;
  if (outcome.kind == RequestOutcome::Kind::kUnsupportedVersion) {
    Fail(wire::KafkaError(
        ErrorCode::kUnsupportedVersion,
        "the broker gives no producer ids (Kafka before 0.11, or the port of a controller); for the former "
        "set enable.idempotence=false"));
    return;
  }
  const bool answered = outcome.kind == RequestOutcome::Kind::kAnswered;
  if (answered && answer.error == ErrorCode::kNone) {
    ask_failures_ = 0;
    Become({.id = ProducerId(answer.producer_id), .epoch = ProducerEpoch(answer.producer_epoch)});
    log_.Write(LogLevel::kInfo, fmt::format("producer id {}, epoch {}", answer.producer_id, answer.producer_epoch));
    return;
  }
  const absl::Status error = answered ? wire::KafkaError(answer.error, "no producer id was given") : absl::OkStatus();
  ask_again_at_ = outcome.ended + retry_backoff_.Delay(ask_failures_++, entropy_, DrawPurpose::kRetryBackoff);
  if (!answered || Classify(answer.error) == Disposition::kRetry) return;
  if (answer.error == ErrorCode::kClusterAuthorizationFailed ||
      answer.error == ErrorCode::kTransactionalIdAuthorizationFailed) {
    // The right may be granted later; whoever waits now hears that it was not (SN-28).
    accumulator_.AbortIncomplete(error);
    return;
  }
  Fail(error);
}

bool IdempotentIdentity::MayRetry(const ProducerBatch& batch, ErrorCode error, std::int64_t log_start_offset) {
  switch (error) {
    case ErrorCode::kOutOfOrderSequenceNumber:
      accumulator_.RefuseForGap(batch);
      return true;
    case ErrorCode::kUnknownProducerId:
      // The broker has forgotten us, as what we had written there was deleted for its age. A broker that does not say where
      // its log starts does not know it yet.
      if (log_start_offset >= 0) accumulator_.RefuseForGap(batch);
      return true;
    default:
      return false;
  }
}

void IdempotentIdentity::BatchFails(const ProducerBatch& batch, ErrorCode error, const absl::Status& status) {
  if (IsFatal(error)) Fail(status);
  if (!MayHaveBeenAppended(error)) accumulator_.ConcludeAbsent(batch);
}

wire::VersionRange IdempotentIdentity::produce_versions() const {
  wire::VersionRange versions = *wire::ClientVersionRange(wire::ApiKey::kProduce);
  versions.min = kBatchesSince;
  return versions;
}

void IdempotentIdentity::Fail(absl::Status failure) {
  if (!failure_.ok()) return;
  failure_ = std::move(failure);
  observer_.OnFailedForGood(failure_);
}

}  // namespace ktrial
