#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/env/posix/config_providers.h"
#include "core/env/posix/posix_env.h"
#include "core/env/threads.h"
#include "core/producer/config_properties.h"
#include "core/producer/producer.h"
#include "core/producer/profile.h"
#include "scenarios/ktrial/arguments.h"
#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/delivery_log.h"
#include "scenarios/ktrial/files.h"
#include "scenarios/ktrial/interrupts.h"
#include "scenarios/ktrial/line_reader.h"
#include "scenarios/ktrial/line_transactions.h"
#include "scenarios/ktrial/progress_line.h"

namespace ktrial::scenario {
namespace {

// An interrupt ends the input; what was read is still sent, for so long.
constexpr Duration kCloseAfterInterrupt = std::chrono::seconds(2);

constexpr std::int64_t kLinesOfTransaction = 1000;
// A transaction does not stay open while no more lines come: readers would wait for it, and its coordinator abort it.
constexpr int kIdleCommitMillis = 1000;

// Closes the producer when an interrupt comes: that also ends a Send that waits, and a Close that has more time.
class CloseOnInterrupt {
 public:
  CloseOnInterrupt(Threads& threads, Producer& producer) {
    KT_CHECK(pipe2(over_, O_CLOEXEC) == 0);
    thread_ = threads.Spawn("interrupts", [this, &producer] {
      pollfd waits[] = {{InterruptDescriptor(), POLLIN, 0}, {over_[0], POLLIN, 0}};
      while (poll(waits, 2, -1) < 0 && errno == EINTR) {
      }
      if (InterruptSignal() != 0) producer.Close(kCloseAfterInterrupt).IgnoreError();  // what it gave up is in the log
    });
  }
  ~CloseOnInterrupt() {
    close(over_[1]);  // Its reader wakes up.
    KT_CHECK(thread_->Join(Instant::Never()));
    close(over_[0]);
  }
  CloseOnInterrupt(const CloseOnInterrupt&) = delete;
  CloseOnInterrupt& operator=(const CloseOnInterrupt&) = delete;

 private:
  int over_[2] = {-1, -1};
  std::unique_ptr<Thread> thread_;
};

class StderrLog : public LogSink {
 public:
  void Write(LogLevel level, std::string_view source, std::string_view text) override {
    const std::string_view name = LogLevelName(level);
    std::fprintf(stderr, "%.*s: %.*s: %.*s\n", static_cast<int>(source.size()), source.data(),
                 static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()), text.data());
  }
};

// Where each key was given, for errors: "f.properties:3".
using Places = std::map<std::string, std::string>;

absl::Status ReadConfigFile(const std::string& path, std::map<std::string, std::string>& values, Places& places) {
  const absl::StatusOr<std::string> content = ReadAll(path);
  if (!content.ok()) {
    return absl::InvalidArgumentError(path + ": cannot be read: " + std::string(content.status().message()));
  }
  const absl::StatusOr<PropertyFile> file = ParseProperties(*content, path);
  if (!file.ok()) return file.status();
  for (const auto& [key, value] : *file) {
    values[key] = value.text;
    places[key] = path + ":" + std::to_string(value.line);
  }
  return absl::OkStatus();
}

// The file, -b and -X, the later over the earlier. Values are never shown: they may be secret.
absl::Status Collect(const ProduceCommandOptions& options, const ConfigProfile* profile,
                     std::map<std::string, std::string>& values, Places& places) {
  if (!options.config_file.empty()) {
    const absl::Status read = ReadConfigFile(options.config_file, values, places);
    if (!read.ok()) return read;
  }
  // With a profile one key may have several names; what the file says by one must not stand against another.
  const auto overrule = [&](const std::string& key, const std::string& value, const std::string& place) {
    const ProfileAlias* alias = profile == nullptr ? nullptr : FindAlias(*profile, key);
    const std::string_view meant = alias == nullptr ? std::string_view(key) : alias->key;
    std::erase_if(values, [&](const auto& other) {
      const ProfileAlias* its = profile == nullptr ? nullptr : FindAlias(*profile, other.first);
      const bool same = (its == nullptr ? std::string_view(other.first) : its->key) == meant && !meant.empty();
      return same && !places[other.first].starts_with("-X");
    });
    values[key] = value;
    places[key] = place;
  };
  if (!options.bootstrap_server.empty()) overrule("bootstrap.servers", options.bootstrap_server, "-b");
  for (const std::string& property : options.properties) {
    const std::size_t equals = property.find('=');
    if (equals == std::string::npos)
      return absl::InvalidArgumentError("-X " + property + ": no value, allowed: KEY=VALUE");
    if (equals == 0) return absl::InvalidArgumentError("-X: a value without a key, allowed: KEY=VALUE");
    const std::string key = property.substr(0, equals);
    if (const auto place = places.find(key); place != places.end() && place->second == "-b") {
      return absl::InvalidArgumentError("-X " + key + ": -b says it too, allowed: one of them");
    }
    overrule(key, property.substr(equals + 1), "-X " + key);
  }
  return absl::OkStatus();
}

// What is wrong, a line each that begins with its place.
absl::StatusOr<ProducerConfig> MakeConfig(const ProduceCommandOptions& options, const ConfigProfile* profile) {
  std::map<std::string, std::string> values;
  Places places;
  const absl::Status collected = Collect(options, profile, values, places);
  if (!collected.ok()) return collected;
  std::vector<ConfigProblem> problems;
  absl::StatusOr<ProducerConfig> config =
      ProducerConfig::Parse(values, &problems, profile, MakePosixConfigProviders().get());
  std::string text;
  for (const ConfigProblem& problem : problems) {
    const auto place = places.find(problem.key);
    text += text.empty() ? "" : "\n";
    if (place != places.end()) text += place->second + ": ";
    text += problem.text;
    if (place == places.end() && problem.key == "bootstrap.servers") text += "; -b gives it";
  }
  if (!config.ok()) return absl::InvalidArgumentError(text);
  config->log = std::make_shared<StderrLog>();
  config->log_level = options.verbose ? LogLevel::kDebug : LogLevel::kWarning;
  return config;
}

class LineSender {
 public:
  LineSender(const ProduceCommandOptions& options, Threads& threads, Producer& producer)
      : options_(options),
        threads_(threads),
        producer_(producer),
        begin_(std::chrono::steady_clock::now()),
        progress_(options.output.progress) {
    if (!producer.config().transactional_id.empty()) {
      transactions_.emplace(producer, options.transaction_records.value_or(kLinesOfTransaction),
                            [] { return InterruptSignal() != 0; });
    }
  }

  ExitStatus Run() {
    LineReader lines(STDIN_FILENO, InterruptDescriptor());
    std::uint64_t number = 0;
    {
      const CloseOnInterrupt closer(threads_, producer_);
      if (transactions_) {
        given_up_ = !transactions_->Start();
        lines.CallWhenIdle(kIdleCommitMillis, [this] { given_up_ = given_up_ || !transactions_->Commit(); });
      }
      while (InterruptSignal() == 0 && !given_up_) {
        const std::optional<std::string_view> line = lines.Next();
        if (!line || given_up_) break;
        if (transactions_ && !transactions_->BeforeLine(number + 1)) {
          given_up_ = true;
          break;
        }
        SendLine(*line, ++number);
        if (transactions_ && !transactions_->AfterLine()) given_up_ = true;
        if (number % kProgressLines == 0) ShowProgress();
      }
      if (!lines.error().empty()) std::fprintf(stderr, "standard input: %s\n", lines.error().c_str());
      EndTransactions(lines.error().empty());
      producer_.Close().IgnoreError();  // what it gave up is in the log
    }
    const bool interrupted = InterruptSignal() != 0;
    Summarize(number, lines.error().empty() && !interrupted);
    if (interrupted) return InterruptStatus();
    const DeliveryLog::Counts counts = log_.counts();
    const bool committed = !transactions_ || transactions_->committed_lines() == number;
    const bool all = counts.acknowledged == counts.sent && committed && !given_up_ && lines.error().empty();
    return all ? kHolds : kFails;
  }

 private:
  static constexpr std::uint64_t kProgressLines = 1024;

  void SendLine(std::string_view line, std::uint64_t number) {
    Record record;
    record.topic = options_.topic;
    record.value = line;
    if (options_.partition) record.partition = PartitionIndex(*options_.partition);
    if (options_.key_delimiter) {
      const std::size_t at = line.find(*options_.key_delimiter);
      if (at != std::string_view::npos) {
        record.key = line.substr(0, at);
        record.value = line.substr(at + options_.key_delimiter->size());
      }
    }
    const std::chrono::steady_clock::time_point called = std::chrono::steady_clock::now();
    const std::uint64_t failed_before = log_.counts().failed;
    producer_.Send(record, log_.ForLine(number));
    // Send has waited max.block.ms for nothing: the next line would, too, and a file has many.
    const bool waited = std::chrono::steady_clock::now() - called >= producer_.config().max_block;
    if (waited && log_.counts().failed > failed_before && InterruptSignal() == 0) {
      std::fprintf(stderr, "stopped at line %llu: what follows it was not sent\n",
                   static_cast<unsigned long long>(number));
      given_up_ = true;
    }
  }

  // Half of an input is not what was meant to be committed.
  void EndTransactions(bool readable) {
    if (!transactions_ || given_up_) return;
    if (InterruptSignal() != 0) {
      transactions_->Abort("interrupted");
    } else if (!readable) {
      transactions_->Abort("standard input ended with an error");
    } else if (!transactions_->Commit()) {
      given_up_ = true;
    }
  }

  void ShowProgress() {
    progress_.Show([this] {
      const DeliveryLog::Counts counts = log_.counts();
      return fmt::format("{} sent, {} acknowledged, {} failed", counts.sent, counts.acknowledged, counts.failed);
    });
  }

  void Summarize(std::uint64_t lines, bool whole) {
    progress_.Clear();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    const DeliveryLog::Counts counts = log_.counts();
    std::fprintf(stderr, "%llu line%s%s: %llu acknowledged, %llu failed in %.2f s (%.0f/s)\n",
                 static_cast<unsigned long long>(lines), lines == 1 ? "" : "s",
                 whole && !given_up_ ? "" : " (not all of the input)",
                 static_cast<unsigned long long>(counts.acknowledged), static_cast<unsigned long long>(counts.failed),
                 took.count(), took.count() > 0 ? static_cast<double>(counts.acknowledged) / took.count() : 0);
    if (!transactions_) return;
    const std::uint64_t unknown = transactions_->unknown_lines();
    std::fprintf(stderr, "%s\n",
                 fmt::format("{} of them committed, in {} transaction{}{}", transactions_->committed_lines(),
                             transactions_->committed(), transactions_->committed() == 1 ? "" : "s",
                             unknown == 0 ? "" : fmt::format("; the outcome of {} is unknown", unknown))
                     .c_str());
  }

  const ProduceCommandOptions& options_;
  Threads& threads_;
  Producer& producer_;
  DeliveryLog log_;
  std::optional<LineTransactions> transactions_;
  bool given_up_ = false;
  const std::chrono::steady_clock::time_point begin_;
  ProgressLine progress_;
};

}  // namespace

ExitStatus ProduceCommand(const ProduceCommandOptions& options) {
  const std::optional<const ConfigProfile*> profile = ProfileByName(options.profile, options.output);
  if (!profile) return kWrongInput;
  const absl::StatusOr<ProducerConfig> config = MakeConfig(options, *profile);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return kWrongInput;
  }
  if (options.key_delimiter && options.key_delimiter->empty()) {
    std::fprintf(stderr, "-K: found an empty delimiter, allowed: one character or more\n");
    return kWrongInput;
  }
  if (options.transaction_records && config->transactional_id.empty()) {
    std::fprintf(stderr, "--transaction-records: needs a producer with transactions, -X transactional.id=NAME\n");
    return kWrongInput;
  }
  CatchInterrupts();
  const std::unique_ptr<Env> env = MakePosixEnv();
  absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(producer.status().message()).c_str());
    return kWrongInput;
  }
  return LineSender(options, env->threads(), **producer).Run();
}

}  // namespace ktrial::scenario
