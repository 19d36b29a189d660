// LogSink is where a producer's words for people go. The application gives one with the configuration; without one,
// nothing is written anywhere (a library does not own standard error).
//
// Lines are about events that a person would want to read when something is wrong: a connection that failed, a batch
// that is sent again, a key of the configuration that has no effect. Records, keys, values and secrets never appear.
#ifndef CORE_PRODUCER_LOG_H_
#define CORE_PRODUCER_LOG_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ktrial {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };
// "debug", "info", "warning", "error", "off".
std::string_view LogLevelName(LogLevel level);

// Thread safety: Write is called from any thread, several at once.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // `source` is the producer's client.id. One line without its end. Must not call the producer; must not throw.
  virtual void Write(LogLevel level, std::string_view source, std::string_view text) = 0;
};

// A sink with a threshold and a name: what the producer's parts hold. Copying is cheap. Thread-safe as its sink is.
class Logger {
 public:
  Logger() = default;  // Writes nothing.
  Logger(std::shared_ptr<LogSink> sink, LogLevel threshold, std::string source);

  // Ask before building a text that costs something.
  bool Writes(LogLevel level) const { return sink_ != nullptr && level >= threshold_ && level != LogLevel::kOff; }
  void Write(LogLevel level, std::string_view text) const;

 private:
  std::shared_ptr<LogSink> sink_;
  LogLevel threshold_ = LogLevel::kOff;
  std::string source_;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_LOG_H_
