// Brokers on loopback ports, served by a thread of their own: for tests of the producer over real sockets and real threads.
#ifndef TESTS_CORE_PRODUCER_LOOPBACK_BROKERS_H_
#define TESTS_CORE_PRODUCER_LOOPBACK_BROKERS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "core/env/env.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/trace/trace.h"

namespace ktrial::testing {

class LoopbackBrokers {
 public:
  struct Options {
    std::int32_t brokers = 3;     // Ids 1, 2, ...
    std::int32_t partitions = 3;  // Of topic "t".
    std::string release = "4.0";  // One of sim::BrokerReleases().
  };
  // `env` outlives this.
  LoopbackBrokers(Env& env, Options options);
  // Stops and joins.
  ~LoopbackBrokers();

  // For bootstrap.servers.
  std::string bootstrap() const;
  // Any thread may Post to it.
  sim::BrokerHost& host() { return *host_; }
  // On the brokers' thread, or after Stop.
  sim::Cluster& cluster() { return *cluster_; }
  void Stop();

 private:
  sim::Trace trace_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<sim::Cluster> cluster_;
  std::unique_ptr<sim::BrokerHost> host_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_PRODUCER_LOOPBACK_BROKERS_H_
