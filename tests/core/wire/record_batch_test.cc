#include "core/wire/record_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sequence.h"
#include "core/wire/big_endian.h"
#include "core/wire/status.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

using Buffer = std::vector<char>;

// A batch of two records, 1000 and 1002 ms, the second with a null key and a header.
std::string TwoRecords(Buffer& buffer, const BatchProducer& producer = {}) {
  RecordBatchBuilder builder(buffer);
  EXPECT_GT(builder.Append(1000, "k", "v", {}), 0U);
  const std::array<HeaderView, 2> headers = {HeaderView{"h", "x"}, HeaderView{"n", std::nullopt}};
  EXPECT_GT(builder.Append(1002, std::nullopt, "", headers), 0U);
  return std::string(builder.Close(producer));
}

// Puts the right CRC back after a change behind it, so that the change itself is judged.
std::string WithCrc(std::string batch) {
  StoreBigEndian(batch.data() + 17, Crc32c(std::string_view(batch).substr(21)));
  return batch;
}

ErrorCode CodeOf(const absl::StatusOr<RecordBatchView>& batch) { return KafkaCode(batch.status()); }

// WP-14
TEST(RecordBatchTest, Crc32cOfTheKnownVectors) {
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32c(""), 0U);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62A8AB43U);
}

// WP-13, WP-17
TEST(RecordBatchTest, BytesAreTheseAndNoOthers) {
  Buffer buffer(200);
  const std::string batch = TwoRecords(buffer, {ProducerId(258), ProducerEpoch(3), Sequence(4)});
  EXPECT_EQ(ToHex(batch.substr(0, 17)), ToHex(FromHex("0000000000000000 00000048 ffffffff 02")));
  EXPECT_EQ(ToHex(batch.substr(21)),
            ToHex(FromHex("0000 00000001 00000000000003e8 00000000000003ea 0000000000000102 0003 00000004 00000002"
                          "10 00 00 00 02 6b 02 76 00"
                          "1a 00 04 02 01 00 04 02 68 02 78 02 6e 01")));
  EXPECT_EQ(batch.size(), 12U + 0x48);
}

// WP-13: without idempotence.
TEST(RecordBatchTest, ProducerFieldsAreMinusOneByDefault) {
  Buffer buffer(200);
  const std::string bytes = TwoRecords(buffer);
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->producer_id(), kNoProducerId);
  EXPECT_EQ(batch->producer_epoch(), kNoProducerEpoch);
  EXPECT_EQ(batch->base_sequence(), kNoSequence);
  EXPECT_EQ(batch->base_offset(), 0);
  EXPECT_EQ(batch->partition_leader_epoch(), -1);
}

// WP-13, SN-22
TEST(RecordBatchTest, SequencesOfABatchMayGoOnWithZero) {
  Buffer buffer(200);
  constexpr Sequence kLast{std::numeric_limits<std::int32_t>::max()};
  const std::string bytes = TwoRecords(buffer, {ProducerId(1), ProducerEpoch(2), kLast});
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->ValidateRecords(), absl::OkStatus());
  EXPECT_EQ(batch->base_sequence(), kLast);
  EXPECT_EQ(LastSequence(batch->base_sequence(), batch->record_count()), Sequence(0));
}

// WP-13, WP-15, WP-17
TEST(RecordBatchTest, WhatWasWrittenIsReadBack) {
  Buffer buffer(200);
  const std::string bytes = TwoRecords(buffer, {ProducerId(1), ProducerEpoch(2), Sequence(3), /*transactional=*/true});
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->record_count(), 2);
  EXPECT_EQ(batch->last_offset_delta(), 1);
  EXPECT_EQ(batch->base_timestamp_ms(), 1000);
  EXPECT_EQ(batch->max_timestamp_ms(), 1002);
  EXPECT_EQ(batch->producer_id(), ProducerId(1));
  EXPECT_TRUE(batch->is_transactional());
  EXPECT_FALSE(batch->is_control());
  EXPECT_EQ(batch->codec(), Codec::kNone);
  EXPECT_EQ(batch->ValidateRecords(), absl::OkStatus());

  RecordReader reader(*batch);
  const RecordView* record = reader.Next();
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->offset_delta, 0);
  EXPECT_EQ(record->timestamp_ms, 1000);
  EXPECT_EQ(record->key, "k");
  EXPECT_EQ(record->value, "v");
  EXPECT_TRUE(record->headers.empty());
  record = reader.Next();
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->offset_delta, 1);
  EXPECT_EQ(record->timestamp_ms, 1002);
  EXPECT_EQ(record->key, std::nullopt);
  EXPECT_EQ(record->value, "");
  ASSERT_EQ(record->headers.size(), 2U);
  EXPECT_EQ(record->headers[0], (HeaderView{"h", "x"}));
  EXPECT_EQ(record->headers[1], (HeaderView{"n", std::nullopt}));
  EXPECT_EQ(reader.Next(), nullptr);
  EXPECT_EQ(reader.status(), absl::OkStatus());
}

// WP-17: deltas are from the first record and may be negative or wrap.
TEST(RecordBatchTest, TimestampsMayGoBackAndBeWild) {
  Buffer buffer(300);
  RecordBatchBuilder builder(buffer);
  const std::vector<std::int64_t> timestamps = {1000, 900, std::numeric_limits<std::int64_t>::min(),
                                                std::numeric_limits<std::int64_t>::max(), -1};
  for (const std::int64_t timestamp : timestamps) EXPECT_GT(builder.Append(timestamp, "k", "v", {}), 0U);
  const auto batch = RecordBatchView::Parse(builder.Close());
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->base_timestamp_ms(), 1000);
  EXPECT_EQ(batch->max_timestamp_ms(), std::numeric_limits<std::int64_t>::max());
  RecordReader reader(*batch);
  for (const std::int64_t timestamp : timestamps) EXPECT_EQ(reader.Next()->timestamp_ms, timestamp);
}

// WP-15: the broker's time counts for all records.
TEST(RecordBatchTest, LogAppendTimeReplacesRecordTimes) {
  Buffer buffer(200);
  std::string bytes = TwoRecords(buffer);
  StoreBigEndian(bytes.data() + 21, std::int16_t{0x08});
  StoreBigEndian(bytes.data() + 35, std::int64_t{5000});
  bytes = WithCrc(bytes);
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  RecordReader reader(*batch);
  EXPECT_EQ(reader.Next()->timestamp_ms, 5000);
  EXPECT_EQ(reader.Next()->timestamp_ms, 5000);
}

// A retry under a new producer id sends the same records.
TEST(RecordBatchTest, ClosingAgainRewritesTheProducer) {
  Buffer buffer(200);
  RecordBatchBuilder builder(buffer);
  builder.Append(1, "k", "v", {});
  const std::string first(builder.Close({ProducerId(1), ProducerEpoch(0), Sequence(9)}));
  const std::string second(builder.Close({ProducerId(2), ProducerEpoch(0), Sequence(0)}));
  const auto batch = RecordBatchView::Parse(second);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->producer_id(), ProducerId(2));
  EXPECT_EQ(first.substr(kRecordBatchHeaderBytes), second.substr(kRecordBatchHeaderBytes));
}

// WP-19
TEST(RecordBatchTest, UpperBoundIsThatOfTheRule) {
  EXPECT_EQ(RecordBatchUpperBound(std::nullopt, std::nullopt, {}), 61U + 21 + 1 + 1 + 1);
  EXPECT_EQ(RecordBatchUpperBound("key", std::string(100, 'v'), {}), 61U + 21 + 4 + 102 + 1);
  const std::array<HeaderView, 1> headers = {HeaderView{"h", "xy"}};
  EXPECT_EQ(RecordBatchUpperBound(std::nullopt, "", headers), 61U + 21 + 1 + 1 + 1 + 2 + 3);
}

// WP-19: what a buffer of the bound's size must take, at every size of varint.
TEST(RecordBatchTest, OneRecordFitsIntoItsUpperBound) {
  for (const std::size_t size : {0, 1, 63, 64, 8191, 8192, 1048575, 1048576}) {
    const std::string value(size, 'v');
    Buffer buffer(RecordBatchUpperBound("key", value, {}));
    RecordBatchBuilder builder(buffer);
    EXPECT_GT(builder.Append(std::numeric_limits<std::int64_t>::min(), "key", value, {}), 0U) << size;
  }
}

TEST(RecordBatchTest, ARecordThatDoesNotFitChangesNothing) {
  Buffer buffer(kRecordBatchHeaderBytes + 20);
  RecordBatchBuilder builder(buffer);
  EXPECT_EQ(builder.Append(1, "k", std::string(20, 'v'), {}), 0U);
  EXPECT_EQ(builder.size_bytes(), kRecordBatchHeaderBytes);
  EXPECT_EQ(builder.record_count(), 0);
  EXPECT_GT(builder.Append(2, "k", "v", {}), 0U);
  EXPECT_EQ(builder.base_timestamp_ms(), 2);
}

TEST(RecordBatchTest, ABufferIsFilledToItsLastByte) {
  // 7 bytes a record without key and value; offset deltas stay below 64.
  Buffer buffer(kRecordBatchHeaderBytes + 3 * kRecordBytesMin);
  RecordBatchBuilder builder(buffer);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(builder.Append(1, std::nullopt, std::nullopt, {}), kRecordBytesMin);
  EXPECT_EQ(builder.Append(1, std::nullopt, std::nullopt, {}), 0U);
  EXPECT_EQ(builder.size_bytes(), buffer.size());
}

TEST(RecordBatchTest, ARecordOneByteTooLargeDoesNotFit) {
  Buffer buffer(kRecordBatchHeaderBytes + 2 * kRecordBytesMin - 1);
  RecordBatchBuilder builder(buffer);
  EXPECT_EQ(builder.Append(1, std::nullopt, std::nullopt, {}), kRecordBytesMin);
  EXPECT_EQ(builder.Append(1, std::nullopt, std::nullopt, {}), 0U);
}

TEST(RecordBatchTest, ABuilderWithoutABufferTakesNothing) {
  RecordBatchBuilder builder;
  EXPECT_EQ(builder.Append(1, "k", "v", {}), 0U);
}

// WP-14
TEST(RecordBatchTest, AnyChangeBehindTheCrcIsSeen) {
  Buffer buffer(200);
  const std::string good = TwoRecords(buffer);
  for (std::size_t i = 17; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_EQ(CodeOf(RecordBatchView::Parse(bad)), ErrorCode::kCorruptMessage) << i;
  }
}

// WP-14: base offset and leader epoch are the broker's to write.
TEST(RecordBatchTest, BaseOffsetAndLeaderEpochAreOutsideTheCrc) {
  Buffer buffer(200);
  std::string bytes = TwoRecords(buffer);
  StoreBigEndian(bytes.data(), std::int64_t{123456});
  StoreBigEndian(bytes.data() + 12, std::int32_t{7});
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(batch->base_offset(), 123456);
  EXPECT_EQ(batch->partition_leader_epoch(), 7);
}

TEST(RecordBatchTest, EveryTruncationIsCorrupt) {
  Buffer buffer(200);
  const std::string bytes = TwoRecords(buffer);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string part(bytes, 0, size);
    EXPECT_EQ(CodeOf(RecordBatchView::Parse(part)), ErrorCode::kCorruptMessage) << size;
  }
}

// WP-10: exactly one batch per partition.
TEST(RecordBatchTest, ASecondBatchIsAnErrorOnlyWhereOneIsAllowed) {
  Buffer buffer(200);
  const std::string one = TwoRecords(buffer);
  const std::string both = one + one;
  EXPECT_EQ(CodeOf(RecordBatchView::Parse(both)), ErrorCode::kInvalidRecord);
  const auto first = RecordBatchView::ParseFirst(both);
  ASSERT_EQ(first.status(), absl::OkStatus());
  EXPECT_EQ(first->bytes().size(), one.size());
}

// WP-10: only format v2.
TEST(RecordBatchTest, OtherFormatsAreInvalid) {
  Buffer buffer(200);
  std::string bytes = TwoRecords(buffer);
  bytes[16] = 1;
  EXPECT_EQ(CodeOf(RecordBatchView::Parse(bytes)), ErrorCode::kInvalidRecord);
  EXPECT_EQ(CodeOf(RecordBatchView::Parse(bytes.substr(0, 30))), ErrorCode::kInvalidRecord);
}

TEST(RecordBatchTest, LengthsThatLieAreCorrupt) {
  Buffer buffer(200);
  for (const std::int32_t length : {-1, 0, 48, 0x49, INT32_MAX, INT32_MIN}) {
    std::string bytes = TwoRecords(buffer);
    StoreBigEndian(bytes.data() + 8, length);
    EXPECT_EQ(CodeOf(RecordBatchView::Parse(bytes)), ErrorCode::kCorruptMessage) << length;
  }
}

TEST(RecordBatchTest, CountsThatCannotBeAreCorrupt) {
  Buffer buffer(200);
  for (const std::int32_t count : {-1, 4, INT32_MAX}) {
    std::string bytes = TwoRecords(buffer);
    StoreBigEndian(bytes.data() + 57, count);
    EXPECT_EQ(CodeOf(RecordBatchView::Parse(WithCrc(bytes))), ErrorCode::kCorruptMessage) << count;
  }
}

// The records are damaged under a right CRC: what a faulty client would send.
TEST(RecordBatchTest, RecordsThatLieAreInvalid) {
  struct Case {
    const char* what;
    std::size_t offset;
    char byte;
    const char* error;
  };
  // The first record is 10 00 00 00 02 6b 02 76 00 at 61, the second begins at 70.
  for (const Case& c : {
           Case{"longer than it is", 61, 0x12, "record batch: byte 61: record length is wrong"},
           Case{"shorter than it is", 61, 0x0e, "record batch: byte 61: record length is wrong"},
           Case{"negative length", 61, 0x01, "record batch: byte 61: record length goes beyond the end"},
           Case{"longer than the batch", 61, 0x7e, "record batch: byte 61: record length goes beyond the end"},
           Case{"numbered 1", 64, 0x02, "record batch: byte 61: record is numbered wrong"},
           Case{"key too long", 65, 0x7e, "record batch: byte 65: length goes beyond the end"},
           Case{"value too long", 67, 0x7e, "record batch: byte 67: length goes beyond the end"},
           Case{"key length -2", 65, 0x03, "record batch: byte 65: negative length"},
           Case{"headers -1", 69, 0x01, "record batch: byte 69: wrong number of headers"},
           Case{"headers 63", 69, 0x7e, "record batch: byte 69: wrong number of headers"},
           Case{"header key null", 77, 0x01, "record batch: byte 77: header without a key"},
           Case{"header key too long", 77, 0x7e, "record batch: byte 77: length goes beyond the end"},
           Case{"header value too long", 79, 0x7e, "record batch: byte 79: length goes beyond the end"},
           Case{"last offset delta", 26, 0x02, "record batch: byte 23: wrong last offset delta"},
       }) {
    Buffer buffer(200);
    std::string bytes = TwoRecords(buffer);
    bytes[c.offset] = c.byte;
    bytes = WithCrc(bytes);
    const auto batch = RecordBatchView::Parse(bytes);
    ASSERT_EQ(batch.status(), absl::OkStatus()) << c.what;
    const absl::Status status = batch->ValidateRecords();
    EXPECT_EQ(KafkaCode(status), ErrorCode::kInvalidRecord) << c.what;
    EXPECT_EQ(std::string(status.message()), c.error) << c.what;
  }
}

// WP-17
TEST(RecordBatchTest, ATimestampThatTheEndCutsShortIsInvalid) {
  Buffer buffer(200);
  RecordBatchBuilder builder(buffer);
  EXPECT_GT(builder.Append(1000, std::nullopt, std::nullopt, {}), 0U);
  // Seven bytes, as before: the length, the attributes, and five of a number that goes on.
  const std::string bytes = WithCrc(std::string(builder.Close()).substr(0, 61) + FromHex("0c 00 80 80 80 80 80"));
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  const absl::Status status = batch->ValidateRecords();
  EXPECT_EQ(KafkaCode(status), ErrorCode::kInvalidRecord);
  EXPECT_EQ(std::string(status.message()), "record batch: byte 63: varint is cut short");
}

TEST(RecordBatchTest, FewerRecordsThanBytesIsInvalid) {
  Buffer buffer(200);
  std::string bytes = TwoRecords(buffer);
  StoreBigEndian(bytes.data() + 57, std::int32_t{1});
  StoreBigEndian(bytes.data() + 23, std::int32_t{0});
  bytes = WithCrc(bytes);
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(std::string(batch->ValidateRecords().message()), "record batch: byte 70: bytes after the end");
}

TEST(RecordBatchTest, MoreRecordsThanBytesIsInvalid) {
  Buffer buffer(200);
  std::string bytes = TwoRecords(buffer);
  StoreBigEndian(bytes.data() + 57, std::int32_t{3});
  StoreBigEndian(bytes.data() + 23, std::int32_t{2});
  bytes = WithCrc(bytes);
  const auto batch = RecordBatchView::Parse(bytes);
  ASSERT_EQ(batch.status(), absl::OkStatus());
  EXPECT_EQ(KafkaCode(batch->ValidateRecords()), ErrorCode::kInvalidRecord);
}

TEST(RecordBatchDeathTest, ABatchWithoutRecordsIsNeverClosed) {
  Buffer buffer(200);
  RecordBatchBuilder builder(buffer);
  EXPECT_DEATH(builder.Close(), "check failed");
}

TEST(RecordBatchDeathTest, AClosedBatchTakesNoMoreRecords) {
  Buffer buffer(200);
  RecordBatchBuilder builder(buffer);
  builder.Append(1, "k", "v", {});
  builder.Close();
  EXPECT_DEATH(builder.Append(1, "k", "v", {}), "check failed");
}

}  // namespace
}  // namespace ktrial::wire
