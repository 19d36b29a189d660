#include "sim/broker/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ktrial::sim {
namespace {

TEST(SettingsTest, DefaultsAreKafkas) {
  const BrokerSettings settings;
  EXPECT_TRUE(settings.auto_create_topics);
  EXPECT_EQ(settings.min_insync_replicas, 1);
  EXPECT_EQ(settings.message_max_bytes, 1048588);
  EXPECT_EQ(settings.socket_request_max_bytes, 104857600);
  EXPECT_EQ(settings.connections_max_idle, std::chrono::minutes(10));
  EXPECT_EQ(settings.session_timeout, std::chrono::seconds(9));
  EXPECT_EQ(settings.producer_id_expiration, std::chrono::hours(24));
}

TEST(SettingsTest, EachBrokerSettingIsApplied) {
  BrokerSettings settings;
  const SettingsMap map = {{"auto.create.topics.enable", "false"},
                           {"broker.session.timeout.ms", "3000"},
                           {"connections.max.idle.ms", "5"},
                           {"connections.max.reauth.ms", "6"},
                           {"default.replication.factor", "3"},
                           {"log.message.timestamp.type", "LogAppendTime"},
                           {"message.max.bytes", "1000"},
                           {"min.insync.replicas", "2"},
                           {"num.partitions", "4"},
                           {"offsets.topic.num.partitions", "7"},
                           {"producer.id.expiration.ms", "60"},
                           {"sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512"},
                           {"sasl.jaas.config", "PlainLoginModule required user_alice=secret;"},
                           {"socket.request.max.bytes", "2000"},
                           {"transaction.abort.timed.out.transaction.cleanup.interval.ms", "70"},
                           {"transaction.max.timeout.ms", "80"},
                           {"transaction.state.log.num.partitions", "9"}};
  ASSERT_EQ(map.size(), BrokerSettingNames().size());
  ASSERT_EQ(ApplyBrokerSettings(map, settings), absl::OkStatus());
  EXPECT_FALSE(settings.auto_create_topics);
  EXPECT_EQ(settings.session_timeout, std::chrono::seconds(3));
  EXPECT_EQ(settings.connections_max_idle, std::chrono::milliseconds(5));
  EXPECT_EQ(settings.sasl.session, std::chrono::milliseconds(6));
  EXPECT_EQ(settings.sasl.mechanisms, (std::vector<std::string>{"PLAIN", "SCRAM-SHA-512"}));
  EXPECT_EQ(settings.sasl.users.at("alice"), "secret");
  EXPECT_EQ(settings.default_replication_factor, 3);
  EXPECT_EQ(settings.timestamp_type, TimestampType::kLogAppendTime);
  EXPECT_EQ(settings.message_max_bytes, 1000);
  EXPECT_EQ(settings.min_insync_replicas, 2);
  EXPECT_EQ(settings.num_partitions, 4);
  EXPECT_EQ(settings.producer_id_expiration, std::chrono::milliseconds(60));
  EXPECT_EQ(settings.offsets_topic_partitions, 7);
  EXPECT_EQ(settings.transaction_abort_interval, std::chrono::milliseconds(70));
  EXPECT_EQ(settings.transaction_max_timeout, std::chrono::milliseconds(80));
  EXPECT_EQ(settings.transaction_log_partitions, 9);
  EXPECT_EQ(settings.socket_request_max_bytes, 2000);
}

TEST(SettingsTest, EachTopicSettingIsApplied) {
  TopicSettings settings;
  const SettingsMap map = {
      {"max.message.bytes", "1000"}, {"message.timestamp.type", "CreateTime"}, {"min.insync.replicas", "2"}};
  ASSERT_EQ(map.size(), TopicSettingNames().size());
  ASSERT_EQ(ApplyTopicSettings(map, settings), absl::OkStatus());
  EXPECT_EQ(settings.max_message_bytes, 1000);
  EXPECT_EQ(settings.timestamp_type, TimestampType::kCreateTime);
  EXPECT_EQ(settings.min_insync_replicas, 2);
}

TEST(SettingsTest, UnknownNameIsAnErrorThatListsTheKnownOnes) {
  BrokerSettings settings;
  const absl::Status status = ApplyBrokerSettings({{"min.insync.replica", "2"}, {"num.partitions", "9"}}, settings);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("min.insync.replicas"), std::string::npos);
  EXPECT_EQ(settings.num_partitions, 1);  // nothing was changed
}

TEST(SettingsTest, WrongValuesNameKeyAndWhatIsAllowed) {
  BrokerSettings settings;
  const auto error = [&settings](std::string key, std::string value) {
    const absl::Status status = ApplyBrokerSettings({{std::move(key), std::move(value)}}, settings);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(error("min.insync.replicas", "0"),
            "min.insync.replicas: found \"0\", allowed: an integer from 1 to 2147483647");
  EXPECT_EQ(error("num.partitions", "4x"), "num.partitions: found \"4x\", allowed: an integer from 1 to 2147483647");
  EXPECT_EQ(error("auto.create.topics.enable", "yes"),
            "auto.create.topics.enable: found \"yes\", allowed: true or false");
}

TEST(SettingsTest, NamesAreSorted) {
  EXPECT_TRUE(std::ranges::is_sorted(BrokerSettingNames()));
  EXPECT_TRUE(std::ranges::is_sorted(TopicSettingNames()));
}

}  // namespace
}  // namespace ktrial::sim
