// BrokerTap listens to the brokers of a simulated world: it writes what they do into the trace, and keeps what a
// verdict has to name, requests that a real broker would not have understood and requests that ours do not serve.
#ifndef SIM_BROKER_TAP_H_
#define SIM_BROKER_TAP_H_

#include <map>
#include <string>
#include <vector>

#include "sim/broker/observer.h"
#include "sim/checker/checker.h"
#include "sim/trace/trace.h"

namespace ktrial::sim {

class BrokerTap final : public BrokerObserver {
 public:
  // Both outlive the tap.
  BrokerTap(const Clock& clock, Trace& trace) : clock_(clock), trace_(trace) {}

  const std::vector<Violation>& violations() const { return violations_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  void OnRequest(const RequestView& request) override;
  void OnResponse(const RequestView& request, std::int64_t bytes, bool pipelined) override;
  void OnNoResponse(const RequestView& request, std::string_view why) override;
  void OnAppended(const RequestView& request, std::string_view topic, PartitionIndex partition, Offset base_offset,
                  std::span<const RecordIdentity> identities) override;
  void OnMalformed(NodeId broker, ConnectionId connection, std::string_view text) override;
  void OnNotServed(NodeId broker, ConnectionId connection, std::string_view text) override;
  void OnClusterChange(std::string_view text) override;

 private:
  Subject SubjectOf(NodeId broker);

  const Clock& clock_;
  Trace& trace_;
  std::map<NodeId, Subject> subjects_;
  std::vector<Violation> violations_;
  std::vector<std::string> warnings_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_TAP_H_
