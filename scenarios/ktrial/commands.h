// The commands of `ktrial`, one function each. main.cc turns the command line into these options.
//
// Results go to standard output, progress and errors to standard error. Each function returns the exit status.
#ifndef SCENARIOS_KTRIAL_COMMANDS_H_
#define SCENARIOS_KTRIAL_COMMANDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/ktrial/exit_status.h"

namespace ktrial::scenario {

// How results are shown.
struct Output {
  bool json = false;               // one object a line, input errors included
  bool color = false;              // on standard output
  bool progress = false;           // standard error is a terminal
  std::string program = "ktrial";  // as it was called, for lines to paste
};

struct RunCommandOptions {
  Output output;
  std::vector<std::string> paths;  // files, folders, "-"
  std::uint64_t seed = 1;
  std::vector<std::string> overrides;
  std::string trace_file;  // empty: none
  bool check_determinism = false;
};
ExitStatus RunCommand(const RunCommandOptions& options);

struct CheckCommandOptions {
  Output output;
  std::vector<std::string> paths;
  std::vector<std::string> overrides;
};
ExitStatus CheckCommand(const CheckCommandOptions& options);

struct ListCommandOptions {
  Output output;
  std::vector<std::string> paths;
  std::string symptom;  // empty: all
};
ExitStatus ListCommand(const ListCommandOptions& options);

struct ProduceCommandOptions {
  Output output;
  std::string bootstrap_server;  // empty: as a property or the file says
  std::string topic;
  std::string config_file;                   // a .properties file; empty: none
  std::vector<std::string> properties;       // "key=value"; they win over the file
  std::string profile;                       // another client's defaults and names; empty: Kafka's own
  std::optional<std::string> key_delimiter;  // absent: lines are values
  std::optional<std::int32_t> partition;
  std::optional<std::int64_t> transaction_records;  // lines of a transaction, with transactional.id; absent: 1000
  bool verbose = false;
};
ExitStatus ProduceCommand(const ProduceCommandOptions& options);

// Lists the keys of the producer's configuration.
struct ConfigCommandOptions {
  Output output;
  std::vector<std::string> names;  // empty: all
  std::string profile;  // as another client has them, and what still differs from it; empty: as Kafka has them
};
ExitStatus ConfigCommand(const ConfigCommandOptions& options);

struct ServeCommandOptions {
  Output output;
  std::string path;
  std::vector<std::string> overrides;
  std::uint64_t seed = 1;
  std::uint16_t port = 0;  // of the first broker; 0: any
  std::string advertise;   // empty: the address that is listened on
  std::vector<std::string> command;
};
ExitStatus ServeCommand(const ServeCommandOptions& options);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_KTRIAL_COMMANDS_H_
