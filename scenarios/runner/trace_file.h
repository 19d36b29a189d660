// Writes the events of a run into a file, one JSON object a line:
//
//   {"n":17,"t":0.000512,"kind":"send","subject":"10.1.0.1:40001>10.0.0.1:9092","a":74,"b":1234}
//
// n counts the events of the run (the first few, of its making, are not told), t is virtual seconds since its start, a
// and b are what the kind says (sim/trace/trace.h). `text` is there for kinds that have one; the bytes of a stream are
// not text and are left out.
#ifndef SCENARIOS_RUNNER_TRACE_FILE_H_
#define SCENARIOS_RUNNER_TRACE_FILE_H_

#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sim/trace/trace.h"

namespace ktrial::scenario {

class TraceFile : public sim::TraceSink {
 public:
  // Makes or replaces the file. UNAVAILABLE with the system's reason if that fails.
  static absl::StatusOr<std::unique_ptr<TraceFile>> Create(const std::string& path);
  ~TraceFile() override;

  void OnTraceEvent(const sim::TraceEvent& event) override;
  // Writes out what is buffered. UNAVAILABLE with the system's reason if any write has failed.
  absl::Status Finish();

 private:
  TraceFile(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  const std::string path_;
  std::FILE* file_;
  std::string line_;
  int error_ = 0;  // errno of the first write that failed
};

// One event of a run of sim/world.h as its line, without the line's end.
void AppendTraceLine(const sim::TraceEvent& event, std::string& line);

}  // namespace ktrial::scenario

#endif  // SCENARIOS_RUNNER_TRACE_FILE_H_
