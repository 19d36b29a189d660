#include "sim/trace/trace.h"

#include <chrono>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;

// `differs_at`: this note has another value.
void Fill(Trace& trace, int count, int differs_at = -1) {
  for (int i = 0; i < count; ++i) {
    trace.Note(TraceKind::kTimer, Subject::kNone, static_cast<std::uint64_t>(i), i == differs_at ? 1 : 0);
  }
}

std::uint64_t HashOf(int count, int differs_at = -1) {
  Trace trace;
  Fill(trace, count, differs_at);
  return trace.hash();
}

TEST(TraceTest, EveryNoteIsInTheHash) {
  const std::uint64_t hash = HashOf(1000);
  EXPECT_EQ(HashOf(1000), hash);
  EXPECT_NE(HashOf(999), hash);
  for (const int differs : {0, 1, 41, 42, 43, 500, 999}) EXPECT_NE(HashOf(1000, differs), hash) << differs;
}

TEST(TraceTest, LookingAtTheHashDoesNotChangeIt) {
  Trace watched;
  for (int i = 0; i < 100; ++i) {
    watched.Note(TraceKind::kTimer, Subject::kNone, static_cast<std::uint64_t>(i));
    watched.hash();
  }
  EXPECT_EQ(watched.hash(), HashOf(100));
}

TEST(TraceTest, CheckpointsStandAtPowersOfTwo) {
  Trace trace;
  Fill(trace, 20);
  std::vector<std::uint64_t> counts;
  for (const Trace::Checkpoint& checkpoint : trace.checkpoints()) counts.push_back(checkpoint.count);
  EXPECT_THAT(counts, ElementsAre(1, 2, 4, 8, 16));
  EXPECT_EQ(trace.checkpoints()[3].hash, HashOf(8));
}

TEST(TraceTest, CheckpointsBracketTheFirstDifference) {
  Trace one;
  Fill(one, 1000);
  Trace other;
  Fill(other, 1000, 300);
  const TraceWindow window = FirstDifference(one.checkpoints(), other.checkpoints());
  EXPECT_EQ(window.first, 256u);
  EXPECT_EQ(window.last, 512u);
}

TEST(TraceTest, EqualRunsHaveNoFirstDifference) {
  Trace one;
  Fill(one, 1000);
  Trace other;
  Fill(other, 1000);
  EXPECT_EQ(FirstDifference(one.checkpoints(), other.checkpoints()).last, 0u);
}

TEST(TraceTest, ASinkIsToldAndDoesNotChangeTheHash) {
  struct Sink final : TraceSink {
    std::vector<std::string> lines;
    void OnTraceEvent(const TraceEvent& event) override {
      lines.push_back(std::to_string(event.index) + " " + std::string(TraceKindName(event.kind)) + " " +
                      std::string(event.subject) + " " + std::to_string(event.a) + " " + std::string(event.text));
    }
  };
  const auto run = [](TraceSink* sink) {
    Trace trace;
    const Subject thread = trace.AddSubject("sender");
    trace.SetSink(sink);
    trace.Note(TraceKind::kSpawn, thread, 1);
    trace.NoteText(TraceKind::kSend, thread, 5, "bytes");
    return trace.hash();
  };
  Sink sink;
  EXPECT_EQ(run(&sink), run(nullptr));
  EXPECT_THAT(sink.lines, ElementsAre("1 spawn sender 1 ", "2 send sender 5 bytes"));
}

TEST(TraceTest, TextsAndNamesAreInTheHash) {
  const auto hash = [](const char* name, const char* text) {
    Trace trace;
    const Subject subject = trace.AddSubject(name);
    trace.NoteText(TraceKind::kSend, subject, 0, text);
    return trace.hash();
  };
  EXPECT_NE(hash("one", "x"), hash("two", "x"));
  EXPECT_NE(hash("one", "x"), hash("one", "y"));
}

// A hash is promised equal on any x86-64.
TEST(TraceTest, TheHashIsTheSameWithEveryCompiler) { EXPECT_EQ(HashOf(1000), 2131374815737749708u); }

}  // namespace
}  // namespace ktrial::sim
