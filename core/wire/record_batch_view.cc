#include <isa-l/crc.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/compression/decompressor.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

constexpr std::size_t kBeforeLengthEnds = 12;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kCrcFrom = 21;
constexpr std::size_t kLastOffsetDeltaAt = 23;
constexpr std::size_t kCountAt = 57;
constexpr std::int8_t kMagic = 2;

absl::Status BatchError(ErrorCode code, std::size_t offset, std::string_view what) {
  return KafkaError(code, "record batch: byte " + std::to_string(offset) + ": " + std::string(what));
}
absl::Status Corrupt(std::size_t offset, std::string_view what) {
  return BatchError(ErrorCode::kCorruptMessage, offset, what);
}
absl::Status Invalid(std::size_t offset, std::string_view what) {
  return BatchError(ErrorCode::kInvalidRecord, offset, what);
}

absl::Status InvalidRecord(bool decompressed, std::size_t offset, std::string_view what) {
  if (!decompressed) return Invalid(offset, what);
  return KafkaError(ErrorCode::kInvalidRecord, "record batch: byte " + std::to_string(offset) +
                                                   " of the decompressed records: " + std::string(what));
}

ErrorCode CodeOfStream(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kResourceExhausted:
      return ErrorCode::kMessageTooLarge;
    case absl::StatusCode::kUnimplemented:
      return ErrorCode::kUnsupportedCompressionType;
    default:
      return ErrorCode::kCorruptMessage;
  }
}

std::int64_t WrappingSum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

std::uint32_t Crc32c(std::string_view bytes) {
  // ISA-L neither inverts at the start nor at the end, takes its length as int, and does not write to the bytes.
  std::uint32_t crc = 0xffffffffU;
  while (!bytes.empty()) {
    const std::size_t part = std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max());
    auto* const data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    crc = crc32_iscsi(data, static_cast<int>(part), crc);
    bytes.remove_prefix(part);
  }
  return ~crc;
}

absl::StatusOr<RecordBatchView> RecordBatchView::Parse(std::string_view bytes) {
  absl::StatusOr<RecordBatchView> batch = ParseFirst(bytes);
  if (batch.ok() && batch->bytes().size() != bytes.size()) {
    return Invalid(batch->bytes().size(), "bytes after the only batch");
  }
  return batch;
}

absl::StatusOr<RecordBatchView> RecordBatchView::ParseFirst(std::string_view bytes) {
  // Where the magic is has been the same in all formats, so an old message set is told from a damaged batch.
  if (bytes.size() > kMagicAt && bytes[kMagicAt] != kMagic) return Invalid(kMagicAt, "not a batch of format v2");
  if (bytes.size() < kRecordBatchHeaderBytes) return Corrupt(bytes.size(), "header is cut short");
  const auto length = LoadBigEndian<std::int32_t>(bytes.data() + 8);
  if (length < static_cast<std::int32_t>(kRecordBatchHeaderBytes - kBeforeLengthEnds))
    return Corrupt(8, "length is too small");
  const std::size_t size = kBeforeLengthEnds + static_cast<std::size_t>(length);
  if (size > bytes.size()) return Corrupt(8, "length goes beyond the end");
  const RecordBatchView batch(bytes.substr(0, size));
  if (Crc32c(batch.bytes_.substr(kCrcFrom)) != batch.crc()) return Corrupt(kCrcAt, "wrong CRC");
  const std::int32_t count = batch.record_count();
  if (count < 0) return Corrupt(kCountAt, "negative number of records");
  if (batch.codec() == Codec::kNone &&
      static_cast<std::size_t>(count) > batch.records_bytes().size() / kRecordBytesMin) {
    return Corrupt(kCountAt, "number of records goes beyond the end");
  }
  return batch;
}

absl::StatusOr<std::string_view> RecordBatchView::PlainRecords(Decompressor& decompressor, std::size_t bytes_max,
                                                               std::string& buffer) const {
  if (codec() == Codec::kNone) return records_bytes();
  const absl::Status status = decompressor.Decompress(codec(), records_bytes(), bytes_max, buffer);
  if (!status.ok())
    return BatchError(CodeOfStream(status), kRecordBatchHeaderBytes,
                      std::string_view(status.message().data(), status.message().size()));
  if (static_cast<std::size_t>(record_count()) > buffer.size() / kRecordBytesMin) {
    return Corrupt(kCountAt, "number of records goes beyond the end");
  }
  return buffer;
}

absl::Status RecordBatchView::ValidateRecords() const {
  KT_CHECK(codec() == Codec::kNone);
  return ValidateRecords(records_bytes());
}

absl::Status RecordBatchView::ValidateRecords(std::string_view plain_records) const {
  if (record_count() == 0) return Invalid(kCountAt, "no records");
  if (last_offset_delta() != record_count() - 1) return Invalid(kLastOffsetDeltaAt, "wrong last offset delta");
  RecordReader reader(*this, plain_records);
  std::int32_t expected_delta = 0;
  std::size_t offset = codec() == Codec::kNone ? kRecordBatchHeaderBytes : 0;
  while (const RecordView* record = reader.Next()) {
    if (record->offset_delta != expected_delta) {
      return InvalidRecord(codec() != Codec::kNone, offset, "record is numbered wrong");
    }
    ++expected_delta;
    offset += record->size_bytes;
  }
  return reader.status();
}

RecordReader::RecordReader(const RecordBatchView& batch) : RecordReader(batch, batch.records_bytes()) {
  KT_CHECK(batch.codec() == Codec::kNone);
}

RecordReader::RecordReader(const RecordBatchView& batch, std::string_view plain_records)
    : reader_(plain_records, batch.codec() == Codec::kNone ? kRecordBatchHeaderBytes : 0),
      decompressed_(batch.codec() != Codec::kNone),
      log_append_time_(batch.has_log_append_time()),
      base_timestamp_(log_append_time_ ? batch.max_timestamp_ms() : batch.base_timestamp_ms()),
      left_(batch.record_count()) {}

const RecordView* RecordReader::Next() {
  if (left_ == 0) {
    reader_.ExpectEnd();
    return nullptr;
  }
  --left_;
  const std::size_t start = reader_.offset();
  const std::int32_t length = reader_.Varint();
  const std::size_t body = reader_.offset();
  if (length < 0 || static_cast<std::size_t>(length) > reader_.remaining()) {
    reader_.Fail("record length goes beyond the end", start);
  }
  reader_.Fixed<std::int8_t>();  // attributes: none are defined, and brokers do not look at them
  const std::int64_t timestamp_delta = reader_.Varlong();
  record_.timestamp_ms = log_append_time_ ? base_timestamp_ : WrappingSum(base_timestamp_, timestamp_delta);
  record_.offset_delta = reader_.Varint();
  record_.key = reader_.VarintNullableBytes();
  record_.value = reader_.VarintNullableBytes();
  ReadHeaders();
  if (reader_.ok() && reader_.offset() != body + static_cast<std::size_t>(length)) {
    reader_.Fail("record length is wrong", start);
  }
  if (!reader_.ok()) {
    left_ = 0;
    return nullptr;
  }
  record_.size_bytes = reader_.offset() - start;
  return &record_;
}

void RecordReader::ReadHeaders() {
  const std::size_t start = reader_.offset();
  const std::int32_t count = reader_.Varint();
  headers_.clear();
  if (count == 0) {
    record_.headers = {};
    return;
  }
  // Key and value take a byte each at least.
  if (count < 0 || static_cast<std::size_t>(count) > reader_.remaining() / 2) {
    reader_.Fail("wrong number of headers", start);
    return;
  }
  headers_.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count && reader_.ok(); ++i) {
    const std::size_t key_at = reader_.offset();
    const std::optional<std::string_view> key = reader_.VarintNullableBytes();
    if (!key) reader_.Fail("header without a key", key_at);
    const std::optional<std::string_view> value = reader_.VarintNullableBytes();
    headers_.push_back({key.value_or(std::string_view()), value});
  }
  record_.headers = headers_;
}

absl::Status RecordReader::status() const {
  if (reader_.ok()) return absl::OkStatus();
  return InvalidRecord(decompressed_, reader_.offset(), reader_.what());
}

}  // namespace ktrial::wire
