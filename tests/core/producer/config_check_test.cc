#include "core/producer/config_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "core/producer/config_keys.h"

namespace ktrial {
namespace {

using std::chrono::milliseconds;

// What is said of Kafka's defaults after this change.
std::string TextAfter(absl::FunctionRef<void(ProducerConfig&)> change) {
  ProducerConfig config;
  config.bootstrap_servers = {{"h", 9092}};
  change(config);
  const absl::Status status = CheckConfig(config);
  EXPECT_EQ(status.code(), status.ok() ? absl::StatusCode::kOk : absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

// PR-20
TEST(ConfigCheckTest, DefaultsWithAServerAreRight) {
  EXPECT_EQ(TextAfter([](ProducerConfig&) {}), "");
}

TEST(ConfigCheckTest, ANumberOutsideItsRangeIsNamedByItsKey) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.buffer_memory = -1; }),
            "buffer.memory = -1 is not allowed: 0 ... 9223372036854775807");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.max_in_flight_requests_per_connection = 0; }),
            "max.in.flight.requests.per.connection = 0 is not allowed: 1 ... 2147483647");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.linger = milliseconds(-1); }),
            "linger.ms = -1 is not allowed: 0 ... 9223372036854775807");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.metrics_num_samples = 0; }),
            "metrics.num.samples = 0 is not allowed: 1 ... 2147483647");
}

// A key that is added later too.
TEST(ConfigCheckTest, EveryNumberIsLookedAt) {
  int numbers = 0;
  for (const ConfigKey& key : ProducerConfigKeys()) {
    const bool number = key.type == ConfigType::kInt || key.type == ConfigType::kLong;
    if (key.support != ConfigSupport::kSupported || !number) continue;
    ++numbers;
    ASSERT_NE(key.load, nullptr) << key.name;
    const bool has_least = key.min > std::numeric_limits<std::int32_t>::min();
    if (!has_least || key.name == "metrics.sample.window.ms") continue;  // A window of less is stored as the shortest.
    const std::string text =
        TextAfter([&](ProducerConfig& config) { key.store(config, key.min - 1, std::string_view()); });
    EXPECT_EQ(text.substr(0, text.find(' ')), key.name);
  }
  EXPECT_GT(numbers, 20);
}

// Less than a millisecond is no number of a key, but a length all the same.
TEST(ConfigCheckTest, AShortNegativeLengthIsNegative) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.max_block = Duration(-1); }),
            "max.block.ms = -1 is not allowed: 0 ... 9223372036854775807");
}

TEST(ConfigCheckTest, ALevelHoldsForItsCodec) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.compression_gzip_level = 99; }),
            "compression.gzip.level = 99 is not allowed: 1 ... 9, or -1 for gzip's own choice");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.compression_gzip_level = 0; }),
            "compression.gzip.level = 0 is not allowed: 1 ... 9, or -1 for gzip's own choice");
}

TEST(ConfigCheckTest, ATextMayNotBeLongerThanTheProtocolCarries) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.client_id = std::string(32767, 'c'); }), "");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.client_id = std::string(32768, 'c'); }),
            "client.id of 32768 bytes is not allowed: at most 32767");
}

TEST(ConfigCheckTest, AServerNeedsHostAndPort) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.bootstrap_servers.clear(); }),
            "bootstrap.servers is required (PR-20)");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.bootstrap_servers.push_back({"", 0}); }),
            "bootstrap.servers: \":0\" is not allowed: a host and a port from 1 to 65535");
}

TEST(ConfigCheckTest, AnInterceptorIsAnObject) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.interceptors = {nullptr}; }),
            "interceptors: null is not allowed: objects");
}

// PR-21
TEST(ConfigCheckTest, IdempotenceNeedsAllReplicasRetriesAndFiveInFlightAtMost) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.acks = Acks::kNone; }),
            "acks = 0 is not allowed with enable.idempotence = true: all");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.retries = 0; }),
            "retries = 0 is not allowed with enable.idempotence = true: at least 1");
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.max_in_flight_requests_per_connection = 6; }),
            "max.in.flight.requests.per.connection = 6 is not allowed with enable.idempotence = true: at most 5");
}

// PR-21
TEST(ConfigCheckTest, TransactionsNeedIdempotence) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) {
              config.transactional_id = "t";
              config.enable_idempotence = false;
            }),
            "enable.idempotence = false is not allowed with transactional.id: only true");
}

// PR-22
TEST(ConfigCheckTest, ADeliveryMayTakeItsLingerAndARequest) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.delivery_timeout = milliseconds(30004); }),
            "delivery.timeout.ms = 30004 is not allowed: at least linger.ms + request.timeout.ms = 5 + 30000");
}

// BP-04
TEST(ConfigCheckTest, ABatchFitsIntoTheMemoryForAll) {
  EXPECT_EQ(TextAfter([](ProducerConfig& config) { config.buffer_memory = 1000; }),
            "batch.size = 16384 is not allowed: at most buffer.memory = 1000");
}

}  // namespace
}  // namespace ktrial
