#include <optional>

#include "sim/broker/record_identity.h"
#include "sim/kernel/draws.h"
#include "sim/metrics/metric_names.h"
#include "sim/workload/app_source.h"
#include "sim/workload/record_sender.h"

namespace ktrial::sim {
namespace {

// The value of a SendCall that names none.
constexpr std::int32_t kDefaultValueBytes = 100;

class CallSource final : public AppSource {
 public:
  CallSource(const CallSpec& spec, const std::string& thread, AppWorld& world, ClientProducer& client)
      : spec_(spec), thread_(thread), world_(world), client_(client) {
    Stream draws(world.seed, thread, "call", world.trace);
    due_ = world.start + draws.Between(spec.at.min, spec.at.max);
    if (std::holds_alternative<SendCall>(spec.call)) {
      sender_.emplace(world, client, RecordSender::Options{.workload = thread});
    }
  }

  Instant Due() const override { return due_; }

  void Run() override {
    const Instant scheduled = std::exchange(due_, Instant::Never());
    const Instant called = world_.Now();
    CallOutcome outcome{.thread = thread_, .producer = client_.name, .at = called - world_.start};
    const std::int16_t error =
        std::visit([&](const auto& call) { return Make(call, scheduled, outcome.call); }, spec_.call);
    outcome.took = world_.Now() - called;
    outcome.result = error == 0 ? "OK" : ErrorMetricName(error);
    world_.AddCall(std::move(outcome));
  }

 private:
  std::int16_t Make(const FlushCall& call, Instant, std::string& name) {
    name = "flush";
    return ErrorNumber(world_.Flush(client_, call.timeout.value_or(Duration::max())));
  }

  std::int16_t Make(const CloseCall& call, Instant, std::string& name) {
    name = "close";
    return ErrorNumber(world_.CloseProducer(client_, call.timeout.value_or(Duration::max())));
  }

  std::int16_t Make(const PartitionsForCall& call, Instant, std::string& name) {
    name = "partitions_for";
    return ErrorNumber(world_.PartitionsFor(client_, call.topic));
  }

  std::int16_t Make(const BeginCall&, Instant, std::string& name) {
    name = "begin";
    return ErrorNumber(world_.BeginTransaction(client_));
  }

  std::int16_t Make(const CommitCall&, Instant, std::string& name) {
    name = "commit";
    return ErrorNumber(world_.EndTransaction(client_, /*commit=*/true));
  }

  std::int16_t Make(const AbortCall&, Instant, std::string& name) {
    name = "abort";
    return ErrorNumber(world_.EndTransaction(client_, /*commit=*/false));
  }

  std::int16_t Make(const SendOffsetsCall& call, Instant, std::string& name) {
    name = "send_offsets";
    return ErrorNumber(world_.SendOffsets(client_, call.consumed, Offset(call.offset)));
  }

  std::int16_t Make(const SendCall& call, Instant scheduled, std::string& name) {
    name = "send";
    RecordSender::Outgoing record{.topic = call.topic, .value_bytes = kDefaultValueBytes, .scheduled = scheduled};
    if (call.partition) record.partition = *call.partition;
    if (call.key) record.key = *call.key;
    if (call.value) {
      record.value_tail = *call.value;
      record.value_bytes = static_cast<std::int32_t>(kIdentityBytes + call.value->size());
    }
    sender_->Send(record);
    return sender_->refusal();
  }

  const CallSpec spec_;
  const std::string thread_;
  AppWorld& world_;
  ClientProducer& client_;
  Instant due_;
  std::optional<RecordSender> sender_;
};

}  // namespace

std::unique_ptr<AppSource> MakeCallSource(const CallSpec& spec, const std::string& thread, AppWorld& world,
                                          ClientProducer& client) {
  return std::make_unique<CallSource>(spec, thread, world, client);
}

}  // namespace ktrial::sim
