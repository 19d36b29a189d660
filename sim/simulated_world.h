// SimulatedWorld is one run from its parts to its verdict: kernel, network, brokers, producers, application threads,
// faults. RunWorld (world.h) is the way to it.
#ifndef SIM_SIMULATED_WORLD_H_
#define SIM_SIMULATED_WORLD_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/threads.h"
#include "core/env/transport.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/cluster.h"
#include "sim/broker_tap.h"
#include "sim/fault/fault.h"
#include "sim/fault/fault_scheduler.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/sim_threads.h"
#include "sim/metrics/run_record.h"
#include "sim/network/sim_network.h"
#include "sim/run_result.h"
#include "sim/sim_env.h"
#include "sim/workload/app_source.h"
#include "sim/workload/app_world.h"
#include "sim/workload/world_app_context.h"
#include "sim/world.h"

namespace ktrial::sim {

class SimulatedWorld final : private ThreadStaller {
 public:
  // The spec outlives the world.
  SimulatedWorld(const WorldSpec& spec, const RunOptions& options);
  // What could not be brought to its end is abandoned: its threads never run again, and what they refer to is left
  // alone.
  ~SimulatedWorld() override;

  // INVALID_ARGUMENT: brokers or producers refuse their settings.
  absl::Status Build();
  // Once.
  RunResult Run();

 private:
  // One thread of the application, with what it does.
  struct AppThread {
    std::string name;
    std::vector<std::unique_ptr<AppSource>> sources;
    std::unique_ptr<WorldAppContext> context;
    std::unique_ptr<Thread> thread;
    bool ended = false;
  };

  absl::Status BuildCluster();
  absl::Status BuildProducers();
  void BuildApplication();
  AppThread& ThreadNamed(const std::string& name);
  std::vector<ClientProducer*> ClientsOf(const std::string& name);
  void StartThreads();

  // The phases. Each ends early with a finding of the kernel, which becomes a violation.
  void RunFaultPhase();
  void RunSettlePhase();
  void CloseProducers();
  void AwaitMarkers();
  void StopBrokers();
  void Advance(KernelResult result);
  void TellProgress();
  bool Settled() const;
  void ReportUnsettled();

  Evidence MakeEvidence();
  void AddFailures(RunResult& result) const;
  RunResult MakeResult();

  int StallUntil(std::string_view name, Instant until) override;

  const WorldSpec& spec_;
  Trace trace_;
  Duration stalled_{0};
  Kernel kernel_;
  SimNetwork network_;
  SimEnv env_;
  SimClock broker_clock_;
  const std::shared_ptr<RunRecord> record_;
  std::shared_ptr<Cluster> cluster_;
  BrokerTap tap_;
  std::unique_ptr<Transport> broker_transport_;
  std::unique_ptr<BrokerHost> host_;
  std::unique_ptr<Thread> broker_thread_;
  bool brokers_ended_ = false;
  AppWorld app_;
  std::vector<std::unique_ptr<AppThread>> threads_;
  std::unique_ptr<FaultScheduler> faults_;
  std::unique_ptr<Thread> closer_;
  bool closer_ended_ = false;
  std::vector<ProducerEvidence> producer_evidence_;
  std::vector<Violation> violations_;
  std::vector<std::string> warnings_;
  bool failed_ = false;  // The kernel has found something; from now on the world is only brought to its end.
  bool spins_ = false;   // What it has found is a livelock: whatever runs the world again burns all of its steps again.
  ProgressListener* const progress_;
};

}  // namespace ktrial::sim

#endif  // SIM_SIMULATED_WORLD_H_
