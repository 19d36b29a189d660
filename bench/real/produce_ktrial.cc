// Sends records with ktrial's producer, as produce_librdkafka.cc does with librdkafka, and prints what came of them. See
// load.h and compare.py.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/real/load.h"
#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"

namespace ktrial::bench {
namespace {

// A record whose way is timed: the context of its callback.
struct Timed {
  Tally* tally;
  std::int64_t sent;
};

void OnDelivery(void* context, const RecordMetadata&, const absl::Status& status) {
  auto& tally = *static_cast<Tally*>(context);
  ++(status.ok() ? tally.delivered : tally.errors);
}

void OnTimedDelivery(void* context, const RecordMetadata& at, const absl::Status& status) {
  const Timed& timed = *static_cast<Timed*>(context);
  timed.tally->nanos.push_back(NowNanos() - timed.sent);
  OnDelivery(timed.tally, at, status);
}

// Records first, first + step, ...
void SendShare(Producer& producer, const Load& load, const Values& values, std::int64_t first, Tally& tally) {
  std::vector<Timed> timed(load.rate > 0 ? static_cast<std::size_t>(load.records) : 0);
  const Pace pace(load);
  Record record{.topic = "bench"};
  for (std::int64_t i = first; i < load.records; i += load.threads) {
    record.partition = PartitionIndex(static_cast<std::int32_t>(i % kPartitions));
    record.value = values.Of(i);
    RecordCallback callback{OnDelivery, &tally};
    if (load.rate > 0) {
      pace.Await(i);
      Timed& one = timed[static_cast<std::size_t>(i)];
      one = {.tally = &tally, .sent = NowNanos()};
      callback = {OnTimedDelivery, &one};
    }
    producer.Send(record, callback);
  }
  if (load.rate > 0) producer.Flush().IgnoreError();  // Before the contexts go.
}

int Run(const Load& load) {
  std::map<std::string, std::string> settings = load.settings;
  settings.insert({{"bootstrap.servers", load.bootstrap}, {"batch.size", "16384"}, {"buffer.memory", "33554432"}});
  const auto config = ProducerConfig::Parse(settings);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return 2;
  }
  const std::unique_ptr<Env> env = MakePosixEnv();
  auto producer = Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(producer.status().message()).c_str());
    return 1;
  }
  const Values values(load);
  Tally tally;  // All callbacks run on the producer's own thread, as nothing is refused.
  std::vector<std::thread> threads;
  for (int t = 1; t < load.threads; ++t) {
    threads.emplace_back([&, t] { SendShare(**producer, load, values, t, tally); });
  }
  SendShare(**producer, load, values, 0, tally);
  for (std::thread& thread : threads) thread.join();
  if (!(*producer)->Close(std::chrono::seconds(60)).ok()) return 1;
  return Report(load, std::move(tally));
}

}  // namespace
}  // namespace ktrial::bench

int main(int argc, char** argv) { return ktrial::bench::Run(ktrial::bench::ParseLoad(argc, argv)); }
