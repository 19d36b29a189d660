// The program `ktrial`: its command line. What the commands do is in the files named after them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>

#include "core/check.h"
#include "core/producer/profile.h"
#include "core/version.h"
#include "scenarios/ktrial/commands.h"

namespace ktrial::scenario {
namespace {

constexpr char kFooter[] =
    "Exit status: 0 holds, 1 an expectation or invariant failed, 2 wrong input or arguments,\n"
    "3 a defect of the simulator, 130 interrupted, 143 terminated.";

struct Options {
  Output output;
  std::string color = "auto";
  RunCommandOptions run;
  CheckCommandOptions check;
  ListCommandOptions list;
  ProduceCommandOptions produce;
  ConfigCommandOptions config;
  ServeCommandOptions serve;
  std::string delimiter;
  std::int32_t partition = 0;
  std::int64_t transaction_records = 0;
};

bool UseColor(const std::string& choice, int descriptor) {
  if (choice != "auto") return choice == "always";
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && isatty(descriptor) != 0;
}

void AddOutput(CLI::App& command, Options& options) {
  command.add_flag("--json", options.output.json, "One JSON object a line on standard output");
  command.add_option("--color", options.color, "always, never or auto (default; NO_COLOR counts)")
      ->check(CLI::IsMember({"always", "never", "auto"}));
}

void AddOverrides(CLI::App& command, std::vector<std::string>& overrides) {
  command.add_option("--set", overrides, "Change the scenario: producer.linger.ms=5, schedule.stalls=rare, ...")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

// What a number of 64 bits without a sign may look like; the parser would wrap -1 and cut what is too large.
std::string CheckSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return "";
  return "\"" + text + "\" is not a seed, allowed: 0 to 18446744073709551615";
}

// The brokers' ports follow it, so it has none of its own.
std::string CheckHost(const std::string& text) {
  const auto colons = std::count(text.begin(), text.end(), ':');
  const bool blank = text.empty() || text.find_first_of(" \t,/") != std::string::npos;
  if (!blank && colons != 1) return "";
  return "\"" + text + "\" is not a host, allowed: a name or an IP address, without a port";
}

CLI::App* AddRun(CLI::App& app, Options& options) {
  CLI::App* run = app.add_subcommand("run", "Run scenarios in the simulator: would a correct producer survive this?");
  run->add_option("FILE", options.run.paths, "Scenario files, folders, or - for standard input")->required();
  run->add_option("--seed", options.run.seed, "The run is a function of it")->check(CheckSeed)->capture_default_str();
  AddOverrides(*run, options.run.overrides);
  run->add_option("--trace", options.run.trace_file, "Write every event, a JSON object a line")->type_name("F.jsonl");
  run->add_flag("--check-determinism", options.run.check_determinism, "Run twice and show the first difference");
  AddOutput(*run, options);
  return run;
}

CLI::App* AddCheck(CLI::App& app, Options& options) {
  CLI::App* check = app.add_subcommand("check", "Validate scenario files only");
  check->add_option("FILE", options.check.paths, "Scenario files, folders, or -")->required();
  AddOverrides(*check, options.check.overrides);
  AddOutput(*check, options);
  return check;
}

CLI::App* AddList(CLI::App& app, Options& options) {
  CLI::App* list = app.add_subcommand("list", "Show a library of scenarios");
  list->add_option("FOLDER", options.list.paths, "Where to look (default: scenarios, here or as installed)");
  list->add_option("--symptom", options.list.symptom, "Only those with this symptom: a word from a log");
  AddOutput(*list, options);
  return list;
}

void AddProfile(CLI::App& command, std::string& profile) {
  command.add_option("--profile", profile, "Keys, defaults and their meaning as in " + ProfileNames())
      ->type_name("NAME");
}

CLI::App* AddConfig(CLI::App& app, Options& options) {
  CLI::App* config =
      app.add_subcommand("config", "Show the producer's configuration keys: type, default, valid values");
  config->add_option("NAME", options.config.names, "Only these (default: all)");
  AddProfile(*config, options.config.profile);
  config->add_flag("--json", options.output.json, "One JSON object a line on standard output");
  return config;
}

CLI::App* AddProduce(CLI::App& app, Options& options) {
  CLI::App* produce = app.add_subcommand("produce", "Send each line of standard input to a real cluster");
  ProduceCommandOptions& target = options.produce;
  produce->add_option("-b,--bootstrap-server", target.bootstrap_server, "Where to start")->type_name("HOST:PORT,...");
  produce->add_option("-t,--topic", target.topic, "Where to send")->required();
  produce
      ->add_option("--producer-config", target.config_file,
                   "A .properties file, as for Kafka's own tools; -X wins over it")
      ->type_name("FILE");
  AddProfile(*produce, target.profile);
  produce->add_option("-X,--property", target.properties, "The producer's configuration, by Kafka's own keys")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  produce->add_option("-K,--key-delimiter", options.delimiter, "Lines are KEY DELIM VALUE")->type_name("DELIM");
  produce->add_option("-p,--partition", options.partition, "Send all there (default: the partitioner's choice)")
      ->check(CLI::Range(0, std::numeric_limits<std::int32_t>::max()));
  produce
      ->add_option("--transaction-records", options.transaction_records,
                   "With -X transactional.id=...: lines that are committed together (default 1000); "
                   "fewer if none comes for 1 s")
      ->check(CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max()));
  produce->add_flag("-v,--verbose", target.verbose, "Show what the producer logs");
  return produce;
}

CLI::App* AddServe(CLI::App& app, Options& options) {
  CLI::App* serve =
      app.add_subcommand("serve", "Put any Kafka client on trial: the same brokers and faults on real ports");
  ServeCommandOptions& target = options.serve;
  serve->add_option("FILE", target.path, "A scenario file, or -")->required();
  serve->add_option("--port", target.port, "Of the first broker, the others follow; 0: any free ones")
      ->capture_default_str();
  serve->add_option("--advertise", target.advertise, "Listen on all interfaces and tell clients this host")
      ->type_name("HOST")
      ->check(CheckHost);
  serve->add_option("--seed", target.seed, "Of what is drawn")->check(CheckSeed)->capture_default_str();
  AddOverrides(*serve, target.overrides);
  AddOutput(*serve, options);
  serve->footer("-- CMD...: run it with KTRIAL_BOOTSTRAP in its environment; the verdict comes when it ends.");
  return serve;
}

ExitStatus Dispatch(const CLI::App& app, Options& options) {
  options.output.color = UseColor(options.color, STDOUT_FILENO);
  options.output.progress = isatty(STDERR_FILENO) != 0;
  options.run.output = options.check.output = options.list.output = options.output;
  options.produce.output = options.serve.output = options.config.output = options.output;
  if (app.got_subcommand("run")) return RunCommand(options.run);
  if (app.got_subcommand("check")) return CheckCommand(options.check);
  if (app.got_subcommand("list")) {
    if (options.list.paths.empty()) options.list.paths = {"scenarios"};
    return ListCommand(options.list);
  }
  if (app.got_subcommand("config")) return ConfigCommand(options.config);
  if (app.got_subcommand("produce")) return ProduceCommand(options.produce);
  return ServeCommand(options.serve);
}

// What was printed must have arrived: a full disk or a closed descriptor loses results, and nobody reads what is not
// there.
ExitStatus CheckOutput(ExitStatus status) {
  errno = 0;
  const bool out = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.flush().good();
  if (!out) {
    std::fprintf(stderr, "standard output: cannot be written%s%s\n", errno != 0 ? ": " : "",
                 errno != 0 ? std::strerror(errno) : "");
  }
  const bool err = std::ferror(stderr) == 0 && std::cerr.good();
  return out && err ? status : Worse(status, kWrongInput);
}

ExitStatus Main(int argc, char** argv) {
  Options options;
  options.output.program = argc > 0 ? argv[0] : "ktrial";
  // What follows "--" is the command that serve runs, options and all; CLI11 would look into it.
  int own = argc;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--" || std::string_view(argv[1]) != "serve") continue;
    own = i;
    options.serve.command.assign(argv + i + 1, argv + argc);
    break;
  }
  CLI::App app("A Kafka producer that can be put on trial.", "ktrial");
  app.set_version_flag("--version", std::string("ktrial ") + kSoftwareVersion);
  app.require_subcommand(1);
  app.footer(kFooter);
  AddRun(app, options);
  AddCheck(app, options);
  AddList(app, options);
  const CLI::App* produce = AddProduce(app, options);
  AddConfig(app, options);
  AddServe(app, options);
  try {
    app.parse(own, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error, std::cout, std::cerr);
    return code == 0 ? kHolds : kWrongInput;
  }
  if (produce->count("-K") > 0) options.produce.key_delimiter = options.delimiter;
  if (produce->count("-p") > 0) options.produce.partition = options.partition;
  if (produce->count("--transaction-records") > 0) options.produce.transaction_records = options.transaction_records;
  return Dispatch(app, options);
}

// A failed check that nobody else handles is a defect of ours.
void ExitOnFailedCheck(void*, std::string_view text) {
  std::cerr << "ktrial: a defect: " << text << std::endl;
  std::_Exit(kDefect);
}

void ExitOnInterrupt(int) { _exit(kInterrupted); }

}  // namespace
}  // namespace ktrial::scenario

int main(int argc, char** argv) {
  std::signal(SIGINT, ktrial::scenario::ExitOnInterrupt);
  std::signal(SIGPIPE, SIG_IGN);
  ktrial::ExchangeCheckFailureHook({ktrial::scenario::ExitOnFailedCheck, nullptr});
  return ktrial::scenario::CheckOutput(ktrial::scenario::Main(argc, argv));
}
