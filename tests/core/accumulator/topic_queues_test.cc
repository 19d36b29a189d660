#include "core/accumulator/topic_queues.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/env/posix/posix_env.h"
#include "gtest/gtest.h"
#include "tests/core/accumulator/testing/manual_doors.h"

namespace ktrial {
namespace {

class TopicQueuesTest : public ::testing::Test {
 protected:
  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  ScriptedEntropy entropy_;
  TopicTable table_{{.bytes = 100}, env_->threads(), entropy_};
};

TEST_F(TopicQueuesTest, ATopicIsFoundAgainByItsName) {
  TopicQueues& orders = table_.Get("orders");
  EXPECT_NE(&table_.Get("audit"), &orders);
  EXPECT_EQ(&table_.Get(std::string("orders")), &orders);
  EXPECT_EQ(orders.name(), "orders");
}

TEST_F(TopicQueuesTest, ThousandsOfTopicsAreKeptApart) {
  std::set<TopicQueues*> topics;
  for (int i = 0; i < 5000; ++i) topics.insert(&table_.Get("topic-" + std::to_string(i)));
  EXPECT_EQ(topics.size(), 5000u);
  for (int i = 0; i < 5000; ++i)
    EXPECT_EQ(table_.Get("topic-" + std::to_string(i)).name(), "topic-" + std::to_string(i));
}

TEST_F(TopicQueuesTest, AQueueStaysWhereItIsWhenTheTopicGrows) {
  TopicQueues& topic = table_.Get("orders");
  PartitionQueue& third = topic.Queue(PartitionIndex(3));
  topic.Queue(PartitionIndex(900));
  EXPECT_EQ(&topic.Queue(PartitionIndex(3)), &third);
  EXPECT_EQ(third.partition, PartitionIndex(3));
  EXPECT_EQ(&third.topic, &topic);
}

TEST_F(TopicQueuesTest, ThreadsThatMeetAtANewTopicAndPartitionFindTheSame) {
  std::vector<PartitionQueue*> found(8);
  std::vector<std::unique_ptr<Thread>> threads;
  for (PartitionQueue*& mine : found) {
    threads.push_back(env_->threads().Spawn("finder", [this, &mine] {
      for (int i = 0; i < 200; ++i) mine = &table_.Get("topic-" + std::to_string(i)).Queue(PartitionIndex(i % 7));
    }));
  }
  for (const auto& thread : threads) ASSERT_TRUE(thread->Join(Instant::Never()));
  EXPECT_EQ(std::set<PartitionQueue*>(found.begin(), found.end()).size(), 1u);
}

TEST_F(TopicQueuesTest, TheCallersWordIsZeroAtFirst) { EXPECT_EQ(table_.Get("orders").caller_word().Load(), 0u); }

}  // namespace
}  // namespace ktrial
