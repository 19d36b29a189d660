// A scenario as plain data: a cluster, topics, producers, what the application does, what goes wrong, and what is
// expected. Written in TOML (docs/SCENARIOS.md), read by parse.h, run by scenarios/runner, served by `ktrial serve`.
//
// Everything is resolved: defaults are filled in, "t-{1..5000}" is 5000 topics, dotted keys are flat. What is still
// drawn at run time (ranges, "any", "leader:orders/0") says so in its type. Positions are those of the file, for
// messages.
#ifndef SCENARIOS_LANGUAGE_SCENARIO_H_
#define SCENARIOS_LANGUAGE_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/env/clock.h"
#include "core/types.h"
#include "scenarios/language/error.h"
#include "scenarios/language/expectation.h"
#include "scenarios/language/quantity.h"
#include "sim/fault/fault_spec.h"

namespace ktrial::scenario {

// A setting by Kafka's own name, as text.
struct Setting {
  Position position;
  std::string key;
  std::string value;
};
using Settings = std::vector<Setting>;  // In the order of the keys' names; no key twice.

struct Cluster {
  std::int32_t brokers = 0;  // Ids 1 to brokers.
  std::string version = "4.0";
  std::vector<std::string> bootstrap;  // Each a broker's id or "host:port".
  Settings settings;
};

// What differs for one broker.
struct Broker {
  Position position;
  NodeId id;
  std::optional<std::string> version;
  std::optional<std::string> rack;
  std::optional<Delay> latency;
  std::optional<Delay> service;
};

struct Topic {
  Position position;
  std::string name;
  std::int32_t partitions = 1;
  std::int32_t replication = 1;
  Settings settings;
};

struct ProducerSpec {
  Position position;
  std::string name;            // Empty for the one producer of [producer].
  std::int32_t instances = 1;  // That many alike; "NAME-1" to "NAME-N" where more than one.
  Settings settings;
};

enum class Arrival : std::uint8_t { kEven, kPoisson };

// What the callback of each record does.
struct CallbackAction {
  enum class Kind : std::uint8_t { kNothing, kSend, kFlush, kClose, kThrow, kBlock };
  Kind kind = Kind::kNothing;
  Duration block{};  // kBlock
};

enum class Then : std::uint8_t { kNothing, kFlush, kClose };

// One application thread that sends: at `rate`, or with at most `closed` outstanding, or as fast as Send returns.
struct Workload {
  Position position;
  std::string producer;  // Empty: the only one.
  std::string thread;
  sim::TopicSelector topic;                         // Several: in turn. "any": drawn for each record.
  std::optional<sim::PartitionSelector> partition;  // Absent: the partitioner's choice.
  std::optional<Rate> rate;
  std::optional<std::int64_t> closed;
  std::optional<std::int64_t> count;
  Arrival arrival = Arrival::kEven;
  Duration start{};
  Duration stop{};
  std::optional<std::int64_t> key_cardinality;  // Absent: no key.
  IntegerRange value_bytes{100, 100};
  CallbackAction on_callback;
  Then then = Then::kNothing;
};

// One call on a thread of the application.
struct Call {
  enum class Kind : std::uint8_t { kSend, kFlush, kClose, kPartitionsFor };
  Position position;
  DurationRange at;
  std::string producer;  // Empty: the only one.
  std::string thread;
  Kind kind = Kind::kSend;
  std::string topic;                        // kSend, kPartitionsFor
  std::optional<PartitionIndex> partition;  // kSend
  std::optional<std::string> key;           // kSend
  std::optional<std::string> value;         // kSend
  std::optional<Duration> timeout;          // kFlush, kClose; absent: none
};

// What goes wrong, in the words of the simulator.
struct Fault {
  Position position;
  sim::FaultSpec spec;
};

enum class Strategy : std::uint8_t { kRandom, kRoundRobin };
enum class Stalls : std::uint8_t { kNone, kRare, kOften };

struct Schedule {
  Strategy strategy = Strategy::kRandom;
  Stalls stalls = Stalls::kNone;
};

struct Scenario {
  std::string file;
  std::string title;
  std::vector<std::string> symptoms;
  Duration duration{};
  Duration settle{};
  Cluster cluster;
  std::vector<Broker> brokers;
  std::vector<Topic> topics;
  Delay latency;
  std::vector<ProducerSpec> producers;  // At least one.
  std::vector<Workload> workloads;
  std::vector<Call> calls;
  std::vector<Fault> faults;
  Schedule schedule;
  std::vector<Expectation> expectations;  // of [expect], then of [[expect_that]]
  // A negative scenario: exactly these checkers must fire.
  std::optional<std::vector<std::string>> violations;
};

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_SCENARIO_H_
