#include "sim/broker/batch_check.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>

#include "core/wire/big_endian.h"
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
constexpr std::int16_t kVersion = 8;

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

ErrorCode Shape(std::optional<std::string_view> records, std::int16_t version = kVersion) {
  return wire::KafkaCode(CheckShape(records, version));
}

ErrorCode Check(std::string_view records, BatchLimits limits = {.bytes_max = 1000000}) {
  std::vector<RecordIdentity> identities;
  return wire::KafkaCode(CheckBatch(records, limits, identities).status());
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
TEST(CheckShapeTest, ZstdNeedsVersionSeven) {
  const std::string zstd = With(Good(), kAttributesAt, std::int16_t{4});
  EXPECT_EQ(Shape(zstd, 6), ErrorCode::kUnsupportedCompressionType);
  EXPECT_EQ(Shape(zstd, 7), ErrorCode::kNone);
}

TEST(CheckBatchTest, GivesTheIdentitiesOfItsRecords) {
  std::vector<RecordIdentity> identities = {1, 2, 3};
  ASSERT_TRUE(CheckBatch(Good(), {.bytes_max = 1000}, identities).ok());
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
  ASSERT_TRUE(
      CheckBatch(builder.Close(), {.bytes_max = 100000, .identity = IdentityRule::kWholeRecord}, identities).ok());
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

TEST(CheckBatchTest, CompressedBatchIsBelievedAsToItsCount) {
  std::vector<RecordIdentity> identities;
  const std::string batch = With(Good(), kAttributesAt, std::int16_t{1});
  ASSERT_TRUE(CheckBatch(batch, {.bytes_max = 1000}, identities).ok());
  EXPECT_EQ(identities.size(), 2U);
  EXPECT_NE(identities[0], identities[1]);
}

}  // namespace
}  // namespace ktrial::sim
