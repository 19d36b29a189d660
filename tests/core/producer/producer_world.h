// Brokers and application threads in a simulated world, for tests of the producer's public face: the test's body runs as a thread of
// that world, so it may block, sleep and start others.
//
//   ProducerWorld world;
//   const sim::KernelResult end = world.Run([&] {
//     std::unique_ptr<Producer> producer = world.MakeProducer({{"linger.ms", "0"}});
//     EXPECT_TRUE(producer->Send({.topic = "t", .value = "x"}).Get().ok());
//   });
//   EXPECT_EQ(end.end, sim::KernelEnd::kIdle) << end.text;
//
// Everything that a body refers to from callbacks or threads must outlive it there.
#ifndef TESTS_CORE_PRODUCER_PRODUCER_WORLD_H_
#define TESTS_CORE_PRODUCER_PRODUCER_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "core/observer.h"
#include "core/producer/producer.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/sandbox.h"

namespace ktrial::testing {

class ProducerWorld {
 public:
  struct Options {
    std::uint64_t seed = 1;
    sim::StallMode stalls = sim::StallMode::kNone;
    std::int32_t brokers = 3;
    // Besides "t": 3 partitions, on brokers 1, 2, 3.
    std::vector<sim::TopicSpec> topics;
    sim::SettingsMap settings = {{"auto.create.topics.enable", "false"}};
    Duration latency = std::chrono::milliseconds(1);  // one way
  };
  ProducerWorld() : ProducerWorld(Options()) {}
  explicit ProducerWorld(Options options);
  ~ProducerWorld();

  // Runs the body as a thread, and the brokers until it has returned. Anything but kIdle is a finding.
  sim::KernelResult Run(absl::AnyInvocable<void()> body);

  // For the body. bootstrap.servers is set unless it is given. Must be a valid configuration.
  std::unique_ptr<Producer> MakeProducer(std::map<std::string, std::string> values = {}) {
    return StartProducer(ParseConfig(std::move(values)));
  }
  std::unique_ptr<Producer> StartProducer(ProducerConfig config, BatchCallback on_batch = {});
  ProducerConfig ParseConfig(std::map<std::string, std::string> values);
  void Sleep(Duration length);
  // Runs `function` on the thread of the brokers at or after that moment.
  void At(Duration from_now, absl::AnyInvocable<void()> function);

  Instant Now() { return sandbox_->env().clock().Now(); }
  Env& env() { return sandbox_->env(); }
  sim::Sandbox& sandbox() { return *sandbox_; }
  sim::BrokerHost& host() { return *host_; }
  sim::Cluster& cluster() { return *cluster_; }

  // What a log holds, after Run or while the brokers have nothing to do.
  struct Stored {
    std::string key;  // "(null)" for null
    std::string value;
    std::vector<std::string> headers;  // "key=value"
    std::int64_t offset = 0;
    std::int64_t timestamp_ms = 0;
    friend bool operator==(const Stored&, const Stored&) = default;
  };
  std::vector<Stored> Log(std::string_view topic, std::int32_t partition) const;
  std::vector<std::string> Values(std::string_view topic, std::int32_t partition) const;
  std::size_t RecordCount(std::string_view topic) const;

 private:
  const Options options_;
  // Goes last: the others have locks of its world.
  std::unique_ptr<sim::Sandbox> sandbox_;
  std::unique_ptr<sim::Cluster> cluster_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<sim::BrokerHost> host_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_PRODUCER_WORLD_H_
