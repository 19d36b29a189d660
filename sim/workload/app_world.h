// AppWorld is what all application threads of one run share.
#ifndef SIM_WORKLOAD_APP_WORLD_H_
#define SIM_WORKLOAD_APP_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/env.h"
#include "core/producer/producer.h"
#include "core/types.h"
#include "sim/checker/history.h"
#include "sim/metrics/producer_recorder.h"
#include "sim/run_result.h"
#include "sim/trace/trace.h"
#include "sim/workload/workload_spec.h"

namespace ktrial::sim {

// One producer of the world. The recorder outlives the producer.
struct ClientProducer {
  std::string name;   // "orders-writer", or "orders-writer-2" of several instances
  std::string group;  // As in the spec: "orders-writer"
  std::int32_t index = 0;
  std::unique_ptr<ProducerRecorder> recorder;
  std::unique_ptr<Producer> producer;
  std::optional<std::size_t>
      transaction;            // In History::transactions(): the one that was begun last, unless it has ended.
  bool init_goes_on = false;  // The time of InitTransactions ran out: it has to be called again, done or not.
  std::vector<FailedCalls> failed_calls;  // In the order of the first of each.
  bool closing = false;                   // Somebody has called Close.
};

struct AppWorld {
  std::uint64_t seed = 1;
  Env& env;
  const Clock& clock;  // The Env's; asked twice a record.
  History& history;
  Trace& trace;
  std::vector<std::string> topics;                              // All of the cluster, in the order of the spec.
  std::map<std::string, std::int32_t, std::less<>> partitions;  // By topic.
  std::vector<std::unique_ptr<ClientProducer>> producers;
  std::vector<CallOutcome> calls;
  Duration callbacks_blocked{0};  // How long callbacks have kept senders' threads, in all.
  Instant start;
  Instant stop;  // start + duration: no workload goes on beyond it, but for arrivals that were due before.

  Instant Now() const { return clock.Now(); }
  std::int32_t PartitionsOf(std::string_view topic) const;
  void AddCall(CallOutcome outcome);
  // A call has returned: notes that it failed, where it did.
  void NoteCall(ClientProducer& client, std::string_view call, const absl::Status& status);

  // --- The producer's calls for applications. Failures are noted. ---
  absl::Status Flush(ClientProducer& client, Duration timeout);
  absl::Status PartitionsFor(ClientProducer& client, std::string_view topic);
  // Noted in the History. Begin comes with InitTransactions where that has not been done.
  absl::Status BeginTransaction(ClientProducer& client);
  absl::Status EndTransaction(ClientProducer& client, bool commit);
  // For every partition of the topic. Their metadata name the transaction, so that no two commit the same.
  absl::Status SendOffsets(ClientProducer& client, const ConsumedSpec& consumed, Offset offset);
  // From an application thread: completions that come later are late.
  absl::Status CloseProducer(ClientProducer& client, Duration timeout);
};

// An error as History keeps it: Kafka's code, or kStatusErrorBase plus the Status's own; 0 for OK.
std::int16_t ErrorNumber(const absl::Status& status);

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_APP_WORLD_H_
