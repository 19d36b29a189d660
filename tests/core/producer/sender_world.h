// A sender with everything that it stands on, one thread, a clock that waits move, and brokers that the test plays.
#ifndef TESTS_CORE_PRODUCER_SENDER_WORLD_H_
#define TESTS_CORE_PRODUCER_SENDER_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/accumulator/record_accumulator.h"
#include "core/metadata/metadata.h"
#include "core/network/network_client.h"
#include "core/producer/events.h"
#include "core/producer/idempotent_identity.h"
#include "core/producer/log.h"
#include "core/producer/metrics_recorder.h"
#include "core/producer/sender.h"
#include "core/producer/transaction_calls.h"
#include "core/producer/transaction_manager.h"
#include "tests/core/producer/fake_cluster.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {

// What a record's callback was told.
struct Told {
  std::string value;
  wire::ErrorCode code = wire::ErrorCode::kNone;
  std::string message;
  std::int64_t offset = -1;
  WallTime timestamp;
  Instant at;
};

// Keeps each line.
class KeptLog : public LogSink {
 public:
  void Write(LogLevel level, std::string_view, std::string_view text) override {
    lines.push_back(std::string(LogLevelName(level)) + ": " + std::string(text));
  }
  bool Contains(std::string_view text) const { return Count(text) > 0; }
  int Count(std::string_view text) const;  // Lines.
  std::vector<std::string> lines;
};

class SenderWorld {
 public:
  struct Options {
    std::int32_t brokers = 2;
    SenderConfig sender;
    AccumulatorConfig accumulator{.linger = Duration::zero()};
    NetworkClientConfig network;
    bool idempotent = false;
    bool transactional = false;  // As "tid"; includes idempotence. The coordinator is broker 1.
    MetadataConfig metadata{.bootstrap = {{.host = "10.0.0.1", .port = 9092}}};
  };
  SenderWorld() : SenderWorld(Options()) {}
  explicit SenderWorld(Options options);
  ~SenderWorld();

  // Appends a record; must be accepted. What its callback is told goes to `told`.
  BatchResultRef Append(std::string_view topic, std::int32_t partition, std::string_view value,
                        const std::vector<wire::HeaderView>& headers = {});
  // Turns of the loop until the condition holds. Waits move the clock. False if it does not hold after `turns_max` turns.
  bool RunUntil(const std::function<bool()>& condition, int turns_max = 200);
  void Turns(int count);
  // Until the cluster has received so many produce requests; gives the last one.
  const ReceivedProduce& AwaitProduce(std::size_t count);
  // As an application would, which does not wait: the call is to be awaited.
  TransactionCalls::CallRef Call(TransactionCalls::Kind kind, OffsetsOfGroup offsets = {});
  // Until the call is over: its result.
  absl::Status AwaitCall(const TransactionCalls::CallRef& call);
  std::vector<wire::ErrorCode> codes() const;
  std::vector<std::string> told_values() const;

  ManualClock clock;
  FakeEntropy entropy;
  NoThreads threads;
  FakeTransport transport{clock};
  FakeCluster cluster;
  std::shared_ptr<KeptLog> log = std::make_shared<KeptLog>();
  MetricsRecorder metrics;
  ProducerEvents events;
  Metadata metadata;
  RecordAccumulator accumulator;
  NetworkClient client;
  TransactionCalls calls{threads};
  std::unique_ptr<IdempotentIdentity> identity;      // With idempotence alone.
  std::unique_ptr<TransactionManager> transactions;  // With transactions.
  Sender sender;
  std::vector<Told> told;
  std::function<void(const Told&)> on_told;  // Called from within the callback.

 private:
  struct Context {
    SenderWorld* world;
    std::string value;
  };
  static void OnRecord(void* context, const RecordMetadata& metadata, const absl::Status& status);
  std::vector<std::unique_ptr<Context>> contexts_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_SENDER_WORLD_H_
