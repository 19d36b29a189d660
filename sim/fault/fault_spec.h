// A fault as data: what happens (one struct for each kind) and when. docs/SCENARIOS.md has the same table for people
// who write TOML; the defaults here are its defaults.
//
// When. Exactly one of `at`, `every` and `on` is set; moments count from the start of the run.
//   at       once. With `lasting`, undone after that; without, an instant is one, and a state holds to the end
//   every    first after one interval, then again and again, never at the duration or later; `times` bounds it
//   on       at the nth request that matches; `times` > 1: again at every nth after that
// Ranges are drawn anew each time. Everything heals at the scenario's duration.
//
// A fault fires each time it begins *and has an effect*: it changed the cluster's state, or touched at least one
// connection, byte or request. One that never fired fails the run unless `may_not_fire`.
#ifndef SIM_FAULT_FAULT_SPEC_H_
#define SIM_FAULT_FAULT_SPEC_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/env/clock.h"
#include "core/wire/api_key.h"
#include "core/wire/error_code.h"
#include "sim/broker/request_hook.h"
#include "sim/fault/selector.h"

namespace ktrial::sim {

// [min, max], drawn uniformly each time it is used.
struct DurationRange {
  Duration min{0};
  Duration max{0};
  constexpr DurationRange() = default;
  // A length in any unit, so that `.at = 10s` needs no more words.
  template <class Rep, class Period>
  constexpr DurationRange(std::chrono::duration<Rep, Period> exactly) : min(exactly), max(exactly) {}  // NOLINT
  constexpr DurationRange(Duration from, Duration to) : min(from), max(to) {}
  friend bool operator==(const DurationRange&, const DurationRange&) = default;
};

// Where a broker is with a request: "received", "before_append", "after_append", "before_response".
using FaultPhase = RequestPhase;
// In the order of the phases.
std::span<const std::string_view> FaultPhaseNames();

struct RequestTrigger {
  std::optional<wire::ApiKey> request = {};       // None: every API.
  BrokerSelector broker = BrokerSelector::All();  // Resolved when the request is there.
  std::int64_t nth = 1;                           // 1 is the first.
  FaultPhase phase = FaultPhase::kReceived;
};

struct FaultTrigger {
  std::optional<DurationRange> at = {};
  std::optional<DurationRange> every = {};
  std::optional<RequestTrigger> on = {};
  std::optional<DurationRange> lasting = {};  // The language's `for`.
  std::optional<std::int64_t> times = {};
};

// --- The kinds ---

// Another replica in sync leads, with the next epoch. Other brokers go on naming the old leader for `lag`; with `hint`
// a refused Produce names the new one where its version can. An instant.
struct MoveLeader {
  TopicSelector topic = {};
  PartitionSelector partition = PartitionSelector::All();
  BrokerSelector to = BrokerSelector::Any();
  DurationRange lag = {};
  bool hint = true;
};
// The partition has no leader. A state.
struct NoLeader {
  TopicSelector topic = {};
  PartitionSelector partition = PartitionSelector::All();
};
// Connections are reset, new ones refused, leaders move to other replicas in sync. A state.
struct Crash {
  BrokerSelector broker = {};
};
// Every connection of the broker ends. An instant.
struct Disconnect {
  enum class How : std::uint8_t { kReset, kFin };
  BrokerSelector broker = {};
  How how = How::kReset;
};
// New connections are refused. A state.
struct RefuseConnect {
  BrokerSelector broker = {};
};
// SYNs are lost: an open never answers. A state.
struct DropConnect {
  BrokerSelector broker = {};
};
// Connections are accepted and nothing is ever answered on any connection. A state.
struct Blackhole {
  BrokerSelector broker = {};
};
// Bytes and SYNs between the two sides are held and pass on heal; connections stay. `oneway` holds only what goes from
// the first side to the second. A state.
struct NetworkPartition {
  struct Side {
    bool clients = false;  // All clients, besides `brokers`.
    BrokerSelector brokers = {};
  };
  Side first;
  Side second;
  bool oneway = false;
};
// Adds to the one-way latency of everything from and to the broker. A state.
struct Latency {
  BrokerSelector broker = {};
  DurationRange add = {};
};
// The address of the broker is another one's: opens reach that, as where addresses are handed out anew. Whoever is connected is
// reset, at the begin and at the end. Nothing happens where both are the same. A state.
struct Misroute {
  BrokerSelector broker = {};
  BrokerSelector to = BrokerSelector::Any();  // MeansOneBroker.
};
// The broker starts anew as one of another release, and at the end as itself again: an upgrade is one that ends, or that begins.
// As it restarts connections are reset and others lead. What that release cannot do, the cluster never finalizes. Nothing
// happens where the broker is of that release. A state.
struct DowngradeApi {
  BrokerSelector broker = {};
  std::string version = {};  // One of BrokerReleases().
};
// The broker reads nothing and answers nothing; connections stay. A state.
struct PauseBroker {
  BrokerSelector broker = {};
};
// Requests are answered with `code`. Without `topic` every topic, and the top-level code where the API has one; with it
// those requests that name the topic or partition, of the APIs whose requests do (NamesTopics). A state; with `on`, that
// one request.
struct ErrorAnswer {
  wire::ApiKey api = wire::ApiKey::kProduce;
  wire::ErrorCode code = wire::ErrorCode::kNone;
  FaultPhase phase = FaultPhase::kBeforeAppend;
  TopicSelector topic = TopicSelector::All();
  PartitionSelector partition = PartitionSelector::All();
  BrokerSelector broker = BrokerSelector::All();
};
// Whether it means some topics or partitions, and not the request as a whole.
bool IsAboutPartitions(const ErrorAnswer& fault);
// The connection of the request that triggered it sends nothing more until it is closed. Needs `on`.
struct DropResponse {};
// Threads of the client (one that a body starts: named in ThreadSpec::starts) lose the CPU at their next scheduling point, for `lasting`: an application thread by its name,
// a producer's sender thread by the producer's name, "*" for all. A state. Only in simulation.
struct StallThread {
  std::string thread = {};
};
// The topics are gone, with their logs and what their leaders knew of producers. When it ends they are made again as they
// were, under other ids. Leaders know at once; the Metadata answers of each broker follow later by a drawn `lag`. Topics
// whose names begin with "__" are left alone. A state.
struct DeleteTopic {
  TopicSelector topic = {};
  DurationRange lag = {};
};
// A topic that is not there is made, as it was before it was deleted but for what is said here. `lag` as above. An
// instant.
struct CreateTopic {
  std::string topic = {};
  std::optional<std::int32_t> partitions = {};
  std::optional<std::int32_t> replication = {};
  DurationRange lag = {};
};
// Planted broker bugs, for scenarios that must fail. What is appended is acknowledged and forgotten; of every two
// appends of a partition the later one comes to stand before the earlier. States; a loss that a request triggers is of
// that request alone. The checkers miss only what they know of: records of workloads, calls and AppContext::SendTracked.
// For those that are sent through a Producer the property of the test has to look, at "log.records" for instance.
struct LoseAckedAppend {
  TopicSelector topic = TopicSelector::All();
  PartitionSelector partition = PartitionSelector::All();
};
struct SwapAckedAppends {
  TopicSelector topic = TopicSelector::All();
  PartitionSelector partition = PartitionSelector::All();
};

using FaultAction =
    std::variant<MoveLeader, NoLeader, Crash, Disconnect, RefuseConnect, DropConnect, Blackhole, NetworkPartition,
                 Latency, Misroute, DowngradeApi, PauseBroker, ErrorAnswer, DropResponse, StallThread, DeleteTopic,
                 CreateTopic, LoseAckedAppend, SwapAckedAppends>;

// "move_leader", ...: the key in a scenario and in reports.
std::string_view FaultKindName(const FaultAction& action);

struct FaultSpec {
  FaultAction action;
  FaultTrigger trigger = {};
  bool may_not_fire = false;
};

// Those that brokers will be of, besides their own.
std::vector<std::string> ReleasesIn(std::span<const FaultSpec> faults);

// What became of one FaultSpec in a run.
struct FaultOutcome {
  std::string kind = {};
  std::int64_t fired = 0;
  bool may_not_fire = false;
};

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULT_SPEC_H_
