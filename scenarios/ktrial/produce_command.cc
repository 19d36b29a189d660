#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>

#include "core/env/posix/posix_env.h"
#include "core/producer/producer.h"
#include "scenarios/ktrial/commands.h"
#include "scenarios/ktrial/delivery_log.h"
#include "scenarios/ktrial/line_reader.h"

namespace ktrial::scenario {
namespace {

constexpr Duration kCloseAfterInterrupt = std::chrono::seconds(5);

volatile std::sig_atomic_t interrupts = 0;

// The first interrupt ends the input; what was read is still sent, for a while. The second ends everything.
void OnInterrupt(int) {
  if (interrupts > 0) _exit(kInterrupted);
  interrupts = 1;
}

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // Without SA_RESTART: a read of standard input must end.
  sigaction(SIGINT, &action, nullptr);
}

class StderrLog : public LogSink {
 public:
  void Write(LogLevel level, std::string_view source, std::string_view text) override {
    const std::string_view name = LogLevelName(level);
    std::fprintf(stderr, "%.*s: %.*s: %.*s\n", static_cast<int>(source.size()), source.data(),
                 static_cast<int>(name.size()), name.data(), static_cast<int>(text.size()), text.data());
  }
};

// Reports a wrong argument.
absl::StatusOr<ProducerConfig> MakeConfig(const ProduceCommandOptions& options) {
  std::map<std::string, std::string> values = {{"bootstrap.servers", options.bootstrap_server}};
  for (const std::string& property : options.properties) {
    const std::size_t equals = property.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError("-X " + property + ": no value, allowed: KEY=VALUE");
    }
    values[property.substr(0, equals)] = property.substr(equals + 1);
  }
  absl::StatusOr<ProducerConfig> config = ProducerConfig::Parse(values);
  if (!config.ok()) return config;
  config->log = std::make_shared<StderrLog>();
  config->log_level = options.verbose ? LogLevel::kDebug : LogLevel::kWarning;
  return config;
}

class LineSender {
 public:
  LineSender(const ProduceCommandOptions& options, Producer& producer)
      : options_(options), producer_(producer), begin_(std::chrono::steady_clock::now()) {}

  ExitStatus Run() {
    LineReader lines(STDIN_FILENO);
    std::uint64_t number = 0;
    while (interrupts == 0 && !given_up_) {
      const std::optional<std::string_view> line = lines.Next();
      if (!line) break;
      SendLine(*line, ++number);
      if (number % kProgressLines == 0) ShowProgress();
    }
    if (!lines.error().empty()) std::fprintf(stderr, "standard input: %s\n", lines.error().c_str());
    const bool interrupted = interrupts != 0;
    (void)producer_.Close(interrupted ? kCloseAfterInterrupt : Duration::max());  // what it gave up is in the log
    Summarize(number, lines.error().empty());
    if (interrupted) return kInterrupted;
    const DeliveryLog::Counts counts = log_.counts();
    const bool all = counts.acknowledged == counts.sent && !given_up_ && lines.error().empty();
    return all ? kHolds : kFails;
  }

 private:
  static constexpr std::uint64_t kProgressLines = 4096;

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
    if (waited && log_.counts().failed > failed_before) {
      std::fprintf(stderr, "stopped at line %llu: what follows it was not sent\n",
                   static_cast<unsigned long long>(number));
      given_up_ = true;
    }
  }

  void ShowProgress() {
    if (!options_.output.progress) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(500)) return;
    shown_ = now;
    const DeliveryLog::Counts counts = log_.counts();
    std::fprintf(stderr, "\r\033[K%llu sent, %llu acknowledged, %llu failed",
                 static_cast<unsigned long long>(counts.sent), static_cast<unsigned long long>(counts.acknowledged),
                 static_cast<unsigned long long>(counts.failed));
  }

  void Summarize(std::uint64_t lines, bool whole) {
    if (options_.output.progress) std::fprintf(stderr, "\r\033[K");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    const DeliveryLog::Counts counts = log_.counts();
    std::fprintf(stderr, "%llu lines%s: %llu acknowledged, %llu failed in %.2f s (%.0f/s)\n",
                 static_cast<unsigned long long>(lines), whole && !given_up_ ? "" : " (not all of the input)",
                 static_cast<unsigned long long>(counts.acknowledged), static_cast<unsigned long long>(counts.failed),
                 took.count(), took.count() > 0 ? static_cast<double>(counts.acknowledged) / took.count() : 0);
  }

  const ProduceCommandOptions& options_;
  Producer& producer_;
  DeliveryLog log_;
  bool given_up_ = false;
  const std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace

ExitStatus ProduceCommand(const ProduceCommandOptions& options) {
  const absl::StatusOr<ProducerConfig> config = MakeConfig(options);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return kWrongInput;
  }
  if (options.key_delimiter && options.key_delimiter->empty()) {
    std::fprintf(stderr, "-K: found an empty delimiter, allowed: one character or more\n");
    return kWrongInput;
  }
  CatchInterrupts();
  const std::unique_ptr<Env> env = MakePosixEnv();
  absl::StatusOr<std::unique_ptr<Producer>> producer = Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(producer.status().message()).c_str());
    return kWrongInput;
  }
  return LineSender(options, **producer).Run();
}

}  // namespace ktrial::scenario
