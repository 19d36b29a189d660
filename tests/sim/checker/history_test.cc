#include "sim/checker/history.h"

#include <gtest/gtest.h>

namespace ktrial::sim {
namespace {

constexpr Instant At(std::int64_t nanos) { return Instant::FromNanos(nanos); }

TEST(HistoryTest, EntryIsFoundByItsIdentity) {
  History history;
  history.OpenStream({.workload = "other"});
  RecordStream& stream = history.OpenStream({.workload = "app-1"});
  // Over several blocks.
  for (std::int64_t i = 0; i < 5000; ++i) {
    RecordEntry* const entry = history.Call(stream, 0, At(i));
    ASSERT_EQ(History::IdOf(*entry), stream.id(i));
    ASSERT_EQ(history.Find(stream.id(i)), entry);
    ASSERT_EQ(&History::StreamOf(*entry), &stream);
  }
}

TEST(HistoryTest, EntriesDoNotMove) {
  History history;
  RecordStream& stream = history.OpenStream({});
  RecordEntry* const first = history.Call(stream, 0, At(7));
  for (int i = 0; i < 10'000; ++i) history.Call(stream, 0, At(i));
  EXPECT_EQ(&stream.at(0), first);
  EXPECT_EQ(first->scheduled_nanos, 7);
}

TEST(HistoryTest, UnknownIdentityIsNotFound) {
  History history;
  RecordStream& stream = history.OpenStream({});
  history.Call(stream, 0, At(0));
  EXPECT_EQ(history.Find(0), nullptr);
  EXPECT_EQ(history.Find(stream.id(0) + 1), nullptr);
  EXPECT_EQ(history.Find(UINT64_MAX), nullptr);
}

TEST(HistoryTest, IdentityIsNeverZero) {
  History history;
  EXPECT_NE(history.OpenStream({}).id(0), 0U);
}

TEST(HistoryTest, BlockedTimeSaturates) {
  History history;
  RecordEntry* const entry = history.Call(history.OpenStream({}), 0, At(0));
  history.Return(*entry, At(0), At(std::int64_t{10'000'000} * 1'000'000'000));
  EXPECT_EQ(entry->blocked_micros, UINT32_MAX);
}

TEST(HistoryTest, OnlyTheFirstCompletionIsBelieved) {
  History history;
  RecordEntry* const entry = history.Call(history.OpenStream({}), 0, At(0));
  history.Complete(*entry, At(5), {.state = RecordState::kAcked, .offset = Offset(3)});
  history.Complete(*entry, At(9), {.state = RecordState::kFailed, .error = 7});
  EXPECT_EQ(entry->completions, 2);
  EXPECT_EQ(entry->state, RecordState::kAcked);
  EXPECT_EQ(entry->completed_nanos, 5);
}

TEST(HistoryTest, PendingCountsWhatHasNotCompleted) {
  History history;
  RecordStream& stream = history.OpenStream({});
  RecordEntry* const entry = history.Call(stream, 0, At(0));
  history.Call(stream, 0, At(0));
  EXPECT_EQ(history.pending(), 2);
  history.Complete(*entry, At(5), {});
  EXPECT_EQ(history.pending(), 1);
}

TEST(HistoryTest, CompletionAfterCloseIsCounted) {
  History history;
  RecordEntry* const late = history.Call(history.OpenStream({.producer = 1}), 0, At(0));
  RecordEntry* const other = history.Call(history.OpenStream({.producer = 0}), 0, At(0));
  history.ProducerClosed(1);
  history.Complete(*late, At(5), {});
  history.Complete(*other, At(5), {});
  EXPECT_EQ(history.completions_after_close(), 1);
}

TEST(HistoryTest, TopicsHaveOneIndexEach) {
  History history;
  EXPECT_EQ(history.TopicIndex("a"), 0);
  EXPECT_EQ(history.TopicIndex("b"), 1);
  EXPECT_EQ(history.TopicIndex("a"), 0);
  EXPECT_EQ(history.FindTopic("c"), std::nullopt);
}

}  // namespace
}  // namespace ktrial::sim
