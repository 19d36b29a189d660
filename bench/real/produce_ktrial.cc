// Sends records with ktrial's producer, as produce_librdkafka.cc does with librdkafka, and prints what came of them. See
// compare.py.
//
//   produce_ktrial HOST:PORT RECORDS BYTES [KEY=VALUE...]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"

namespace {

constexpr int kPartitions = 12;

struct Counts {
  std::int64_t delivered = 0;
  std::int64_t errors = 0;
};

void OnDelivery(void* context, const ktrial::RecordMetadata&, const absl::Status& status) {
  auto& counts = *static_cast<Counts*>(context);
  ++(status.ok() ? counts.delivered : counts.errors);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "produce_ktrial HOST:PORT RECORDS BYTES [KEY=VALUE...]\n");
    return 2;
  }
  const std::int64_t records = std::atoll(argv[2]);
  const std::string payload(static_cast<std::size_t>(std::atoll(argv[3])), 'x');
  std::map<std::string, std::string> settings = {
      {"bootstrap.servers", argv[1]}, {"acks", "1"}, {"linger.ms", "5"}, {"batch.size", "16384"}, {"buffer.memory", "33554432"}};
  for (int i = 4; i < argc; ++i) {
    const std::string setting = argv[i];
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) return 2;
    settings[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  const auto config = ktrial::ProducerConfig::Parse(settings);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return 2;
  }
  const std::unique_ptr<ktrial::Env> env = ktrial::MakePosixEnv();
  auto producer = ktrial::Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(producer.status().message()).c_str());
    return 1;
  }
  Counts counts;
  ktrial::Record record{.topic = "bench", .value = payload};
  for (std::int64_t i = 0; i < records; ++i) {
    record.partition = ktrial::PartitionIndex(static_cast<std::int32_t>(i % kPartitions));
    (*producer)->Send(record, {OnDelivery, &counts});
  }
  const absl::Status closed = (*producer)->Close(std::chrono::seconds(60));
  std::printf("%lld delivered, %lld errors\n", static_cast<long long>(counts.delivered), static_cast<long long>(counts.errors));
  return closed.ok() && counts.delivered == records ? 0 : 1;
}
