#include "scenarios/runner/trace_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "core/version.h"
#include "sim/world.h"

namespace ktrial::scenario {
namespace {

void AppendString(std::string_view text, std::string& line) {
  line += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      // Bytes above ASCII are shown one by one: a trace is for looking at, and its text is ASCII but for names from
      // outside.
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  line += '"';
}

absl::Status Unavailable(const std::string& path, int error) {
  return absl::UnavailableError(path + ": " + std::strerror(error));
}

}  // namespace

void AppendTraceLine(const sim::TraceEvent& event, std::string& line) {
  const std::int64_t nanos = (event.at - sim::WorldStart()).count();
  fmt::format_to(std::back_inserter(line), R"({{"n":{},"t":{}.{:09},"kind":"{}","subject":)", event.index,
                 nanos / 1'000'000'000, nanos % 1'000'000'000, sim::TraceKindName(event.kind));
  AppendString(event.subject, line);
  fmt::format_to(std::back_inserter(line), R"(,"a":{},"b":{})", event.a, event.b);
  if (!event.text.empty() && event.kind != sim::TraceKind::kSend) {
    line += R"(,"text":)";
    AppendString(event.text, line);
  }
  line += '}';
}

absl::StatusOr<std::unique_ptr<TraceFile>> TraceFile::Create(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return Unavailable(path, errno);
  fmt::print(file, "{{\"ktrial\":\"{}\"}}\n", kSoftwareVersion);
  return std::unique_ptr<TraceFile>(new TraceFile(path, file));
}

TraceFile::~TraceFile() { std::fclose(file_); }

void TraceFile::OnTraceEvent(const sim::TraceEvent& event) {
  line_.clear();
  AppendTraceLine(event, line_);
  line_ += '\n';
  const bool written = std::fwrite(line_.data(), 1, line_.size(), file_) == line_.size();
  if (!written && error_ == 0) error_ = errno;
}

absl::Status TraceFile::Finish() {
  if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
  return error_ == 0 ? absl::OkStatus() : Unavailable(path_, error_);
}

}  // namespace ktrial::scenario
