#include "core/producer/config_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "core/producer/config.h"

namespace ktrial {
namespace {

TEST(ConfigKeysTest, EveryKeyOfKafka44IsThereOnce) {
  std::set<std::string_view> names;
  for (const ConfigKey& key : ProducerConfigKeys()) names.insert(key.name);
  EXPECT_EQ(names.size(), ProducerConfigKeys().size());
  names.erase("api.version.request");  // librdkafka's.
  EXPECT_EQ(names.size(), 120u);
}

// The defaults that the table shows are the ones that the struct has.
TEST(ConfigKeysTest, ShownDefaultsAreTheRealOnes) {
  std::map<std::string, std::string> values = {{"bootstrap.servers", "h:1"}};
  for (const ConfigKey& key : ProducerConfigKeys()) {
    if (key.support != ConfigSupport::kSupported || key.default_value.empty()) continue;
    values[std::string(key.name)] = std::string(key.default_value);
  }
  const absl::StatusOr<ProducerConfig> spelled_out = ProducerConfig::Parse(values);
  const absl::StatusOr<ProducerConfig> silent = ProducerConfig::Parse({{"bootstrap.servers", "h:1"}});
  ASSERT_TRUE(spelled_out.ok()) << spelled_out.status().message();
  ASSERT_TRUE(silent.ok());
  EXPECT_EQ(spelled_out->acks, silent->acks);
  EXPECT_EQ(spelled_out->retries, silent->retries);
  EXPECT_EQ(spelled_out->max_in_flight_requests_per_connection, silent->max_in_flight_requests_per_connection);
  EXPECT_EQ(spelled_out->batch_size, silent->batch_size);
  EXPECT_EQ(spelled_out->buffer_memory, silent->buffer_memory);
  EXPECT_EQ(spelled_out->max_request_size, silent->max_request_size);
  EXPECT_EQ(spelled_out->linger, silent->linger);
  EXPECT_EQ(spelled_out->max_block, silent->max_block);
  EXPECT_EQ(spelled_out->request_timeout, silent->request_timeout);
  EXPECT_EQ(spelled_out->delivery_timeout, silent->delivery_timeout);
  EXPECT_EQ(spelled_out->retry_backoff, silent->retry_backoff);
  EXPECT_EQ(spelled_out->retry_backoff_max, silent->retry_backoff_max);
  EXPECT_EQ(spelled_out->reconnect_backoff, silent->reconnect_backoff);
  EXPECT_EQ(spelled_out->reconnect_backoff_max, silent->reconnect_backoff_max);
  EXPECT_EQ(spelled_out->connection_setup_timeout, silent->connection_setup_timeout);
  EXPECT_EQ(spelled_out->connection_setup_timeout_max, silent->connection_setup_timeout_max);
  EXPECT_EQ(spelled_out->connections_max_idle, silent->connections_max_idle);
  EXPECT_EQ(spelled_out->send_buffer_bytes, silent->send_buffer_bytes);
  EXPECT_EQ(spelled_out->receive_buffer_bytes, silent->receive_buffer_bytes);
  EXPECT_EQ(spelled_out->metadata_max_age, silent->metadata_max_age);
  EXPECT_EQ(spelled_out->metadata_max_idle, silent->metadata_max_idle);
  EXPECT_EQ(spelled_out->metadata_recovery, silent->metadata_recovery);
  EXPECT_EQ(spelled_out->metadata_rebootstrap_trigger, silent->metadata_rebootstrap_trigger);
  EXPECT_EQ(spelled_out->partitioner_adaptive, silent->partitioner_adaptive);
  EXPECT_EQ(spelled_out->partitioner_availability_timeout, silent->partitioner_availability_timeout);
  EXPECT_EQ(spelled_out->partitioner_ignore_keys, silent->partitioner_ignore_keys);
  EXPECT_EQ(spelled_out->metrics_num_samples, silent->metrics_num_samples);
  EXPECT_EQ(spelled_out->metrics_sample_window, silent->metrics_sample_window);
}

TEST(ConfigKeysTest, ANearMissIsFound) {
  EXPECT_EQ(ClosestConfigKey("linger"), "linger.ms");
  EXPECT_EQ(ClosestConfigKey("linger_ms"), "linger.ms");
  EXPECT_EQ(ClosestConfigKey("BATCH.SIZES"), "batch.size");
  EXPECT_EQ(ClosestConfigKey("max.in.flight"), "max.in.flight.requests.per.connection");
  EXPECT_EQ(ClosestConfigKey("metadata.max.agems"), "metadata.max.age.ms");
}

TEST(ConfigKeysTest, FarOffNamesSuggestNothing) { EXPECT_EQ(ClosestConfigKey("zookeeper"), ""); }

TEST(ConfigKeysTest, AllowedValuesAreReadable) {
  EXPECT_EQ(AllowedValues(*FindConfigKey("retries")), "0 ... 2147483647");
  EXPECT_EQ(AllowedValues(*FindConfigKey("partitioner.ignore.keys")), "true or false");
  EXPECT_EQ(AllowedValues(*FindConfigKey("connections.max.idle.ms")), "any whole number");
  EXPECT_EQ(AllowedValues(*FindConfigKey("compression.type")), "none, gzip, snappy, lz4 or zstd");
}

}  // namespace
}  // namespace ktrial
