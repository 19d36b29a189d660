// The wait of Send for the metadata of a topic, one thread and a clock that the test moves: what the sender would do meanwhile happens in
// the wake-up.
#include "core/producer/topic_wait.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/accumulator/topic_queues.h"
#include "core/wire/status.h"
#include "tests/core/metadata/answers.h"

namespace ktrial::testing {
namespace {

using wire::ErrorCode;

class TopicWaitTest : public ::testing::Test {
 protected:
  // An answer that comes now; without "t" unless it is given.
  void Answered(std::vector<wire::MetadataTopic> topics = {}) {
    metadata_.Update(metadata_.BuildRequest(clock_.Now()), Answer({1}, std::move(topics)), kNewestVersion,
                     clock_.Now());
  }
  // With partitions 0 and 1.
  static wire::MetadataTopic T() { return Topic("t", {Led(0, 1), Led(1, 1)}); }
  absl::StatusOr<std::int32_t> PartitionCount(std::int32_t partition = kUnknownPartition.value()) {
    return wait_.PartitionCount(topics_.Get("t"), PartitionIndex(partition), max_block_);
  }

  ManualClock clock_;
  FakeEntropy entropy_;
  NoThreads threads_;
  Metadata metadata_{MetadataWorld::Config(), threads_, entropy_};
  MetricsRecorder metrics_{threads_, {}, "me", clock_.WallNow()};
  ProducerEvents events_{metrics_, Logger(), clock_, threads_, NoObserver()};
  TopicTable topics_{{.bytes = 16384}, threads_, entropy_};
  Duration max_block_ = 1s;
  bool on_sender_thread_ = false;
  int wakes_ = 0;
  std::function<void()> sender_;  // What a wake-up leads to.
  TopicWait wait_{metadata_,
                  events_,
                  metrics_,
                  clock_,
                  threads_,
                  {.on_sender_thread = [this] { return on_sender_thread_; },
                   .wake_sender =
                       [this] {
                         ++wakes_;
                         sender_();
                       }}};
};

// MD-26
TEST_F(TopicWaitTest, WhatTheSnapshotHasIsNotWaitedFor) {
  metadata_.Add("t", clock_.Now());
  Answered({T()});
  const Instant next_update = metadata_.NextUpdateAt();
  for (const std::int32_t partition : {-1, 0, 1}) EXPECT_EQ(*PartitionCount(partition), 2);
  on_sender_thread_ = true;  // There it would be refused if it had to wait.
  EXPECT_EQ(*PartitionCount(1), 2);
  EXPECT_EQ(wakes_, 0);
  EXPECT_EQ(max_block_, 1s);
  EXPECT_EQ(metadata_.NextUpdateAt(), next_update);
}

// MD-26: the word beside the queues holds for the snapshot that it was read from, and for no other.
TEST_F(TopicWaitTest, ANewSnapshotIsLookedAt) {
  metadata_.Add("t", clock_.Now());
  Answered({T()});
  EXPECT_EQ(wait_.KnownPartitionCount(topics_.Get("t")), 0);
  EXPECT_EQ(*PartitionCount(), 2);
  EXPECT_EQ(wait_.KnownPartitionCount(topics_.Get("t")), 2);
  Answered({Topic("t", {Led(0, 1), Led(1, 1), Led(2, 1)})});
  EXPECT_EQ(wait_.KnownPartitionCount(topics_.Get("t")), 0);
  EXPECT_EQ(*PartitionCount(2), 3);
  EXPECT_EQ(wait_.KnownPartitionCount(topics_.Get("t")), 3);
}

// MD-27: each turn asks once, and the budget runs on.
TEST_F(TopicWaitTest, EachAnswerWithoutTheTopicIsAskedForAgain) {
  sender_ = [this] {
    clock_.Advance(100ms);
    EXPECT_TRUE(metadata_.IsTracked("t"));
    EXPECT_LE(metadata_.NextUpdateAt(), clock_.Now() + 1s);  // Asked for; only the backoff may be in the way.
    Answered(wakes_ < 5 ? std::vector<wire::MetadataTopic>() : std::vector{T()});
  };
  EXPECT_EQ(*PartitionCount(), 2);
  EXPECT_EQ(wakes_, 5);
  EXPECT_EQ(max_block_, 500ms);
  EXPECT_EQ(metrics_.Snapshot({}, clock_.Now()).Value("metadata-wait-time-ns-total"), 500e6);
}

// MD-29
TEST_F(TopicWaitTest, APartitionThatIsNotThereIsWaitedFor) {
  metadata_.Add("t", clock_.Now());
  Answered({T()});
  sender_ = [this] { Answered({Topic("t", {Led(0, 1), Led(1, 1), Led(2, 1)})}); };
  EXPECT_EQ(*PartitionCount(2), 3);
  EXPECT_EQ(wakes_, 1);
}

// MD-28, D-9: the last moment of the budget is too late, though the topic is there.
TEST_F(TopicWaitTest, MetadataAtTheEndOfTheBudgetAreTooLate) {
  sender_ = [this] {
    clock_.Advance(1s);
    Answered({T()});
  };
  const absl::Status status = PartitionCount().status();
  EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
  EXPECT_EQ(status.message(), "the metadata of topic t came only after 1000 ms (max.block.ms)");
  EXPECT_NE(metadata_.Fetch()->FindTopic("t"), nullptr);
  EXPECT_EQ(max_block_, Duration::zero());
  max_block_ = 1s;
  EXPECT_EQ(*PartitionCount(), 2);  // The next record need not wait.
}

// MD-28
TEST_F(TopicWaitTest, MetadataJustBeforeTheEndOfTheBudgetAreInTime) {
  sender_ = [this] {
    clock_.Advance(1s - 1ns);
    Answered({T()});
  };
  EXPECT_EQ(*PartitionCount(), 2);
  EXPECT_EQ(max_block_, 1ns);
}

// MD-28, MD-31: the time goes before what the broker says of the topic.
TEST_F(TopicWaitTest, ATimeoutHidesAnErrorThatCameWithIt) {
  Duration took = 1s;
  sender_ = [&] {
    clock_.Advance(took);
    Answered({BadTopic("t", ErrorCode::kTopicAuthorizationFailed)});
  };
  const absl::Status status = PartitionCount().status();
  EXPECT_EQ(wire::KafkaCode(status), ErrorCode::kRequestTimedOut);
  EXPECT_EQ(status.message(),
            "topic t is not in the metadata after 1000 ms (max.block.ms); the broker says TOPIC_AUTHORIZATION_FAILED");
  took = 1ms;
  max_block_ = 1s;
  EXPECT_EQ(wire::KafkaCode(PartitionCount().status()), ErrorCode::kTopicAuthorizationFailed);
}

// PR-14: nobody would bring the news; but they are asked for.
TEST_F(TopicWaitTest, OnTheSenderThreadNothingIsWaitedFor) {
  on_sender_thread_ = true;
  EXPECT_EQ(PartitionCount().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(wakes_, 0);
  EXPECT_TRUE(metadata_.IsTracked("t"));
  EXPECT_EQ(max_block_, 1s);
}

// MD-34
TEST_F(TopicWaitTest, ACloseEndsTheWaitWithTheNextNews) {
  sender_ = [this] {
    wait_.StartClose();
    Answered();
  };
  EXPECT_EQ(PartitionCount().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(wakes_, 1);
}

}  // namespace
}  // namespace ktrial::testing
