// The numbers of one partition: what may be drained, and how a gap ends.
#include "core/accumulator/partition_sequences.h"

#include <array>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace ktrial {
namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr ProducerIdAndEpoch kNobody;
constexpr ProducerIdAndEpoch kFirst{.id = ProducerId(7), .epoch = ProducerEpoch(0)};
constexpr ProducerIdAndEpoch kSecond{.id = ProducerId(7), .epoch = ProducerEpoch(1)};
constexpr std::size_t kFive = 5;

// Batches 1, 2, 3, ... of ten records each go on the wire.
void DrainUpTo(PartitionSequences& sequences, std::uint64_t last, std::int32_t records = 10) {
  for (std::uint64_t batch = 1; batch <= last; ++batch) sequences.Drain(batch, records, kFirst);
}

// --- Numbers ---

// AC-22
TEST(PartitionSequencesTest, EachBatchBeginsWhereTheLastOneEnds) {
  PartitionSequences sequences;
  EXPECT_EQ(sequences.Drain(1, 10, kFirst).base, Sequence(0));
  EXPECT_EQ(sequences.Drain(2, 3, kFirst).base, Sequence(10));
  EXPECT_EQ(sequences.next(), Sequence(13));
}

// AC-22
TEST(PartitionSequencesTest, ABatchThatIsSentAgainKeepsItsNumber) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Return(1);
  EXPECT_EQ(sequences.Drain(1, 10, kSecond).base, Sequence(0));
  EXPECT_EQ(sequences.owner(), kFirst);
}

// B071
TEST(PartitionSequencesTest, UnderAnotherEpochTheFirstBatchIsNumberZero) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 1);
  sequences.Acknowledge(1);
  const PartitionSequences::Numbers numbers = sequences.Drain(2, 10, kSecond);
  EXPECT_EQ(numbers.owner, kSecond);
  EXPECT_EQ(numbers.base, Sequence(0));
}

// --- What may be drained ---

// SN-21
TEST(MayDrainTest, NothingNewWithoutAProducerId) {
  EXPECT_FALSE(PartitionSequences().MayDrain(1, kNobody, kFive));
  EXPECT_TRUE(PartitionSequences().MayDrain(1, kFirst, kFive));
}

TEST(MayDrainTest, WhatHasANumberGoesAgainWithoutAProducerId) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 1);
  sequences.Return(1);
  EXPECT_TRUE(sequences.MayDrain(1, kNobody, kFive));
}

// SN-23
TEST(MayDrainTest, NotMoreThanTheLimitAreInFlight) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 5);
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.MayDrain(6, kFirst, kFive));
  sequences.Drain(6, 10, kFirst);
  EXPECT_FALSE(sequences.MayDrain(7, kFirst, kFive));
  sequences.Acknowledge(2);
  EXPECT_TRUE(sequences.MayDrain(7, kFirst, kFive));
}

// A broker that has never seen the id takes any first number.
TEST(MayDrainTest, TheSecondBatchOfAnEpochWaitsUntilOneIsAcknowledged) {
  PartitionSequences sequences;
  sequences.Drain(1, 10, kFirst);
  EXPECT_FALSE(sequences.MayDrain(2, kFirst, kFive));
  sequences.Acknowledge(1);
  sequences.Drain(2, 10, kFirst);
  EXPECT_TRUE(sequences.MayDrain(3, kFirst, kFive));
}

TEST(MayDrainTest, SoItDoesUnderAnotherEpoch) {
  PartitionSequences sequences;
  sequences.Drain(1, 10, kFirst);
  sequences.Acknowledge(1);
  sequences.Drain(2, 10, kSecond);
  EXPECT_FALSE(sequences.MayDrain(3, kSecond, kFive));
  sequences.Acknowledge(2);
  sequences.Drain(3, 10, kSecond);
  EXPECT_TRUE(sequences.MayDrain(4, kSecond, kFive));
}

// A broker remembers the last five batches: the one without an answer must stay among them.
TEST(MayDrainTest, WhatIsAcknowledgedBehindABatchInFlightCountsUntilThatIsResolved) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 5);
  for (std::uint64_t batch = 5; batch >= 2; --batch) sequences.Acknowledge(batch);
  EXPECT_EQ(sequences.in_flight_count(), 1u);
  EXPECT_FALSE(sequences.MayDrain(6, kFirst, kFive));
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.MayDrain(6, kFirst, kFive));
}

TEST(MayDrainTest, WhatIsInFrontOfTheFirstInFlightDoesNotCount) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 5);
  sequences.Acknowledge(2);
  sequences.Acknowledge(3);
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.MayDrain(6, kFirst, kFive));
  sequences.Drain(6, 10, kFirst);
  sequences.Acknowledge(5);
  sequences.Drain(7, 10, kFirst);
  EXPECT_TRUE(sequences.MayDrain(8, kFirst, kFive));
  sequences.Drain(8, 10, kFirst);
  EXPECT_FALSE(sequences.MayDrain(9, kFirst, kFive));
}

// SN-23
TEST(MayDrainTest, OnlyTheFirstOfThoseInFlightGoesAgain) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Return(1);
  sequences.Return(2);
  EXPECT_TRUE(sequences.MayDrain(1, kFirst, kFive));
  EXPECT_FALSE(sequences.MayDrain(2, kFirst, kFive));
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.MayDrain(2, kFirst, kFive));
}

// SN-25
TEST(MayDrainTest, NothingNewUntilWhatIsInFlightUnderTheOldEpochHasEnded) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 1);
  EXPECT_FALSE(sequences.MayDrain(2, kSecond, kFive));
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.MayDrain(2, kSecond, kFive));
}

// SN-27
TEST(MayDrainTest, NothingNewWhileABatchMayOrMayNotBeInTheLog) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.DropUnresolved(1);
  EXPECT_FALSE(sequences.MayDrain(3, kFirst, kFive));
}

// --- Gaps and restarts ---

// SN-26
TEST(RestartTest, ABatchThatWillNeverBeThereLeavesAGapThatOnlyARestartEnds) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 1);
  sequences.DropAbsent(1);
  EXPECT_TRUE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.MayDrain(2, kFirst, kFive));
  sequences.Restart(kSecond);
  EXPECT_FALSE(sequences.is_troubled());
  EXPECT_EQ(sequences.Drain(2, 10, kSecond).base, Sequence(0));
}

// SN-25, SN-26
TEST(RestartTest, ThoseBehindTheGapAreNumberedAnewInTheirOrder) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 3);
  sequences.DropAbsent(1);
  sequences.Return(2);
  sequences.Return(3);
  sequences.Restart(kSecond);
  EXPECT_EQ(sequences.next(), Sequence(20));
  EXPECT_EQ(sequences.Drain(2, 10, kSecond).base, Sequence(0));
  sequences.Acknowledge(2);
  EXPECT_EQ(sequences.Drain(3, 10, kSecond).base, Sequence(10));
}

// What brokers remember of the old epoch does not count under the new one.
TEST(RestartTest, TheWindowOfWhatBrokersRememberBeginsAnew) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 5);
  for (const std::uint64_t batch : {5, 4, 1}) sequences.DropAbsent(batch);
  sequences.Return(2);
  sequences.Return(3);
  sequences.Restart(kSecond);
  sequences.Drain(2, 10, kSecond);
  sequences.Acknowledge(2);
  EXPECT_TRUE(sequences.MayDrain(6, kSecond, 2));
}

TEST(RestartTest, WaitsUntilNothingIsOnTheWire) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.DropAbsent(1);
  EXPECT_FALSE(sequences.NeedsRestart());
  sequences.Return(2);
  EXPECT_TRUE(sequences.NeedsRestart());
}

// What is in front of the gap may be in the log already; numbered anew it would be there twice (B080).
TEST(RestartTest, WaitsForThoseInFrontOfTheGap) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 3);
  sequences.Return(1);
  sequences.DropAbsent(2);
  sequences.Return(3);
  EXPECT_FALSE(sequences.NeedsRestart());
  EXPECT_TRUE(sequences.MayDrain(1, kFirst, kFive));
  sequences.Drain(1, 10, kFirst);
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.MayDrain(3, kFirst, kFive));
}

// SN-20
TEST(RestartTest, ARefusalForAGapThatSomethingInFlightCanFillNeedsNone) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Return(1);
  sequences.RefuseForGap(2);
  sequences.Return(2);
  EXPECT_FALSE(sequences.NeedsRestart());
}

// SN-20
TEST(RestartTest, ARefusalForAGapOfTheFirstInFlightNeedsOne) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Acknowledge(1);
  sequences.RefuseForGap(2);
  sequences.Return(2);
  EXPECT_TRUE(sequences.NeedsRestart());
}

TEST(RestartTest, TheLowestOfSeveralGapsDecides) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 4);
  sequences.Return(1);
  sequences.DropAbsent(4);
  sequences.DropAbsent(2);
  sequences.Return(3);
  EXPECT_FALSE(sequences.NeedsRestart());
  sequences.Drain(1, 10, kFirst);
  sequences.Acknowledge(1);
  EXPECT_TRUE(sequences.NeedsRestart());
}

// --- What may be in the log ---

// SN-27
TEST(UnresolvedTest, IsClearOnceALaterBatchIsInTheLog) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.DropUnresolved(1);
  sequences.Acknowledge(2);
  EXPECT_FALSE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.is_troubled());
  EXPECT_EQ(sequences.Drain(3, 10, kFirst).base, Sequence(20));
}

// SN-27, B079: also in its first flight.
TEST(UnresolvedTest, NeedsARestartIfItWasTheLast) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Acknowledge(1);
  sequences.DropUnresolved(2);
  EXPECT_TRUE(sequences.NeedsRestart());
}

// SN-27
TEST(UnresolvedTest, ABatchThatWasNeverSentIsNone) {
  PartitionSequences sequences;
  sequences.DropUnresolved(1);
  EXPECT_FALSE(sequences.is_troubled());
}

// SN-24
TEST(UnresolvedTest, AnEarlierAcknowledgementThatComesLaterTakesNothingBack) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 3);
  sequences.Acknowledge(3);
  sequences.Acknowledge(1);
  sequences.DropUnresolved(2);
  EXPECT_FALSE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.is_troubled());
}

// --- Splits ---

// AC-29
TEST(SplitTest, ThePartsTakeOverTheNumbers) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  const std::array<PartitionSequences::Part, 2> parts{{{.batch = 8, .records = 4}, {.batch = 9, .records = 6}}};
  sequences.Split(1, parts);
  sequences.Return(2);
  EXPECT_TRUE(sequences.Precedes(9, 2));
  EXPECT_EQ(sequences.Drain(8, 4, kFirst).base, Sequence(0));
  sequences.Acknowledge(8);
  EXPECT_EQ(sequences.Drain(9, 6, kFirst).base, Sequence(4));
  sequences.Acknowledge(9);
  EXPECT_EQ(sequences.Drain(2, 10, kFirst).base, Sequence(10));
}

TEST(SplitTest, WhatHasEndedBehindTheWholeHasEndedBehindItsParts) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 4);
  for (std::uint64_t batch = 2; batch <= 4; ++batch) sequences.Acknowledge(batch);
  const std::array<PartitionSequences::Part, 2> parts{{{.batch = 8, .records = 4}, {.batch = 9, .records = 6}}};
  sequences.Split(1, parts);
  EXPECT_FALSE(sequences.MayDrain(5, kFirst, kFive));
  sequences.Drain(8, 4, kFirst);
  sequences.Acknowledge(8);
  EXPECT_TRUE(sequences.MayDrain(5, kFirst, kFive));
}

TEST(SplitTest, InFrontOfAGapAllPartsAreWaitedFor) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.DropAbsent(2);
  const std::array<PartitionSequences::Part, 2> parts{{{.batch = 8, .records = 4}, {.batch = 9, .records = 6}}};
  sequences.Split(1, parts);
  sequences.Drain(8, 4, kFirst);
  sequences.Acknowledge(8);
  EXPECT_FALSE(sequences.NeedsRestart());
  EXPECT_TRUE(sequences.MayDrain(9, kFirst, kFive));
}

// --- Without another epoch (SN-26) ---

TEST(RewindTest, GivesTheNumbersOfWhatIsMissingAwayAgain) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.Acknowledge(1);
  sequences.DropAbsent(2);
  EXPECT_TRUE(sequences.Rewind());
  EXPECT_EQ(sequences.Drain(3, 10, kFirst).base, Sequence(10));
}

TEST(RewindTest, GivesNoNumberAwayThatMayBeInTheLog) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 1);
  sequences.DropUnresolved(1);
  EXPECT_FALSE(sequences.Rewind());
  EXPECT_TRUE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.Rewind());
}

TEST(RewindTest, WaitsForWhatIsInFlight) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  sequences.DropAbsent(1);
  EXPECT_FALSE(sequences.Rewind());
}

// --- Who waits for whom ---

TEST(GapTest, ABatchBehindAnotherInFlightWaitsForIt) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 2);
  EXPECT_FALSE(sequences.WaitsForOthers(1));
  EXPECT_TRUE(sequences.WaitsForOthers(2));
}

TEST(GapTest, ABatchBehindAGapWaitsForNobody) {
  PartitionSequences sequences;
  DrainUpTo(sequences, 3);
  sequences.DropAbsent(1);
  EXPECT_TRUE(sequences.IsBehindGap(2));
  EXPECT_TRUE(sequences.IsBehindGap(3));
  EXPECT_FALSE(sequences.WaitsForOthers(3));
}

// --- The wrap at 2^31 (SN-22, B074) ---

// Leaves the next number 50 below the wrap, with nothing in flight.
void GoToTheWrap(PartitionSequences& sequences) {
  const std::int32_t half = (kMax - 49) / 2;
  for (std::uint64_t batch = 1; batch <= 4; ++batch) {
    const std::int32_t records = batch < 4 ? half / 2 : kMax - 49 - 3 * (half / 2);
    sequences.Drain(batch, records, kFirst);
    sequences.Acknowledge(batch);
  }
  ASSERT_EQ(sequences.next(), Sequence(kMax - 49));
}

TEST(WrapTest, ABatchMayLieAcrossIt) {
  PartitionSequences sequences;
  GoToTheWrap(sequences);
  for (std::uint64_t batch = 11; batch <= 15; ++batch) sequences.Drain(batch, 12, kFirst);
  EXPECT_EQ(sequences.next(), Sequence(10));
}

TEST(WrapTest, AcknowledgementsBehindItCountAsLater) {
  PartitionSequences sequences;
  GoToTheWrap(sequences);
  for (std::uint64_t batch = 11; batch <= 15; ++batch) sequences.Drain(batch, 12, kFirst);
  sequences.DropUnresolved(11);
  for (std::uint64_t batch = 15; batch >= 12; --batch) sequences.Acknowledge(batch);
  EXPECT_FALSE(sequences.NeedsRestart());
  EXPECT_FALSE(sequences.is_troubled());
}

}  // namespace
}  // namespace ktrial
