#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/checker/testing/good_run.h"

namespace ktrial::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ProducerId kProducer{7};

// The ten records of the good run, in one transaction and two batches.
class AtomicityTest : public ::testing::Test {
 protected:
  AtomicityTest() { run.producer.idempotent = true; }

  void Append(std::vector<RecordId> records) {
    run.log.Append({.appended = GoodRun::At(50), .producer_id = kProducer, .transactional = true}, records);
  }
  void AppendAll() {
    Append({run.ids.begin(), run.ids.begin() + 5});
    Append({run.ids.begin() + 5, run.ids.end()});
  }
  void Mark(BatchKind kind) {
    run.log.Append(
        {.record_count = 1, .appended = GoodRun::At(60), .producer_id = kProducer, .transactional = true, .kind = kind},
        {});
  }
  // A marker takes an offset.
  void AckAroundTheMarker() {
    for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i < 5 ? i : i + 1);
  }
  void End(TransactionOutcome outcome) {
    run.history.TransactionEnding(0);
    run.history.TransactionEnded(0, outcome, GoodRun::At(70));
  }

  GoodRun run{GoodRun::Kind::kOneTransaction};
};

TEST_F(AtomicityTest, ACommittedTransactionThatIsSeenIsFine) {
  AppendAll();
  Mark(BatchKind::kCommitMarker);
  run.AckAll();
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, AnAbortedTransactionThatIsNotSeenIsFine) {
  AppendAll();
  Mark(BatchKind::kAbortMarker);
  run.AckAll();
  End(TransactionOutcome::kAborted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, ACommittedTransactionWithoutAMarkerIsAFault) {
  AppendAll();
  run.AckAll();
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityTest, WhatWasDeletedBeforeItsMarkerCameMayBeCommitted) {
  run.deleted_log.Append({.appended = GoodRun::At(40), .producer_id = kProducer, .transactional = true},
                         std::vector<RecordId>(run.ids.begin(), run.ids.begin() + 5));
  Append({run.ids.begin() + 5, run.ids.end()});
  Mark(BatchKind::kCommitMarker);
  for (std::int64_t i = 0; i < GoodRun::kRecords; ++i) run.Ack(i, i % 5);
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, WhatIsThereHasItsMarkerWhateverWasDeletedBesides) {
  run.deleted_log.Append({.appended = GoodRun::At(40), .producer_id = kProducer, .transactional = true},
                         std::vector<RecordId>(run.ids.begin(), run.ids.begin() + 5));
  AppendAll();
  run.AckAll();
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityTest, AnAbortedTransactionThatIsSeenIsAFault) {
  AppendAll();
  Mark(BatchKind::kCommitMarker);
  run.AckAll();
  End(TransactionOutcome::kAborted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

// As a batch that comes behind the marker is.
TEST_F(AtomicityTest, HalfOfACommittedTransactionIsAFault) {
  Append({run.ids.begin(), run.ids.begin() + 5});
  Mark(BatchKind::kCommitMarker);
  Append({run.ids.begin() + 5, run.ids.end()});
  AckAroundTheMarker();
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityTest, ARecordThatFailedInACommittedTransactionIsAFault) {
  AppendAll();
  Mark(BatchKind::kCommitMarker);
  for (std::int64_t i = 1; i < GoodRun::kRecords; ++i) run.Ack(i);
  run.Fail(0, RecordState::kFailed);
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityTest, ATransactionThatWasNeverEndedMustNotBeSeen) {
  AppendAll();
  Mark(BatchKind::kCommitMarker);
  run.AckAll();
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityTest, WhoseEndIsUncertainMayBeSeen) {
  AppendAll();
  Mark(BatchKind::kCommitMarker);
  run.AckAll();
  End(TransactionOutcome::kUncertain);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, WhoseEndIsUncertainMayBeUnseen) {
  AppendAll();
  Mark(BatchKind::kAbortMarker);
  run.AckAll();
  End(TransactionOutcome::kUncertain);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, WhoseEndIsUncertainMustNotBeSeenInPart) {
  Append({run.ids.begin(), run.ids.begin() + 5});
  Mark(BatchKind::kCommitMarker);
  Append({run.ids.begin() + 5, run.ids.end()});
  AckAroundTheMarker();
  End(TransactionOutcome::kUncertain);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

// --- Offsets of groups ---

class AtomicityOfOffsetsTest : public AtomicityTest {
 protected:
  AtomicityOfOffsetsTest() {
    AppendAll();
    run.AckAll();
    run.history.TransactionOffsets(0, {OffsetOf(0), OffsetOf(1)});
  }
  static GroupOffset OffsetOf(std::int32_t partition) {
    return {.group = "readers",
            .partition = {.topic = "in", .partition = PartitionIndex(partition)},
            .offset = Offset(10),
            .metadata = "transaction 0"};
  }
};

TEST_F(AtomicityOfOffsetsTest, ThoseThatCountWithTheirRecordsAreFine) {
  Mark(BatchKind::kCommitMarker);
  run.group_offsets = {OffsetOf(0), OffsetOf(1)};
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityOfOffsetsTest, ThoseOfAnAbortedTransactionThatDoNotCountAreFine) {
  Mark(BatchKind::kAbortMarker);
  End(TransactionOutcome::kAborted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityOfOffsetsTest, OneThatDoesNotCountWithTheRecordsIsAFault) {
  Mark(BatchKind::kCommitMarker);
  run.group_offsets = {OffsetOf(0)};
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityOfOffsetsTest, OneOfAnAbortedTransactionThatCountsIsAFault) {
  Mark(BatchKind::kAbortMarker);
  run.group_offsets = {OffsetOf(1)};
  End(TransactionOutcome::kAborted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityOfOffsetsTest, WhoseEndIsUncertainMustNotCountWithoutTheRecords) {
  Mark(BatchKind::kAbortMarker);
  run.group_offsets = {OffsetOf(0), OffsetOf(1)};
  End(TransactionOutcome::kUncertain);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

TEST_F(AtomicityOfOffsetsTest, WhoseEndIsUncertainMustCountWithTheRecords) {
  Mark(BatchKind::kCommitMarker);
  End(TransactionOutcome::kUncertain);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

// As an aborted transaction's are when the next one begins at the same place.
TEST_F(AtomicityOfOffsetsTest, TheSameOffsetOfAnotherTransactionIsAnotherOne) {
  Mark(BatchKind::kAbortMarker);
  GroupOffset other = OffsetOf(0);
  other.metadata = "transaction 1";
  run.group_offsets = {other};
  End(TransactionOutcome::kAborted);
  EXPECT_THAT(run.Objections(), IsEmpty());
}

TEST_F(AtomicityTest, TheMarkerOfAnotherProducerEndsNothing) {
  AppendAll();
  run.log.Append({.record_count = 1,
                  .appended = GoodRun::At(60),
                  .producer_id = ProducerId(8),
                  .transactional = true,
                  .kind = BatchKind::kCommitMarker},
                 {});
  run.AckAll();
  End(TransactionOutcome::kCommitted);
  EXPECT_THAT(run.Objections(), ElementsAre("atomicity"));
}

}  // namespace
}  // namespace ktrial::sim
