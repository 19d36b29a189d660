// Record batches whose records are compressed.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

constexpr Codec kAllCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr std::size_t kPlenty = 1 << 20;
constexpr int kRecords = 50;

// Fifty records that compress well.
RecordBatchBuilder Filled(std::vector<char>& buffer) {
  RecordBatchBuilder builder(buffer);
  const std::array<HeaderView, 1> headers = {HeaderView{"h", "x"}};
  for (int i = 0; i < kRecords; ++i) {
    EXPECT_GT(
        builder.Append(1000 + i, "key", i % 2 == 0 ? std::optional<std::string_view>("value") : std::nullopt, headers),
        0U);
  }
  return builder;
}

std::string Compressed(Codec codec, const BatchProducer& producer = {}) {
  std::vector<char> buffer(4096);
  RecordBatchBuilder builder = Filled(buffer);
  Compressor compressor(codec);
  EXPECT_TRUE(builder.Compress(compressor));
  return std::string(builder.Close(producer));
}

// A batch with these bytes where the records are, and a right CRC.
std::string WithStream(std::string batch, std::string_view stream) {
  batch.resize(kRecordBatchHeaderBytes);
  batch += stream;
  StoreBigEndian(batch.data() + 8, static_cast<std::int32_t>(batch.size() - 12));
  StoreBigEndian(batch.data() + 17, Crc32c(std::string_view(batch).substr(21)));
  return batch;
}

absl::Status StatusOfRecords(std::string_view bytes, std::size_t bytes_max = kPlenty) {
  const auto batch = RecordBatchView::Parse(bytes);
  if (!batch.ok()) return batch.status();
  Decompressor decompressor;
  std::string buffer;
  const auto records = batch->PlainRecords(decompressor, bytes_max, buffer);
  return records.ok() ? batch->ValidateRecords(*records) : records.status();
}

std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

// WP-15, WP-16
TEST(CompressedBatchTest, RecordsComeBackFromEveryCodec) {
  for (const Codec codec : kAllCodecs) {
    const std::string bytes = Compressed(codec, {ProducerId(1), ProducerEpoch(2), Sequence(3), true});
    const auto batch = RecordBatchView::Parse(bytes);
    ASSERT_EQ(batch.status(), absl::OkStatus());
    EXPECT_EQ(batch->codec(), codec);
    EXPECT_TRUE(batch->is_transactional());
    EXPECT_EQ(batch->record_count(), kRecords);
    EXPECT_EQ(batch->max_timestamp_ms(), 1000 + kRecords - 1);
    Decompressor decompressor;
    std::string buffer;
    const auto records = batch->PlainRecords(decompressor, kPlenty, buffer);
    ASSERT_EQ(records.status(), absl::OkStatus()) << CodecName(codec);
    EXPECT_EQ(batch->ValidateRecords(*records), absl::OkStatus());
    RecordReader reader(*batch, *records);
    for (int i = 0; i < kRecords; ++i) {
      const RecordView* record = reader.Next();
      ASSERT_NE(record, nullptr);
      EXPECT_EQ(record->offset_delta, i);
      EXPECT_EQ(record->timestamp_ms, 1000 + i);
      EXPECT_EQ(record->key, "key");
      EXPECT_EQ(record->value.has_value(), i % 2 == 0);
      ASSERT_EQ(record->headers.size(), 1U);
      EXPECT_EQ(record->headers[0], (HeaderView{"h", "x"}));
    }
    EXPECT_EQ(reader.Next(), nullptr);
    EXPECT_EQ(reader.status(), absl::OkStatus());
  }
}

// WP-16: what is compressed are the very bytes that an uncompressed batch has there.
TEST(CompressedBatchTest, OnlyTheRecordsAreCompressed) {
  std::vector<char> buffer(4096);
  const std::string plain(Filled(buffer).Close());
  const std::string bytes = Compressed(Codec::kZstd);
  const auto batch = RecordBatchView::Parse(bytes);
  Decompressor decompressor;
  std::string records;
  ASSERT_EQ(batch->PlainRecords(decompressor, kPlenty, records).status(), absl::OkStatus());
  EXPECT_EQ(records, plain.substr(kRecordBatchHeaderBytes));
  // Attributes and CRC apart, the headers differ in the length alone.
  EXPECT_EQ(bytes.substr(23, 38), plain.substr(23, 38));
}

TEST(CompressedBatchTest, PlainRecordsOfAnUncompressedBatchAreItsOwnBytes) {
  std::vector<char> buffer(4096);
  const auto batch = RecordBatchView::Parse(Filled(buffer).Close());
  Decompressor decompressor;
  std::string untouched = "untouched";
  const auto records = batch->PlainRecords(decompressor, 0, untouched);
  ASSERT_EQ(records.status(), absl::OkStatus());
  EXPECT_EQ(records->data(), batch->records_bytes().data());
  EXPECT_EQ(untouched, "untouched");
}

TEST(CompressedBatchTest, WhatWouldGrowStaysUncompressed) {
  for (const Codec codec : kAllCodecs) {
    std::vector<char> buffer(200);
    RecordBatchBuilder builder(buffer);
    builder.Append(1, "k", "v", {});
    const std::size_t size = builder.size_bytes();
    Compressor compressor(codec);
    EXPECT_FALSE(builder.Compress(compressor)) << CodecName(codec);
    EXPECT_EQ(builder.codec(), Codec::kNone);
    EXPECT_EQ(builder.size_bytes(), size);
    const auto batch = RecordBatchView::Parse(builder.Close());
    ASSERT_EQ(batch.status(), absl::OkStatus());
    EXPECT_EQ(batch->codec(), Codec::kNone);
    EXPECT_EQ(batch->ValidateRecords(), absl::OkStatus());
  }
}

TEST(CompressedBatchTest, AnotherBufferTakesTheCompressedBatch) {
  const std::string in_place = Compressed(Codec::kLz4);
  std::vector<char> gathered(4096);
  RecordBatchBuilder builder = Filled(gathered);
  std::vector<char> buffer(in_place.size());
  Compressor compressor(Codec::kLz4);
  ASSERT_TRUE(builder.CompressInto(compressor, buffer));
  EXPECT_EQ(builder.capacity_bytes(), buffer.size());
  const std::string_view batch = builder.Close();
  EXPECT_EQ(batch.data(), buffer.data());
  EXPECT_EQ(batch, in_place);
}

TEST(CompressedBatchTest, ABufferOneByteTooSmallTakesNothing) {
  const std::size_t size = Compressed(Codec::kLz4).size();
  std::vector<char> gathered(4096);
  RecordBatchBuilder builder = Filled(gathered);
  const std::size_t plain_bytes = builder.size_bytes();
  std::vector<char> buffer(size - 1);
  Compressor compressor(Codec::kLz4);
  EXPECT_FALSE(builder.CompressInto(compressor, buffer));
  EXPECT_EQ(builder.size_bytes(), plain_bytes);
  EXPECT_GT(builder.Append(1, "one", "more", {}), 0U);
}

// A retry under a new producer id sends the same stream.
TEST(CompressedBatchTest, ClosingAgainKeepsTheStream) {
  std::vector<char> buffer(4096);
  RecordBatchBuilder builder = Filled(buffer);
  Compressor compressor(Codec::kGzip);
  ASSERT_TRUE(builder.Compress(compressor));
  const std::string first(builder.Close({ProducerId(1), ProducerEpoch(0), Sequence(9)}));
  const std::string second(builder.Close({ProducerId(2), ProducerEpoch(0), Sequence(0)}));
  EXPECT_EQ(first.substr(kRecordBatchHeaderBytes), second.substr(kRecordBatchHeaderBytes));
  EXPECT_EQ(RecordBatchView::Parse(second)->producer_id(), ProducerId(2));
  EXPECT_EQ(StatusOfRecords(second), absl::OkStatus());
}

// The CRC is right, so this is what a faulty client sends.
TEST(CompressedBatchTest, ADamagedStreamIsCorrupt) {
  for (const Codec codec : kAllCodecs) {
    const std::string bytes = Compressed(codec);
    const std::string stream = bytes.substr(kRecordBatchHeaderBytes);
    const absl::Status status = StatusOfRecords(WithStream(bytes, stream.substr(0, stream.size() - 1)));
    EXPECT_EQ(KafkaCode(status), ErrorCode::kCorruptMessage) << CodecName(codec);
    EXPECT_EQ(TextOf(status).substr(0, 23), "record batch: byte 61: ") << TextOf(status);
    EXPECT_NE(TextOf(status).find(CodecName(codec)), std::string::npos) << TextOf(status);
  }
}

TEST(CompressedBatchTest, ABombIsTooLarge) {
  const std::string zeros(8 << 20, '\0');
  for (const Codec codec : kAllCodecs) {
    Compressor compressor(codec);
    const std::string bomb = WithStream(Compressed(codec), compressor.Compress(zeros));
    EXPECT_EQ(KafkaCode(StatusOfRecords(bomb)), ErrorCode::kMessageTooLarge) << CodecName(codec);
  }
}

// WP-15
TEST(CompressedBatchTest, AnUndefinedCodecIsUnsupported) {
  std::string bytes = Compressed(Codec::kZstd);
  StoreBigEndian(bytes.data() + 21, std::int16_t{5});
  const absl::Status status = StatusOfRecords(WithStream(bytes, "whatever"));
  EXPECT_EQ(KafkaCode(status), ErrorCode::kUnsupportedCompressionType);
  EXPECT_EQ(TextOf(status), "record batch: byte 61: codec 5 is not defined");
}

// WP-16: a count that no stream of this size could hold is seen before the records are read.
TEST(CompressedBatchTest, CountsBeyondTheDecompressedRecordsAreCorrupt) {
  std::string bytes = Compressed(Codec::kZstd);
  StoreBigEndian(bytes.data() + 57, INT32_MAX);
  const absl::Status status = StatusOfRecords(WithStream(bytes, bytes.substr(kRecordBatchHeaderBytes)));
  EXPECT_EQ(KafkaCode(status), ErrorCode::kCorruptMessage);
  EXPECT_EQ(TextOf(status), "record batch: byte 57: number of records goes beyond the end");
}

TEST(CompressedBatchTest, ErrorsCountBytesOfTheDecompressedRecords) {
  std::string bytes = Compressed(Codec::kZstd);
  StoreBigEndian(bytes.data() + 57, std::int32_t{kRecords - 1});
  StoreBigEndian(bytes.data() + 23, std::int32_t{kRecords - 2});
  const absl::Status status = StatusOfRecords(WithStream(bytes, bytes.substr(kRecordBatchHeaderBytes)));
  EXPECT_EQ(KafkaCode(status), ErrorCode::kInvalidRecord);
  EXPECT_EQ(TextOf(status).substr(TextOf(status).find(" of ")), " of the decompressed records: bytes after the end");
}

TEST(CompressedBatchTest, ARecordNumberedWrongIsInvalid) {
  std::vector<char> buffer(4096);
  std::string plain(Filled(buffer).Close());
  plain[kRecordBatchHeaderBytes + 3] = 0x02;  // the first record's offset delta: 1
  Compressor compressor(Codec::kSnappy);
  const std::string stream(compressor.Compress(std::string_view(plain).substr(kRecordBatchHeaderBytes)));
  EXPECT_EQ(TextOf(StatusOfRecords(WithStream(Compressed(Codec::kSnappy), stream))),
            "record batch: byte 0 of the decompressed records: record is numbered wrong");
}

TEST(CompressedBatchDeathTest, ACompressedBatchTakesNoMoreRecords) {
  std::vector<char> buffer(4096);
  RecordBatchBuilder builder = Filled(buffer);
  Compressor compressor(Codec::kLz4);
  builder.Compress(compressor);
  EXPECT_DEATH(builder.Append(1, "k", "v", {}), "check failed");
  EXPECT_DEATH(builder.Compress(compressor), "check failed");
}

TEST(CompressedBatchDeathTest, ACompressedBatchIsNotReadAsIfItWerePlain) {
  const std::string bytes = Compressed(Codec::kLz4);
  const auto batch = RecordBatchView::Parse(bytes);
  EXPECT_DEATH(RecordReader reader(*batch), "check failed");
  EXPECT_DEATH((void)batch->ValidateRecords(), "check failed");
}

}  // namespace
}  // namespace ktrial::wire
