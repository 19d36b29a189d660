#include "scenarios/runner/trace_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <iterator>

#include "scenarios/runner/version.h"

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
      // Bytes above ASCII are shown one by one: a trace is for looking at, and its text is ASCII but for names from outside.
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", byte);
    } else {
      line += c;
    }
  }
  line += '"';
}

absl::Status Unavailable(const std::string& path) { return absl::UnavailableError(path + ": " + std::strerror(errno)); }

}  // namespace

void AppendTraceLine(const sim::TraceEvent& event, std::string& line) {
  fmt::format_to(std::back_inserter(line), R"({{"n":{},"t":{}.{:09},"kind":"{}","subject":)", event.index,
                 event.at.nanos() / 1'000'000'000, event.at.nanos() % 1'000'000'000, sim::TraceKindName(event.kind));
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
  if (file == nullptr) return Unavailable(path);
  fmt::print(file, "{{\"ktrial\":\"{}\"}}\n", kVersion);
  return std::unique_ptr<TraceFile>(new TraceFile(path, file));
}

TraceFile::~TraceFile() { std::fclose(file_); }

void TraceFile::OnTraceEvent(const sim::TraceEvent& event) {
  line_.clear();
  AppendTraceLine(event, line_);
  line_ += '\n';
  std::fwrite(line_.data(), 1, line_.size(), file_);
}

absl::Status TraceFile::Finish() {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0) return Unavailable(path_);
  return absl::OkStatus();
}

}  // namespace ktrial::scenario
