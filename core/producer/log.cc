#include "core/producer/log.h"

#include <utility>

#include "core/check.h"

namespace ktrial {

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
    case LogLevel::kOff:
      return "off";
  }
  CheckFailed("known log level", __FILE__, __LINE__);
}

Logger::Logger(std::shared_ptr<LogSink> sink, LogLevel threshold, std::string source)
    : sink_(std::move(sink)), threshold_(threshold), source_(std::move(source)) {}

void Logger::Write(LogLevel level, std::string_view text) const {
  if (Writes(level)) sink_->Write(level, source_, text);
}

}  // namespace ktrial
