#include "core/accumulator/batch_result.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "core/wire/status.h"
#include "gtest/gtest.h"

namespace ktrial {
namespace {

constexpr Instant kAtOnce = Instant::FromNanos(1);

class BatchResultTest : public ::testing::Test {
 protected:
  // One reference is the test's; the rest of the stake is given back at once.
  BatchResultRef New() {
    BatchResult& result = BatchResult::New(env_->threads());
    BatchResultRef ref = BatchResultRef::Adopt(result);
    result.Release(BatchResult::kStake - 1);
    return ref;
  }
  static BatchOutcome Success(std::int64_t base_offset) {
    BatchOutcome outcome;
    outcome.base_offset = Offset(base_offset);
    return outcome;
  }
  std::unique_ptr<Env> env_ = MakePosixEnv(1);
};

// PR-11
TEST_F(BatchResultTest, ARecordHasTheBaseOffsetPlusItsIndex) {
  const BatchResultRef result = New();
  result->Close(Success(40));
  EXPECT_EQ(result->Await(2, kAtOnce)->offset, Offset(42));
}

// PR-11
TEST_F(BatchResultTest, AnUnknownBaseOffsetIsUnknownForEveryRecord) {
  const BatchResultRef result = New();
  result->Close(Success(-1));
  EXPECT_EQ(result->Await(2, kAtOnce)->offset, kUnknownOffset);
}

// PR-12
TEST_F(BatchResultTest, AWaitGivesUpAtItsDeadlineAndChangesNothing) {
  const BatchResultRef result = New();
  EXPECT_EQ(result->Await(0, kAtOnce), std::nullopt);
  EXPECT_FALSE(result->IsDone(0));
  result->Close(Success(7));
  EXPECT_EQ(result->Await(0, kAtOnce)->offset, Offset(7));
}

// PR-12
TEST_F(BatchResultTest, AThreadWaitsUntilTheResultIsClosed) {
  const BatchResultRef result = New();
  std::optional<RecordOutcome> outcome;
  const auto waiter =
      env_->threads().Spawn("waiter", [&outcome, result] { outcome = result->Await(0, Instant::Never()); });
  result->Close(Success(7));
  EXPECT_TRUE(waiter->Join(Instant::Never()));
  EXPECT_EQ(outcome->offset, Offset(7));
}

// SN-13
TEST_F(BatchResultTest, NamedRecordsHaveTheirOwnErrorAndTheOthersTheCommonOne) {
  const BatchResultRef result = New();
  BatchOutcome outcome;
  outcome.status = wire::KafkaError(wire::ErrorCode::kUnknownServerError);
  outcome.record_errors.push_back({.index = 1, .status = wire::KafkaError(wire::ErrorCode::kInvalidRecord)});
  outcome.record_errors.push_back({.index = 3, .status = wire::KafkaError(wire::ErrorCode::kInvalidTimestamp)});
  result->Close(std::move(outcome));
  const auto code = [&](int index) { return wire::KafkaCode(result->Await(index, kAtOnce)->status); };
  EXPECT_EQ(code(0), wire::ErrorCode::kUnknownServerError);
  EXPECT_EQ(code(1), wire::ErrorCode::kInvalidRecord);
  EXPECT_EQ(code(2), wire::ErrorCode::kUnknownServerError);
  EXPECT_EQ(code(3), wire::ErrorCode::kInvalidTimestamp);
}

// AC-28, PR-12
TEST_F(BatchResultTest, ARecordOfASplitBatchFollowsItsPart) {
  const BatchResultRef whole = New();
  const BatchResultRef left = New();
  const BatchResultRef right = New();
  const BatchResultRef right_of_right = New();
  std::vector<BatchResult::Part> parts;
  parts.push_back({.first_index = 0, .result = left});
  parts.push_back({.first_index = 3, .result = right});
  whole->CloseSplit(std::move(parts));
  std::vector<BatchResult::Part> again;
  again.push_back({.first_index = 0, .result = New()});
  again.push_back({.first_index = 1, .result = right_of_right});
  right->CloseSplit(std::move(again));
  left->Close(Success(100));
  right_of_right->Close(Success(200));
  EXPECT_EQ(whole->Await(2, kAtOnce)->offset, Offset(102));
  EXPECT_EQ(whole->Await(3, kAtOnce), std::nullopt);
  EXPECT_EQ(whole->Await(5, kAtOnce)->offset, Offset(201));
  EXPECT_TRUE(whole->IsDone(5));
  EXPECT_FALSE(whole->IsDone(3));
}

// AC-33
TEST_F(BatchResultTest, ASplitBatchIsDoneAsAWholeOnlyWithItsLastPart) {
  const BatchResultRef whole = New();
  const BatchResultRef left = New();
  const BatchResultRef right = New();
  std::vector<BatchResult::Part> parts;
  parts.push_back({.first_index = 0, .result = left});
  parts.push_back({.first_index = 1, .result = right});
  whole->CloseSplit(std::move(parts));
  left->Close(Success(1));
  EXPECT_FALSE(whole->AwaitAll(kAtOnce));
  right->Close(Success(2));
  EXPECT_TRUE(whole->AwaitAll(kAtOnce));
}

TEST_F(BatchResultTest, AResultIsReusedOnlyWhenNoFutureRefersToIt) {
  BatchResult& result = BatchResult::New(env_->threads());
  std::int64_t stake = BatchResult::kStake;
  {
    const BatchResultRef future = BatchResultRef::Adopt(result);
    --stake;
    const BatchResultRef copy = future;
    result.Close(Success(5));
    EXPECT_FALSE(result.ReuseIfUnshared(stake));
  }
  EXPECT_TRUE(result.ReuseIfUnshared(stake));
  EXPECT_FALSE(result.IsDone(0));
  result.Close(Success(6));
  EXPECT_EQ(result.Await(0, kAtOnce)->offset, Offset(6));
  result.Release(BatchResult::kStake);
}

}  // namespace
}  // namespace ktrial
