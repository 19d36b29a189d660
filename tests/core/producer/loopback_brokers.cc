#include "tests/core/producer/loopback_brokers.h"

#include <utility>

#include "core/check.h"
#include "sim/kernel/draws.h"

namespace ktrial::testing {

LoopbackBrokers::LoopbackBrokers(Env& env, Options options) : transport_(env.NewTransport("brokers")) {
  sim::ClusterSpec spec{.topics = {{.name = "t", .partitions = options.partitions, .replication = options.brokers}},
                        .settings = {{"auto.create.topics.enable", "false"}}};
  for (std::int32_t id = 1; id <= options.brokers; ++id) spec.brokers.push_back({.id = NodeId(id), .release = options.release});
  auto cluster = sim::Cluster::Create(std::move(spec), env.clock(), sim::Stream(1, "brokers", "cluster", trace_));
  KT_CHECK(cluster.ok());
  cluster_ = *std::move(cluster);
  host_ = std::make_unique<sim::BrokerHost>(sim::BrokerHostOptions{}, *cluster_, *transport_, env.threads());
  KT_CHECK(host_->Start().ok());
  thread_ = env.threads().Spawn("brokers", [this] { host_->Run(); });
}

LoopbackBrokers::~LoopbackBrokers() { Stop(); }

void LoopbackBrokers::Stop() {
  host_->Stop();
  KT_CHECK(thread_->Join(Instant::Never()));
}

std::string LoopbackBrokers::bootstrap() const { return "127.0.0.1:" + std::to_string(host_->address(NodeId(1)).port); }

}  // namespace ktrial::testing
