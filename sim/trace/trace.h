// Trace is the memory of one simulated run: a rolling 64-bit hash over every decision, draw, event and byte, and, for
// whoever asks, the events themselves.
//
// Two runs are equal if and only if their hashes are: the hash is what "a run is a function of its seed" is checked
// with. Only fields go into it, never structs (padding) and never addresses. After 1, 2, 4, 8, ... notes the hash so
// far is kept as a checkpoint, so that the first difference of two runs can be bracketed, and both run again with a
// sink for that window.
//
// A note costs about 2 ns without a sink: words are collected and hashed (XXH3) a kilobyte at a time.
//
// Thread safety: none. A Trace belongs to one Kernel; code that runs on simulated threads notes inside an
// UncheckedSection (sim/kernel/unchecked_section.h).
#ifndef SIM_TRACE_TRACE_H_
#define SIM_TRACE_TRACE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"
#include "sim/kernel/unchecked_section.h"

namespace ktrial::sim {

// What a note is about. The list is short on purpose: a kind is a column for a reader, not a class of object. The
// values are part of the hash, so numbers are never reused. `a` and `b` are what the kind says.
enum class TraceKind : std::uint8_t {
  // The kernel. The subject is a thread, except for kTimer and kDraw.
  kDecision = 1,  // this thread runs next; a: how many could, b: hash of the site where it stands
  kStall = 2,     // loses the CPU; a: nanoseconds
  kSpawn = 3,     // a: 1 for a daemon
  kExit = 4,
  kWait = 5,      // a: deadline, b: hash of the site
  kTimer = 6,     // an event of the heap runs; a: its moment, b: its number
  kDraw = 7,      // the subject is the stream; a: position, b: value
  kWallJump = 8,  // a: milliseconds
  // The network. The subject is a connection ("10.1.0.1:40001>10.0.0.1:9092"), seen from the side that acts.
  kOpen = 20,
  kAccept = 21,
  kOpened = 22,
  kSend = 23,         // a: bytes, b: hash of the bytes, text: the bytes
  kReceive = 24,      // a: bytes
  kClose = 25,        // a: CloseKind
  kEnded = 26,        // a: EndReason
  kResolve = 27,      // text: the host
  kNetworkRule = 28,  // text: the rule; a: 1 in force, 0 lifted
  // Brokers. The subject is a broker.
  kRequest = 40,   // a: api key, b: correlation id
  kResponse = 41,  // a: api key, b: correlation id
  kAppend = 42,    // a: base offset, b: records; text: topic-partition
  kCluster = 43,   // the cluster's state changed; text: how
  // The world.
  kFault = 60,       // text: the fault; a: 1 begins, 0 ends
  kClient = 61,      // what a producer's observer was told; text: what
  kCompletion = 62,  // a record is final; a: identity, b: Kafka's error code
  kViolation = 63,   // text: checker and finding
  kText = 64,
};
std::string_view TraceKindName(TraceKind kind);

// Names whom a note is about. Made once by AddSubject; numbers follow the order of making.
enum class Subject : std::uint32_t { kNone = 0 };

// One note, as a sink sees it. The views live for the call.
struct TraceEvent {
  std::uint64_t index = 0;  // 0, 1, 2, ... of the run
  Instant at;
  TraceKind kind = TraceKind::kText;
  std::string_view subject;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::string_view text;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void OnTraceEvent(const TraceEvent& event) = 0;
};

class Trace {
 public:
  struct Checkpoint {
    std::uint64_t count = 0;  // notes so far: a power of two
    std::uint64_t hash = 0;
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
  };

  Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // The name is noted too: a run with other names is another run.
  Subject AddSubject(std::string_view name);
  std::string_view name(Subject subject) const { return names_[static_cast<std::size_t>(subject)]; }

  void Note(TraceKind kind, Subject subject, std::uint64_t a = 0, std::uint64_t b = 0) {
    UncheckedSection unchecked;
    if (sink_ != nullptr) [[unlikely]]
      Tell(kind, subject, a, b, {});
    Put(kind, subject, a, b);
  }
  // b is the hash of the text, which the sink is given whole.
  void NoteText(TraceKind kind, Subject subject, std::uint64_t a, std::string_view text);

  // The virtual time of the notes that follow. The kernel's.
  void MoveTo(Instant now) { now_ = now; }

  // Of everything so far. The hash of equal runs is promised equal on any x86-64, for equal versions of ktrial.
  std::uint64_t hash() const;
  std::uint64_t count() const { return count_; }
  std::span<const Checkpoint> checkpoints() const { return checkpoints_; }

  // From now on `sink` is told every note; null: nobody. Not owned. Does not change the hash.
  void SetSink(TraceSink* sink) { sink_ = sink; }
  // For who can save work where nobody listens.
  bool has_sink() const { return sink_ != nullptr; }

 private:
  static constexpr std::size_t kWords = 126;  // three words a note, a kilobyte a round

  void Put(TraceKind kind, Subject subject, std::uint64_t a, std::uint64_t b) {
    std::uint64_t* const words = words_.data() + used_;
    words[0] = static_cast<std::uint64_t>(kind) | static_cast<std::uint64_t>(subject) << 8;
    words[1] = a;
    words[2] = b;
    used_ += 3;
    ++count_;
    if (used_ == kWords || (count_ & (count_ - 1)) == 0) [[unlikely]]
      Fold();
  }
  void Fold();
  void Tell(TraceKind kind, Subject subject, std::uint64_t a, std::uint64_t b, std::string_view text);

  std::array<std::uint64_t, kWords> words_;
  std::size_t used_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t hash_ = 0;
  Instant now_;
  TraceSink* sink_ = nullptr;
  std::vector<Checkpoint> checkpoints_;
  std::vector<std::string> names_;
};

// The window of notes (first, last] in which two runs first differ, from their checkpoints: the first `count` where the
// hashes differ is `last`, the one before is `first`. Both are 0 if the checkpoints show no difference (the runs may
// still differ after the last one).
struct TraceWindow {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
TraceWindow FirstDifference(std::span<const Trace::Checkpoint> one, std::span<const Trace::Checkpoint> other);

// The hash of a text, as notes have it.
std::uint64_t TraceHash(std::string_view text);

}  // namespace ktrial::sim

#endif  // SIM_TRACE_TRACE_H_
