#include "sim/broker/producer_state.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/sequence.h"

namespace ktrial::sim {
namespace {

using std::chrono::seconds;
using wire::ErrorCode;

constexpr ProducerId kId{7};
constexpr ProducerRules kAllRules[] = {ProducerRules::kOneBatch, ProducerRules::kFiveBatches,
                                       ProducerRules::kAnyFirstSequence};
constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();

LogBatch BatchAt(std::int32_t first, std::int32_t count = 1, std::int16_t epoch = 0, ProducerId id = kId) {
  LogBatch batch;
  batch.record_count = count;
  batch.producer_id = id;
  batch.producer_epoch = ProducerEpoch(epoch);
  batch.base_sequence = Sequence(first);
  return batch;
}

// A log with its producers, as a leader keeps them.
class ProducerStateTest : public ::testing::Test {
 protected:
  // Appends what is good and says what the answer would be; a duplicate is NONE with the old offset.
  ErrorCode Offer(LogBatch batch, ProducerRules rules = ProducerRules::kAnyFirstSequence) {
    const ProducerState::Verdict verdict = state_.Judge(batch, rules);
    duplicate_ = verdict.duplicate.has_value();
    if (duplicate_) offset_ = verdict.duplicate->base_offset;
    if (verdict.code != ErrorCode::kNone || duplicate_) return verdict.code;
    batch.appended = now_;
    batch.base_offset = log_.end_offset();
    offset_ = batch.base_offset;
    state_.Note(batch);
    log_.Append(batch, std::vector<RecordIdentity>(static_cast<std::size_t>(batch.record_count), 1));
    return ErrorCode::kNone;
  }
  // The offset of a batch that stands there already; none if it would be appended or refused.
  std::optional<Offset> DuplicateOf(const LogBatch& batch, ProducerRules rules = ProducerRules::kAnyFirstSequence) {
    const ProducerState::Verdict verdict = state_.Judge(batch, rules);
    if (!verdict.duplicate.has_value()) return std::nullopt;
    EXPECT_EQ(verdict.code, ErrorCode::kNone);
    return verdict.duplicate->base_offset;
  }

  PartitionLog log_;
  ProducerState state_;
  Instant now_ = Instant::FromNanos(1'000'000'000);
  Offset offset_;
  bool duplicate_ = false;
};

TEST_F(ProducerStateTest, BatchesFollowEachOtherWithoutAGap) {
  for (const ProducerRules rules : kAllRules) {
    state_ = {};
    EXPECT_EQ(Offer(BatchAt(0, 3), rules), ErrorCode::kNone);
    EXPECT_EQ(Offer(BatchAt(3, 2), rules), ErrorCode::kNone);
    EXPECT_EQ(Offer(BatchAt(6), rules), ErrorCode::kOutOfOrderSequenceNumber);
    EXPECT_EQ(Offer(BatchAt(4), rules), ErrorCode::kOutOfOrderSequenceNumber);
    EXPECT_EQ(Offer(BatchAt(5), rules), ErrorCode::kNone) << "what was refused has changed nothing";
  }
}

// B070
TEST_F(ProducerStateTest, EachOfTheLastFiveBatchesIsKnownAgain) {
  for (std::int32_t i = 0; i < 7; ++i) ASSERT_EQ(Offer(BatchAt(2 * i, 2)), ErrorCode::kNone);
  for (std::int32_t i = 2; i < 7; ++i) EXPECT_EQ(DuplicateOf(BatchAt(2 * i, 2)), Offset(2 * i)) << i;
  for (std::int32_t i = 0; i < 2; ++i) {
    EXPECT_EQ(Offer(BatchAt(2 * i, 2)), ErrorCode::kOutOfOrderSequenceNumber) << i;
  }
  EXPECT_EQ(state_.Find(kId)->batches.size(), 5U);
}

TEST_F(ProducerStateTest, OldestReleaseKnowsTheLastBatchOnly) {
  for (std::int32_t i = 0; i < 3; ++i) ASSERT_EQ(Offer(BatchAt(i), ProducerRules::kOneBatch), ErrorCode::kNone);
  EXPECT_EQ(DuplicateOf(BatchAt(2), ProducerRules::kOneBatch), Offset(2));
  EXPECT_EQ(Offer(BatchAt(1), ProducerRules::kOneBatch), ErrorCode::kOutOfOrderSequenceNumber);
}

TEST_F(ProducerStateTest, PartOfABatchIsNoDuplicate) {
  ASSERT_EQ(Offer(BatchAt(0, 3)), ErrorCode::kNone);
  for (const LogBatch& other : {BatchAt(0, 2), BatchAt(1, 2), BatchAt(0, 4), BatchAt(2, 1)}) {
    EXPECT_EQ(Offer(other), ErrorCode::kOutOfOrderSequenceNumber);
  }
}

// SN-20
TEST_F(ProducerStateTest, FirstNumberOfAnUnknownProducerIsJudgedByTheRelease) {
  const ErrorCode expected[] = {ErrorCode::kOutOfOrderSequenceNumber, ErrorCode::kUnknownProducerId, ErrorCode::kNone};
  for (std::size_t i = 0; i < std::size(kAllRules); ++i) {
    state_ = {};
    EXPECT_EQ(Offer(BatchAt(5), kAllRules[i]), expected[i]);
    state_ = {};
    EXPECT_EQ(Offer(BatchAt(0), kAllRules[i]), ErrorCode::kNone);
  }
}

TEST_F(ProducerStateTest, UnknownProducerGoesOnFromWhereItBegan) {
  ASSERT_EQ(Offer(BatchAt(5)), ErrorCode::kNone);
  EXPECT_EQ(Offer(BatchAt(6)), ErrorCode::kNone);
  EXPECT_EQ(Offer(BatchAt(0)), ErrorCode::kOutOfOrderSequenceNumber);
}

// SN-25
TEST_F(ProducerStateTest, LaterEpochBeginsAtZeroAndFencesTheEarlier) {
  for (const ProducerRules rules : kAllRules) {
    state_ = {};
    ASSERT_EQ(Offer(BatchAt(0, 3, 1), rules), ErrorCode::kNone);
    EXPECT_EQ(Offer(BatchAt(3, 1, 0), rules), ErrorCode::kInvalidProducerEpoch);
    EXPECT_EQ(Offer(BatchAt(3, 1, 2), rules), ErrorCode::kOutOfOrderSequenceNumber);
    EXPECT_EQ(Offer(BatchAt(0, 1, 2), rules), ErrorCode::kNone);
    EXPECT_EQ(Offer(BatchAt(0, 3, 1), rules), ErrorCode::kInvalidProducerEpoch) << "a duplicate of an earlier epoch";
    EXPECT_EQ(Offer(BatchAt(1, 1, 2), rules), ErrorCode::kNone);
  }
}

// B074, SN-22
TEST_F(ProducerStateTest, ZeroFollowsTheLargestNumber) {
  ASSERT_EQ(Offer(BatchAt(kLargest - 1, 2)), ErrorCode::kNone);
  EXPECT_EQ(Offer(BatchAt(0)), ErrorCode::kNone);
  EXPECT_EQ(DuplicateOf(BatchAt(kLargest - 1, 2)), Offset(0));
  EXPECT_EQ(DuplicateOf(BatchAt(0)), Offset(2));
}

TEST_F(ProducerStateTest, BatchMayLieAcrossTheEndOfTheNumbers) {
  ASSERT_EQ(Offer(BatchAt(kLargest - 1, 4)), ErrorCode::kNone);
  EXPECT_EQ(DuplicateOf(BatchAt(kLargest - 1, 4)), Offset(0));
  EXPECT_EQ(Offer(BatchAt(2)), ErrorCode::kNone);
}

TEST_F(ProducerStateTest, OldestReleaseDoesNotGetOverTheLargestNumber) {
  ASSERT_EQ(Offer(BatchAt(kLargest)), ErrorCode::kNone);
  EXPECT_EQ(Offer(BatchAt(0), ProducerRules::kOneBatch), ErrorCode::kOutOfOrderSequenceNumber);
}

TEST_F(ProducerStateTest, ProducersDoNotKnowOfEachOther) {
  ASSERT_EQ(Offer(BatchAt(0)), ErrorCode::kNone);
  EXPECT_EQ(Offer(BatchAt(0, 1, 0, ProducerId(8))), ErrorCode::kNone);
  EXPECT_FALSE(duplicate_);
  EXPECT_EQ(Offer(BatchAt(1)), ErrorCode::kNone);
  EXPECT_EQ(state_.size(), 2U);
}

TEST_F(ProducerStateTest, BatchWithoutAProducerIdLeavesNoTrace) {
  state_.Note(BatchAt(-1, 1, -1, kNoProducerId));
  EXPECT_EQ(state_.size(), 0U);
}

TEST_F(ProducerStateTest, IdleProducerIsForgotten) {
  ASSERT_EQ(Offer(BatchAt(0)), ErrorCode::kNone);
  state_.ForgetIfIdle(kId, now_ + seconds(9), seconds(10));
  EXPECT_NE(state_.Find(kId), nullptr);
  state_.ForgetIfIdle(ProducerId(8), now_ + seconds(10), seconds(10));
  EXPECT_NE(state_.Find(kId), nullptr);
  state_.ForgetIfIdle(kId, now_ + seconds(10), seconds(10));
  EXPECT_EQ(state_.Find(kId), nullptr);
}

TEST_F(ProducerStateTest, ProducerIsForgottenWithItsLastRecord) {
  ASSERT_EQ(Offer(BatchAt(0, 3)), ErrorCode::kNone);
  state_.ForgetBefore(Offset(2));
  EXPECT_NE(state_.Find(kId), nullptr);
  state_.ForgetBefore(Offset(3));
  EXPECT_EQ(state_.Find(kId), nullptr);
}

class MarkedProducerTest : public ProducerStateTest {
 protected:
  static LogBatch Transactional(std::int32_t first, std::int16_t epoch = 0) {
    LogBatch batch = BatchAt(first, 1, epoch);
    batch.transactional = true;
    return batch;
  }
  void Mark(std::int16_t epoch) {
    LogBatch marker = BatchAt(-1, 1, epoch);
    marker.kind = BatchKind::kCommitMarker;
    marker.base_offset = log_.end_offset();
    state_.Note(marker);
    log_.Append(marker, {});
  }
};

TEST_F(MarkedProducerTest, TransactionIsOpenFromItsFirstBatchToItsMarker) {
  ASSERT_EQ(Offer(BatchAt(0)), ErrorCode::kNone);
  EXPECT_EQ(state_.Find(kId)->transaction, std::nullopt);
  ASSERT_EQ(Offer(Transactional(1)), ErrorCode::kNone);
  ASSERT_EQ(Offer(Transactional(2)), ErrorCode::kNone);
  EXPECT_EQ(state_.Find(kId)->transaction, Offset(1));
  EXPECT_EQ(Offer(BatchAt(3)), ErrorCode::kInvalidTxnState);
  Mark(0);
  EXPECT_EQ(state_.Find(kId)->transaction, std::nullopt);
  EXPECT_EQ(Offer(BatchAt(3)), ErrorCode::kNone);
}

TEST_F(MarkedProducerTest, MarkerOfTheSameEpochLeavesTheSequences) {
  ASSERT_EQ(Offer(Transactional(0)), ErrorCode::kNone);
  Mark(0);
  EXPECT_EQ(DuplicateOf(Transactional(0)), Offset(0));
  EXPECT_EQ(Offer(Transactional(1)), ErrorCode::kNone);
}

TEST_F(MarkedProducerTest, MarkerOfALaterEpochFencesAndBeginsAtZero) {
  ASSERT_EQ(Offer(Transactional(0)), ErrorCode::kNone);
  Mark(1);
  EXPECT_EQ(Offer(Transactional(1)), ErrorCode::kInvalidProducerEpoch);
  EXPECT_EQ(Offer(Transactional(1, 1)), ErrorCode::kOutOfOrderSequenceNumber);
  EXPECT_EQ(Offer(Transactional(0, 1)), ErrorCode::kNone);
}

TEST_F(MarkedProducerTest, OpenTransactionKeepsItsProducer) {
  ASSERT_EQ(Offer(Transactional(0)), ErrorCode::kNone);
  state_.ForgetIfIdle(kId, now_ + seconds(10), seconds(10));
  EXPECT_NE(state_.Find(kId), nullptr);
}

// Goal:   whoever has the same batches knows the same of their producers, whatever was cut off behind them.
// Method: two producers take turns, with an epoch between; cut anywhere and compare with what stood there at that time.
TEST_F(ProducerStateTest, CutLogKnowsWhatItKnewThen) {
  std::vector<LogBatch> batches;
  for (std::int32_t i = 0; i < 8; ++i) {
    batches.push_back(BatchAt(i));
    batches.push_back(BatchAt(i % 4, 1, static_cast<std::int16_t>(i / 4), ProducerId(8)));
  }
  std::vector<ProducerState> then = {state_};
  for (const LogBatch& batch : batches) {
    ASSERT_EQ(Offer(batch), ErrorCode::kNone);
    then.push_back(state_);
  }
  for (std::size_t length = batches.size(); length-- > 0;) {
    log_.TruncateTo(Offset(static_cast<std::int64_t>(length)));
    state_.Rebuild(log_);
    EXPECT_EQ(state_.size(), then[length].size()) << length;
    for (const LogBatch& batch : batches) {
      const auto now = state_.Judge(batch, ProducerRules::kFiveBatches);
      const auto before = then[length].Judge(batch, ProducerRules::kFiveBatches);
      EXPECT_EQ(now.code, before.code) << length;
      EXPECT_EQ(now.duplicate.has_value(), before.duplicate.has_value()) << length;
    }
  }
}

TEST_F(ProducerStateTest, DeletedBatchesAreNotLearntAgain) {
  ASSERT_EQ(Offer(BatchAt(0)), ErrorCode::kNone);
  ASSERT_EQ(Offer(BatchAt(0, 1, 0, ProducerId(8))), ErrorCode::kNone);
  ASSERT_TRUE(log_.DeleteBefore(Offset(1)));
  state_.Rebuild(log_);
  EXPECT_EQ(state_.Find(kId), nullptr);
  EXPECT_NE(state_.Find(ProducerId(8)), nullptr);
}

// The answer that follows from the whole history of a producer, without a window or a state.
ErrorCode Plainly(const std::vector<LogBatch>& appended, const LogBatch& batch, ProducerRules rules, bool& duplicate) {
  duplicate = false;
  if (appended.empty()) {
    if (batch.base_sequence == Sequence(0) || rules == ProducerRules::kAnyFirstSequence) return ErrorCode::kNone;
    return rules == ProducerRules::kOneBatch ? ErrorCode::kOutOfOrderSequenceNumber : ErrorCode::kUnknownProducerId;
  }
  const LogBatch& last = appended.back();
  if (batch.producer_epoch < last.producer_epoch) return ErrorCode::kInvalidProducerEpoch;
  const bool begins = batch.producer_epoch > last.producer_epoch;
  const std::size_t window = rules == ProducerRules::kOneBatch ? 1 : 5;
  for (std::size_t back = 1; back <= window && back <= appended.size(); ++back) {
    const LogBatch& other = appended[appended.size() - back];
    if (other.producer_epoch != batch.producer_epoch) break;
    if (other.base_sequence == batch.base_sequence && other.record_count == batch.record_count) {
      duplicate = true;
      return ErrorCode::kNone;
    }
  }
  const Sequence expected = begins ? Sequence(0) : AdvanceSequence(last.base_sequence, last.record_count);
  return batch.base_sequence == expected ? ErrorCode::kNone : ErrorCode::kOutOfOrderSequenceNumber;
}

// Every history of up to three offers of 16 kinds, behind each of which every kind is offered.
TEST_F(ProducerStateTest, EveryShortHistoryIsJudgedAsThePlainRulesSay) {
  std::vector<LogBatch> kinds;
  for (const std::int16_t epoch : {0, 1}) {
    for (std::int32_t first = 0; first < 4; ++first) {
      for (const std::int32_t count : {1, 2}) kinds.push_back(BatchAt(first, count, epoch));
    }
  }
  const std::size_t n = kinds.size();
  int judged = 0;
  for (const ProducerRules rules : kAllRules) {
    for (std::size_t history = 0; history < n * n * n; ++history) {
      ProducerState state;
      std::vector<LogBatch> appended;
      for (std::size_t rest = history, step = 0; step < 4; ++step, rest /= n) {
        const bool last = step == 3;
        for (std::size_t k = last ? 0 : rest % n; k < (last ? n : rest % n + 1); ++k) {
          bool duplicate = false;
          const ErrorCode plain = Plainly(appended, kinds[k], rules, duplicate);
          const ProducerState::Verdict verdict = state.Judge(kinds[k], rules);
          ASSERT_EQ(verdict.code, plain) << "history " << history << ", kind " << k;
          ASSERT_EQ(verdict.duplicate.has_value(), duplicate) << "history " << history << ", kind " << k;
          ++judged;
          if (last || plain != ErrorCode::kNone || duplicate) continue;
          state.Note(kinds[k]);
          appended.push_back(kinds[k]);
        }
      }
    }
  }
  EXPECT_EQ(judged, 3 * 16 * 16 * 16 * (3 + 16));
}

}  // namespace
}  // namespace ktrial::sim
