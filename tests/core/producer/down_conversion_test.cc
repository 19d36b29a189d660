// Batches of format v2 as the older formats have them.
#include "core/producer/down_conversion.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;

class DownConverterTest : public ::testing::Test {
 protected:
  // Two records, the second one null, at 1000 and 1005 ms.
  std::string Batch(Codec codec = Codec::kNone, std::span<const wire::HeaderView> headers = {}) {
    std::string buffer(4096, '\0');
    wire::RecordBatchBuilder builder(buffer);
    builder.Append(1000, "key", std::string(500, 'x'), {});
    builder.Append(1005, std::nullopt, std::nullopt, headers);
    if (codec != Codec::kNone) {
      Compressor compressor(codec);
      EXPECT_TRUE(builder.Compress(compressor));
    }
    return std::string(builder.Close());
  }
  // "offset timestamp key value-size codec", a line a message.
  static std::vector<std::string> Read(std::string_view set) {
    Decompressor decompressor;
    wire::MessageSetReader reader(set, decompressor, 100'000);
    std::vector<std::string> messages;
    while (const wire::MessageView* message = reader.Next()) {
      messages.push_back(std::to_string(message->offset) + " " + std::to_string(message->timestamp_ms) + " " +
                         std::string(message->key.value_or("(null)")) + " " +
                         (message->value ? std::to_string(message->value->size()) : "(null)") + " " +
                         std::string(CodecName(message->codec)));
    }
    EXPECT_TRUE(reader.status().ok());
    return messages;
  }
};

// WP-10
TEST(MagicTest, EachVersionOfProduceHasItsFormat) {
  EXPECT_EQ(MagicOf(0), 0);
  EXPECT_EQ(MagicOf(1), 0);
  EXPECT_EQ(MagicOf(2), 1);
  EXPECT_EQ(MagicOf(3), 2);
  EXPECT_EQ(MagicOf(13), 2);
}

// SN-30, WP-20
TEST_F(DownConverterTest, FormatV1HasTheSameRecords) {
  EXPECT_THAT(Read(DownConverter(Codec::kNone, 0).Convert(Batch(), 1)),
              ElementsAre("0 1000 key 500 none", "1 1005 (null) (null) none"));
}

// SN-30, WP-20
TEST_F(DownConverterTest, FormatV0ForgetsTimestamps) {
  EXPECT_THAT(Read(DownConverter(Codec::kNone, 0).Convert(Batch(), 0)),
              ElementsAre("0 -1 key 500 none", "1 -1 (null) (null) none"));
}

// SN-30, WP-20
TEST_F(DownConverterTest, ACompressedBatchIsCompressedAgain) {
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4}) {
    const std::string name(CodecName(codec));
    EXPECT_THAT(Read(DownConverter(codec, DefaultLevel(codec)).Convert(Batch(codec), 1)),
                ElementsAre("0 1000 key 500 " + name, "1 1005 (null) (null) " + name));
    EXPECT_THAT(Read(DownConverter(codec, DefaultLevel(codec)).Convert(Batch(codec), 0)),
                ElementsAre("0 -1 key 500 " + name, "1 -1 (null) (null) " + name));
  }
}

TEST_F(DownConverterTest, HeadersAreFoundInAnyRecord) {
  const std::vector<wire::HeaderView> headers = {{.key = "h", .value = "1"}};
  DownConverter converter(Codec::kLz4, DefaultLevel(Codec::kLz4));
  EXPECT_FALSE(converter.HasHeaders(Batch()));
  EXPECT_TRUE(converter.HasHeaders(Batch(Codec::kNone, headers)));
  EXPECT_TRUE(converter.HasHeaders(Batch(Codec::kLz4, headers)));
}

}  // namespace
}  // namespace ktrial
