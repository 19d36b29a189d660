// BrokerWorld is a cluster behind a ScriptedTransport, with a clock that only the test moves. Requests and answers are
// built and read with core/wire, so a test says what a client would see.
#ifndef TESTS_SIM_BROKER_TESTING_BROKER_WORLD_H_
#define TESTS_SIM_BROKER_TESTING_BROKER_WORLD_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/env/clock.h"
#include "core/env/threads.h"
#include "core/wire/codec.h"
#include "core/wire/record_batch.h"
#include "sim/broker/broker_host.h"
#include "sim/trace/trace.h"
#include "tests/sim/broker/testing/scripted_transport.h"

namespace ktrial::sim {

class HandClock final : public Clock {
 public:
  Instant Now() const override { return now_; }
  WallTime WallNow() const override { return WallTime::FromMillis(1'700'000'000'000); }
  void Advance(Duration by) { now_ = now_ + by; }

 private:
  Instant now_ = Instant::FromNanos(5'000'000'000);
};

// For code that only needs locks.
class NoThreads final : public Threads {
 public:
  NoThreads() : Threads(nullptr) {}
  std::unique_ptr<Thread> Spawn(std::string_view, absl::AnyInvocable<void()>) override { return nullptr; }
  void SleepUntil(Instant, Site) override {}
  ThreadId Current() const override { return ThreadId(1); }
};

// Notes what the brokers say of themselves.
class Notes final : public BrokerObserver {
 public:
  void OnClosed(NodeId, ConnectionId, std::string_view why) override { closed.emplace_back(why); }
  void OnRequest(const RequestView& view) override { requests.push_back(view.correlation_id); }
  void OnResponse(const RequestView&, std::int64_t, bool pipelined) override { responses.push_back(pipelined); }
  void OnNoResponse(const RequestView&, std::string_view why) override { unanswered.emplace_back(why); }
  void OnProduceResult(const RequestView&, const ProduceResult& result) override { results.push_back(result.code); }
  void OnMalformed(NodeId, ConnectionId, std::string_view text) override { malformed.emplace_back(text); }
  void OnNotServed(NodeId, ConnectionId, std::string_view text) override { not_served.emplace_back(text); }
  void OnClusterChange(std::string_view text) override { changes.emplace_back(text); }

  std::vector<std::string> closed;
  std::vector<std::int32_t> requests;
  std::vector<bool> responses;  // whether pipelined
  std::vector<std::string> unanswered;
  std::vector<wire::ErrorCode> results;
  std::vector<std::string> malformed;
  std::vector<std::string> not_served;
  std::vector<std::string> changes;
};

// Brokers 1 to `count`; one topic "orders" of one partition on all of them, led by 1, and what the test changes.
ClusterSpec SpecOf(int count);

class BrokerWorld {
 public:
  explicit BrokerWorld(ClusterSpec spec = SpecOf(3), BrokerHostOptions options = {});

  // Runs the loop until nothing happens any more at this moment.
  void Settle();
  // Moves the clock, settling at each timer on the way.
  void Advance(Duration by);

  ConnectionId Connect(std::int32_t broker);
  // Correlation ids count from 1.
  template <class Message>
  void Send(ConnectionId connection, const Message& message, std::int16_t version) {
    wire::GatherBytes frame;
    wire::EncodeRequestFrame(message, version, ++correlation_, "test", frame);
    transport.Write(connection, frame.Flatten());
    Settle();
  }
  // Without length: adds it.
  void SendFrame(ConnectionId connection, std::string_view frame);
  // The frame of the next answer, without its length; none if there is none.
  std::optional<std::string> NextAnswer(ConnectionId connection);
  template <class Message>
  std::optional<Message> Answer(ConnectionId connection, std::int16_t version) {
    const std::optional<std::string> frame = NextAnswer(connection);
    if (!frame) return std::nullopt;
    const auto parts = wire::DecodeResponseHeader(*frame, Message::kApi, version);
    KT_CHECK(parts.ok());
    last_answered = parts->correlation_id;
    absl::StatusOr<Message> message = wire::Decode<Message>(parts->body, version);
    KT_CHECK(message.ok());
    return *std::move(message);
  }

  Partition& orders() { return *cluster->FindPartition("orders", PartitionIndex(0)); }

  HandClock clock;
  NoThreads threads;
  Trace trace;
  ScriptedTransport transport;
  Notes notes;
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<BrokerHost> host;
  std::int32_t last_answered = 0;

 private:
  std::int32_t correlation_ = 0;
  std::map<ConnectionId, std::string> read_;
};

// When every record of a BatchOf was made.
inline constexpr std::int64_t kBatchTimestampMs = 1'700'000'000'000;
// A batch of these values, closed; the bytes live in the string.
std::string BatchOf(const std::vector<std::string>& values, const wire::BatchProducer& producer = {});
// One batch for one partition. `records` must outlive the message.
wire::ProduceRequest ProduceOf(std::string_view records, std::int16_t acks = 1, std::string_view topic = "orders",
                               std::int32_t partition = 0);

}  // namespace ktrial::sim

#endif  // TESTS_SIM_BROKER_TESTING_BROKER_WORLD_H_
