// What the two producers of the comparison have in common, so that they are given the same work: their command line, the values
// of the records, the pace, and the line that they print.
//
//   PROGRAM HOST:PORT RECORDS BYTES [--threads N] [--rate N] [--text] [KEY=VALUE...]
//
//   --threads   so many threads send, each its share of the records
//   --rate      so many records a second, evenly, by one thread; the time from each send to its callback is measured
//   --text      values of words, which a codec can halve, instead of one letter
//   KEY=VALUE   configuration of the producer
//
// Prints "DELIVERED ERRORS P50 P99": counts, and nanoseconds (0 without --rate).
#ifndef BENCH_REAL_LOAD_H_
#define BENCH_REAL_LOAD_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ktrial::bench {

inline constexpr int kPartitions = 12;

struct Load {
  std::string bootstrap;
  std::int64_t records = 0;
  std::size_t bytes = 0;
  int threads = 1;
  std::int64_t rate = 0;  // 0: as fast as it goes.
  bool text = false;
  std::map<std::string, std::string> settings;
};

// Ends the program with what is wrong.
Load ParseLoad(int argc, char** argv);

// What records hold, in turn.
class Values {
 public:
  explicit Values(const Load& load);
  std::string_view Of(std::int64_t record) const { return values_[static_cast<std::size_t>(record) % values_.size()]; }

 private:
  std::vector<std::string> values_;
};

// Monotonic nanoseconds.
std::int64_t NowNanos();
// Waits until record number `record` is due, with --rate.
class Pace {
 public:
  explicit Pace(const Load& load) : rate_(load.rate), start_(NowNanos()) {}
  void Await(std::int64_t record) const;

 private:
  const std::int64_t rate_;
  const std::int64_t start_;
};

// What one thread, on which the callbacks run, counts.
struct Tally {
  std::int64_t delivered = 0;
  std::int64_t errors = 0;
  std::vector<std::int64_t> nanos;  // With --rate, of each record.
};
// Prints the line. 0 if every record was delivered, else 1.
int Report(const Load& load, Tally tally);

}  // namespace ktrial::bench

#endif  // BENCH_REAL_LOAD_H_
