// AwaitUpdate, with real threads: every wait has a deadline of Never() or one in the past, so no test depends on how
// fast time runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "core/metadata/metadata.h"
#include "core/wire/status.h"
#include "tests/core/metadata/answers.h"

namespace ktrial::testing {
namespace {

constexpr Instant kPast = Instant::FromNanos(0);

class MetadataWaitTest : public ::testing::Test {
 protected:
  MetadataWaitTest() { metadata_.Add("t", clock_.Now()); }

  // A thread that waits for more than `version`; it is in line when this returns.
  void StartWaiter(std::int64_t version) {
    const std::size_t index = threads_.size();
    results_.push_back(std::make_unique<absl::Status>());
    threads_.push_back(env_->threads().Spawn(
        "waiter", [this, index, version] { *results_[index] = metadata_.AwaitUpdate(version, Instant::Never()); }));
    while (metadata_.waiter_count() < threads_.size() - joined_) env_->threads().SleepUntil(kPast, Site("test.yield"));
  }
  absl::Status Join(std::size_t index) {
    EXPECT_TRUE(threads_[index]->Join(Instant::Never()));
    ++joined_;
    return *results_[index];
  }
  void Update() {
    metadata_.Update(metadata_.BuildRequest(clock_.Now()), Answer({1}, {Topic("t", {Led(0, 1)})}), kNewestVersion,
                     clock_.Now());
  }

  std::unique_ptr<Env> env_ = MakePosixEnv();
  ManualClock clock_;
  FakeEntropy entropy_;
  Metadata metadata_{MetadataWorld::Config(), env_->threads(), entropy_};
  std::vector<std::unique_ptr<absl::Status>> results_ = [] {
    std::vector<std::unique_ptr<absl::Status>> results;
    results.reserve(8);
    return results;
  }();
  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t joined_ = 0;
};

// MD-08, MD-24
TEST_F(MetadataWaitTest, ANewerVersionEndsAllWaits) {
  StartWaiter(1);
  StartWaiter(1);
  Update();
  EXPECT_EQ(Join(0), absl::OkStatus());
  EXPECT_EQ(Join(1), absl::OkStatus());
}

// MD-24
TEST_F(MetadataWaitTest, AnOlderVersionDoesNotWait) {
  EXPECT_EQ(metadata_.AwaitUpdate(0, Instant::Never()), absl::OkStatus());
}

// MD-24
TEST_F(MetadataWaitTest, TheDeadlineEndsTheWait) {
  EXPECT_EQ(wire::KafkaCode(metadata_.AwaitUpdate(1, kPast)), wire::ErrorCode::kRequestTimedOut);
  EXPECT_EQ(metadata_.waiter_count(), 0u);
}

// MD-10
TEST_F(MetadataWaitTest, AFailureWakesNobody) {
  StartWaiter(1);
  metadata_.BuildRequest(clock_.Now());
  metadata_.UpdateFailed(clock_.Now());
  EXPECT_EQ(metadata_.waiter_count(), 1u);
  Update();
  EXPECT_EQ(Join(0), absl::OkStatus());
}

// MD-22: a re-bootstrap is a newer version like any other.
TEST_F(MetadataWaitTest, ARebootstrapEndsTheWait) {
  StartWaiter(1);
  metadata_.Rebootstrap();
  EXPECT_EQ(Join(0), absl::OkStatus());
}

// MD-33, D-6
TEST_F(MetadataWaitTest, TheFirstInLineTakesAFatalErrorTheOthersWaitOn) {
  StartWaiter(1);
  StartWaiter(1);
  StartWaiter(1);
  metadata_.SetFatalError(wire::KafkaError(wire::ErrorCode::kUnsupportedVersion));
  EXPECT_EQ(wire::KafkaCode(Join(0)), wire::ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(metadata_.waiter_count(), 2u);
  metadata_.SetFatalError(wire::KafkaError(wire::ErrorCode::kSaslAuthenticationFailed));
  EXPECT_EQ(wire::KafkaCode(Join(1)), wire::ErrorCode::kSaslAuthenticationFailed);
  Update();
  EXPECT_EQ(Join(2), absl::OkStatus());
}

// MD-24, MD-33: a fatal error comes before a newer version.
TEST_F(MetadataWaitTest, AFatalErrorWaitsForTheNextWaiter) {
  metadata_.SetFatalError(wire::KafkaError(wire::ErrorCode::kUnsupportedVersion));
  EXPECT_EQ(wire::KafkaCode(metadata_.AwaitUpdate(0, Instant::Never())), wire::ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(metadata_.AwaitUpdate(0, Instant::Never()), absl::OkStatus());
}

// MD-33
TEST_F(MetadataWaitTest, AFatalErrorIsTakenWithTheErrorsOfTopics) {
  metadata_.SetFatalError(wire::KafkaError(wire::ErrorCode::kUnsupportedVersion));
  EXPECT_EQ(wire::KafkaCode(metadata_.TakeErrors("t")), wire::ErrorCode::kUnsupportedVersion);
  EXPECT_EQ(metadata_.TakeErrors("t"), absl::OkStatus());
}

// MD-34
TEST_F(MetadataWaitTest, CloseEndsAllWaitsPresentAndFuture) {
  StartWaiter(1);
  StartWaiter(1);
  metadata_.Close();
  EXPECT_EQ(Join(0).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(Join(1).code(), absl::StatusCode::kCancelled);
  const absl::Status later = metadata_.AwaitUpdate(0, Instant::Never());
  EXPECT_EQ(later.code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(wire::HasKafkaCode(later));
}

}  // namespace
}  // namespace ktrial::testing
