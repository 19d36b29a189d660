#include "sim/broker/batch_check.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>

#include "core/compression/compressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/status.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;

constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kLastOffsetDeltaAt = 23;
constexpr std::size_t kProducerIdAt = 43;
constexpr std::size_t kCountAt = 57;

template <class Integer>
std::string With(std::string batch, std::size_t at, Integer value) {
  wire::StoreBigEndian(batch.data() + at, value);
  wire::StoreBigEndian(batch.data() + kCrcAt, wire::Crc32c(std::string_view(batch).substr(kAttributesAt)));
  return batch;
}

const std::string& Good() {
  static const std::string batch = BatchOf({"value-one", "value-two"});
  return batch;
}

ErrorCode Shape(std::optional<std::string_view> records) { return wire::KafkaCode(CheckShape(records)); }

ErrorCode Check(std::string_view records, BatchLimits limits = {.bytes_max = 1000000}) {
  std::vector<RecordIdentity> identities;
  PlainRecordsBuffer buffer;
  return wire::KafkaCode(CheckBatch(records, limits, buffer, identities).status());
}

// The codes in this file are those of a broker of 4.4.0 for the same bytes.
TEST(CheckShapeTest, OneWholeBatchIsGood) { EXPECT_EQ(Shape(Good()), ErrorCode::kNone); }

TEST(CheckShapeTest, LessThanABatchIsInvalid) {
  EXPECT_EQ(Shape(std::nullopt), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Shape(""), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Shape(std::string_view(Good()).substr(0, 30)), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Shape(std::string_view(Good()).substr(0, Good().size() - 1)), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Shape(With(Good(), kLengthAt, std::int32_t{2000})), ErrorCode::kInvalidRecord);
}

TEST(CheckShapeTest, MoreThanABatchIsInvalid) { EXPECT_EQ(Shape(Good() + Good()), ErrorCode::kInvalidRecord); }

TEST(CheckShapeTest, SenselessLengthIsCorrupt) {
  EXPECT_EQ(Shape(With(Good(), kLengthAt, std::int32_t{-5})), ErrorCode::kCorruptMessage);
}

TEST(CheckShapeTest, OldFormatIsInvalidAndAnUnknownOneCorrupt) {
  EXPECT_EQ(Shape(With(Good(), kMagicAt, std::int8_t{1})), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Shape(With(Good(), kMagicAt, std::int8_t{3})), ErrorCode::kCorruptMessage);
}

// WP-10
TEST(CheckCodecTest, ZstdNeedsVersionSeven) {
  const std::string zstd = With(Good(), kAttributesAt, std::int16_t{4});
  EXPECT_EQ(wire::KafkaCode(CheckCodec(zstd, 6)), ErrorCode::kUnsupportedCompressionType);
  EXPECT_EQ(wire::KafkaCode(CheckCodec(zstd, 7)), ErrorCode::kNone);
}

TEST(CheckCodecTest, UndefinedCodecIsAnUnknownErrorBeforeVersionSeven) {
  const std::string undefined = With(Good(), kAttributesAt, std::int16_t{5});
  EXPECT_EQ(wire::KafkaCode(CheckCodec(undefined, 6)), ErrorCode::kUnknownServerError);
  EXPECT_EQ(wire::KafkaCode(CheckCodec(undefined, 7)), ErrorCode::kNone);
}

TEST(CheckBatchTest, GivesTheIdentitiesOfItsRecords) {
  std::vector<RecordIdentity> identities = {1, 2, 3};
  PlainRecordsBuffer buffer;
  ASSERT_TRUE(CheckBatch(Good(), {.bytes_max = 1000}, buffer, identities).ok());
  EXPECT_EQ(identities, (std::vector{IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "value-one"),
                                     IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "value-two")}));
}

TEST(CheckBatchTest, RecordsOfAllShapesAreIdentified) {
  std::string buffer(100000, '\0');
  wire::RecordBatchBuilder builder(buffer);
  const std::string large(20000, 'x');
  const wire::HeaderView header{"trace", "1"};
  ASSERT_GT(builder.Append(1000, "key", "value-one", {}), 0U);
  ASSERT_GT(builder.Append(1000 - 500, std::nullopt, std::nullopt, {}), 0U);
  ASSERT_GT(builder.Append(1000 + 1000000, "key", large, {}), 0U);
  ASSERT_GT(builder.Append(1000, "", "", std::span(&header, 1)), 0U);
  std::vector<RecordIdentity> identities;
  PlainRecordsBuffer plain;
  ASSERT_TRUE(
      CheckBatch(builder.Close(), {.bytes_max = 100000, .identity = IdentityRule::kWholeRecord}, plain, identities)
          .ok());
  EXPECT_EQ(identities, (std::vector{HashIdentity("key", "value-one"), HashIdentity(std::nullopt, std::nullopt),
                                     HashIdentity("key", large), HashIdentity("", "")}));
}

// Two readers of records, one of them quick, must agree on what is well formed.
TEST(CheckBatchTest, DamagedRecordsAreRefusedExactlyWhenTheGeneralReaderRefusesThem) {
  std::mt19937_64 random(20240612);
  const std::string good = BatchOf({"value-one", "", std::string(300, 'y'), "value-four"});
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string batch = good;
    for (std::uint64_t i = 0; i <= random() % 2; ++i) {
      batch[61 + random() % (batch.size() - 61)] = static_cast<char>(random() % (round % 2 == 0 ? 256 : 16));
    }
    batch = With(batch, 0, std::int64_t{0});  // a CRC that fits
    const bool well_formed = wire::RecordBatchView::Parse(batch)->ValidateRecords().ok();
    EXPECT_EQ(Check(batch), well_formed ? ErrorCode::kNone : ErrorCode::kInvalidRecord) << round;
    refused += well_formed ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(CheckBatchTest, SizeIsLookedAtBeforeTheCrc) {
  std::string damaged = Good();
  damaged.back() ^= 1;
  EXPECT_EQ(Check(damaged, {.bytes_max = 10}), ErrorCode::kMessageTooLarge);
  EXPECT_EQ(Check(damaged), ErrorCode::kCorruptMessage);
}

TEST(CheckBatchTest, BaseOffsetIsZero) {
  EXPECT_EQ(Check(With(Good(), 0, std::int64_t{5})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, CountsAgree) {
  EXPECT_EQ(Check(With(Good(), kCountAt, std::int32_t{3})), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Check(With(Good(), kLastOffsetDeltaAt, std::int32_t{5})), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Check(With(With(Good(), kCountAt, std::int32_t{3}), kLastOffsetDeltaAt, std::int32_t{2})),
            ErrorCode::kInvalidRecord);
  EXPECT_EQ(Check(With(With(Good(), kCountAt, std::int32_t{1}), kLastOffsetDeltaAt, std::int32_t{0})),
            ErrorCode::kInvalidRecord);
  EXPECT_EQ(Check(With(Good(), kCountAt, std::int32_t{0})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, CountThatCannotBeIsInvalidWhereTheCrcIsRight) {
  const std::string absurd = With(Good(), kLastOffsetDeltaAt, std::int32_t{1999999999});
  EXPECT_EQ(Check(With(Good(), kCountAt, std::int32_t{-1})), ErrorCode::kInvalidRecord);
  EXPECT_EQ(Check(With(absurd, kCountAt, std::int32_t{2000000000})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, RecordsNumberThemselvesWithoutAGap) {
  // The second record's offset delta: after its length, attributes and timestamp delta.
  const std::size_t first = 61;
  const std::size_t second = first + 1 + static_cast<std::size_t>(Good()[first]) / 2;
  ASSERT_EQ(Good()[second + 3], 2);  // zigzag of 1
  EXPECT_EQ(Check(With(Good(), second + 3, std::int8_t{0})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, ControlBatchesAreNotForClients) {
  EXPECT_EQ(Check(With(Good(), kAttributesAt, std::int16_t{0x20})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, TransactionalBatchNeedsATransactionalId) {
  const std::string batch = With(Good(), kAttributesAt, std::int16_t{0x10});
  EXPECT_EQ(Check(batch), ErrorCode::kTransactionalIdAuthorizationFailed);
}

TEST(CheckBatchTest, ProducerIdNeedsASequence) {
  EXPECT_EQ(Check(With(Good(), kProducerIdAt, std::int64_t{5})), ErrorCode::kInvalidRecord);
}

TEST(CheckBatchTest, UndefinedCodecIsAnUnknownError) {
  EXPECT_EQ(Check(With(Good(), kAttributesAt, std::int16_t{7})), ErrorCode::kUnknownServerError);
}

std::string Compressed(Codec codec, int records = 20) {
  std::string bytes(1 << 16, '\0');
  wire::RecordBatchBuilder builder(bytes);
  for (int i = 0; i < records; ++i) {
    EXPECT_GT(builder.Append(0, std::nullopt, "value number " + std::to_string(i), {}), 0U);
  }
  Compressor compressor(codec);
  EXPECT_TRUE(builder.Compress(compressor));
  return std::string(builder.Close());
}

TEST(CheckBatchTest, RecordsOfACompressedBatchAreKnownByTheirValues) {
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    std::vector<RecordIdentity> identities;
    PlainRecordsBuffer buffer;
    ASSERT_TRUE(
        CheckBatch(Compressed(codec), {.bytes_max = 100000, .identity = IdentityRule::kWholeRecord}, buffer, identities)
            .ok());
    ASSERT_EQ(identities.size(), 20U);
    EXPECT_EQ(identities[7], HashIdentity(std::nullopt, "value number 7")) << CodecName(codec);
  }
}

TEST(CheckBatchTest, ZstdIsUndefinedToAReleaseThatDoesNotKnowIt) {
  EXPECT_EQ(Check(Compressed(Codec::kZstd), {.bytes_max = 1000000, .codec_max = Codec::kLz4}),
            ErrorCode::kUnknownServerError);
}

TEST(CheckBatchTest, DamagedStreamIsAnUnknownError) {
  for (std::int16_t codec = 1; codec <= 4; ++codec) {
    EXPECT_EQ(Check(With(Good(), kAttributesAt, codec)), ErrorCode::kUnknownServerError) << codec;
  }
}

TEST(CheckBatchTest, CompressedRecordsThatCannotBeSoManyAreInvalid) {
  const std::string more = With(Compressed(Codec::kLz4), kLastOffsetDeltaAt, std::int32_t{1999999999});
  EXPECT_EQ(Check(With(more, kCountAt, std::int32_t{2000000000})), ErrorCode::kInvalidRecord);
}

TEST(RecordsAfterTest, NamesThoseThatAreLater) {
  for (const Codec codec : {Codec::kNone, Codec::kGzip}) {
    std::string bytes(1 << 12, '\0');
    wire::RecordBatchBuilder builder(bytes);
    for (const std::int64_t timestamp : {1000, 1001, 2000, 1001, 1002}) {
      ASSERT_GT(builder.Append(timestamp, std::nullopt, std::string(50, 'x'), {}), 0U);
    }
    if (codec != Codec::kNone) {
      Compressor compressor(codec);
      ASSERT_TRUE(builder.Compress(compressor));
    }
    std::vector<RecordIdentity> identities;
    PlainRecordsBuffer buffer;
    const auto batch = CheckBatch(builder.Close(), {.bytes_max = 100000}, buffer, identities);
    ASSERT_TRUE(batch.ok());
    EXPECT_EQ(RecordsAfter(1001, *batch, buffer), (std::vector<std::int32_t>{2, 4})) << CodecName(codec);
  }
}

TEST(CheckBatchTest, CompressedRecordsThatDisagreeWithTheHeaderAreRefused) {
  const std::string more = With(Compressed(Codec::kLz4), kLastOffsetDeltaAt, std::int32_t{20});
  EXPECT_EQ(Check(With(more, kCountAt, std::int32_t{21})), ErrorCode::kInvalidRecord);
}

// WP-15
TEST(CheckBatchTest, BombIsRefusedBeforeItFillsTheMemory) {
  std::string bytes(1 << 20, '\0');
  wire::RecordBatchBuilder builder(bytes);
  ASSERT_GT(builder.Append(0, std::nullopt, std::string(1'000'000, 'x'), {}), 0U);
  Compressor compressor(Codec::kGzip);
  ASSERT_TRUE(builder.Compress(compressor));
  const std::string_view bomb = builder.Close();
  ASSERT_LT(bomb.size(), 10'000U);
  EXPECT_EQ(Check(bomb, {.bytes_max = 10'000, .plain_bytes_max = 100'000}), ErrorCode::kMessageTooLarge);
}

// --- Message sets. The codes are those of brokers of 0.9.0.1, 0.10.2.2 and 2.0.1 for the same bytes ---

std::string SetOf(std::int8_t magic, int records, Codec codec = Codec::kNone) {
  std::string bytes(1 << 16, '\0');
  wire::MessageSetBuilder builder(magic, bytes);
  for (int i = 0; i < records; ++i) {
    EXPECT_GT(builder.Append(1000 + i, std::nullopt, "value number " + std::to_string(i)), 0U);
  }
  if (codec != Codec::kNone) {
    Compressor compressor(codec);
    EXPECT_TRUE(builder.Compress(compressor));
  }
  return std::string(builder.Close());
}

class MessageSetTest : public ::testing::Test {
 protected:
  ErrorCode CheckSet(std::string_view records, BatchLimits limits = {.bytes_max = 1000000}) {
    limits.identity = IdentityRule::kWholeRecord;
    const absl::StatusOr<std::int64_t> latest = CheckMessageSet(records, limits, buffer_, identities_);
    latest_ = latest.value_or(-2);
    return wire::KafkaCode(latest.status());
  }
  PlainRecordsBuffer buffer_;
  std::vector<RecordIdentity> identities_;
  std::int64_t latest_ = -2;
};

TEST_F(MessageSetTest, BothFormatsAreReadMessageByMessage) {
  for (const std::int8_t magic : {std::int8_t{0}, std::int8_t{1}}) {
    EXPECT_TRUE(IsMessageSet(SetOf(magic, 3)));
    EXPECT_EQ(CheckSet(SetOf(magic, 3)), ErrorCode::kNone);
    ASSERT_EQ(identities_.size(), 3U);
    EXPECT_EQ(identities_[2], HashIdentity(std::nullopt, "value number 2"));
    EXPECT_EQ(latest_, magic == 0 ? -1 : 1002);
  }
  EXPECT_FALSE(IsMessageSet(Good()));
}

TEST_F(MessageSetTest, MessagesInWrappersAreTheRecords) {
  for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4}) {
    EXPECT_EQ(CheckSet(SetOf(1, 20, codec) + SetOf(1, 2)), ErrorCode::kNone) << CodecName(codec);
    EXPECT_EQ(identities_.size(), 22U);
  }
}

TEST_F(MessageSetTest, MessageThatIsCutOffIsNobodys) {
  const std::string two = SetOf(1, 2);
  EXPECT_EQ(CheckSet(two.substr(0, two.size() - 2)), ErrorCode::kNone);
  EXPECT_EQ(identities_.size(), 1U);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, SetOf(1, 1).size() - 1}) {
    EXPECT_EQ(CheckSet(two.substr(0, size)), ErrorCode::kNone);
    EXPECT_TRUE(identities_.empty());
  }
}

TEST_F(MessageSetTest, NegativeLengthIsCorrupt) {
  std::string two = SetOf(1, 2);
  wire::StoreBigEndian(two.data() + two.size() / 2 + kLengthAt, std::int32_t{-1});
  EXPECT_EQ(CheckSet(two), ErrorCode::kCorruptMessage);
}

TEST_F(MessageSetTest, WrongCrcOfAnyMessageIsCorrupt) {
  std::string damaged = SetOf(0, 2);
  damaged.back() ^= 1;
  EXPECT_EQ(CheckSet(damaged), ErrorCode::kCorruptMessage);
}

TEST_F(MessageSetTest, SizeOfEachMessageIsBounded) {
  const std::string one = SetOf(0, 1);
  const auto size = static_cast<std::int32_t>(one.size());
  EXPECT_EQ(CheckSet(one + one, {.bytes_max = size}), ErrorCode::kNone);
  EXPECT_EQ(CheckSet(one + one, {.bytes_max = size - 1}), ErrorCode::kMessageTooLarge);
}

}  // namespace
}  // namespace ktrial::sim
