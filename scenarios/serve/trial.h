// A Trial is a scenario's cluster on real ports, with its faults in real time, for any Kafka client. What the scenario
// says of producers, workloads and calls is ignored: the client brings its own. Not deterministic; the seed fixes what
// is drawn and nothing else. [network] latency is not added to that of the real network.
//
//   absl::StatusOr<std::unique_ptr<Trial>> trial = Trial::Start(scenario, settings);
//   ... run clients against (*trial)->bootstrap() ...
//   RunReport report = (*trial)->Finish();
#ifndef SCENARIOS_SERVE_TRIAL_H_
#define SCENARIOS_SERVE_TRIAL_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "scenarios/language/scenario.h"
#include "scenarios/runner/report.h"

namespace ktrial::scenario {

struct TrialSettings {
  std::uint64_t seed = 1;
  std::uint16_t port = 0;  // of broker 1, the others follow; 0: any
  std::string advertise;   // empty: loopback only. Else all interfaces, and clients are told this host
  bool loud = false;       // tell standard error what happens to the cluster
};

// Threads: the brokers have one of their own; this class is for one thread.
class Trial {
 public:
  // Listens, and lets the scenario's time begin. Faults of the client (stall_thread) are left out. INVALID_ARGUMENT, or
  // what the system says if it cannot listen.
  static absl::StatusOr<std::unique_ptr<Trial>> Start(const Scenario& scenario, const TrialSettings& settings);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // "host:port,host:port"
  const std::string& bootstrap() const;
  // Heals, stops, judges. Once. A trial that no client took part in has failed. In the report `virtual_time` is real,
  // events are requests, and there is no hash.
  RunReport Finish();

 private:
  struct State;
  explicit Trial(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_SERVE_TRIAL_H_
