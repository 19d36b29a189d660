#include "tests/real/fidelity/records.h"

#include <chrono>
#include <vector>

#include "core/check.h"
#include "core/compression/compressor.h"
#include "core/wire/byte_writer.h"

namespace ktrial::fidelity {
namespace {

constexpr std::size_t kBufferBytes = 4 << 20;

}  // namespace

std::int64_t StartMs() {
  static const std::int64_t start =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  return start;
}

std::string MakeBatch(const BatchShape& shape) {
  std::vector<char> buffer(kBufferBytes);
  wire::RecordBatchBuilder builder(buffer);
  const std::string value(shape.value_bytes, 'v');
  const std::int64_t timestamp = shape.timestamp_ms == 0 ? StartMs() : shape.timestamp_ms;
  for (std::int32_t i = 0; i < shape.records; ++i) KT_CHECK(builder.Append(timestamp, std::nullopt, value, {}) > 0);
  if (shape.codec != Codec::kNone) {
    Compressor compressor(shape.codec);
    KT_CHECK(builder.Compress(compressor));
  }
  return std::string(builder.Close(shape.producer));
}

void FixCrc(std::string& batch) {
  const std::uint32_t crc = wire::Crc32c(std::string_view(batch).substr(kAttributesAt));
  wire::StoreBigEndian(batch.data() + kCrcAt, crc);
}

std::string WithRecords(std::string batch, std::string_view records, std::int32_t count) {
  batch.resize(wire::kRecordBatchHeaderBytes);
  batch += records;
  wire::StoreBigEndian(batch.data() + kLengthAt, static_cast<std::int32_t>(batch.size() - kEpochAt));
  wire::StoreBigEndian(batch.data() + kLastDeltaAt, count - 1);
  return With(std::move(batch), kCountAt, count);
}

std::string MakeRecord(const RawRecord& record) {
  std::string body;
  wire::ByteWriter writer(body);
  writer.Fixed(std::int8_t{0});
  writer.Varint(record.timestamp_delta);
  writer.Varint(record.offset_delta);
  writer.Varint(record.key_bytes);
  writer.Varint(static_cast<std::int32_t>(record.value.size()));
  body += record.value;
  writer.Varint(record.headers);
  body += record.headers_bytes;
  std::string out;
  wire::ByteWriter(out).Varint(static_cast<std::int32_t>(body.size()) + record.length_error);
  return out + body;
}

std::string MakeSet(const SetShape& shape) {
  std::vector<char> buffer(kBufferBytes);
  wire::MessageSetBuilder builder(shape.magic, buffer);
  const std::string value(shape.value_bytes, 'v');
  for (std::int32_t i = 0; i < shape.records; ++i) KT_CHECK(builder.Append(StartMs(), std::nullopt, value) > 0);
  if (shape.codec != Codec::kNone) {
    Compressor compressor(shape.codec);
    KT_CHECK(builder.Compress(compressor));
  }
  return std::string(builder.Close());
}

std::string MakeMessage(std::int8_t magic, std::int8_t attributes, std::string_view key_and_value) {
  std::string body;
  wire::ByteWriter writer(body);
  writer.Fixed(magic);
  writer.Fixed(attributes);
  if (magic == 1) writer.Fixed(StartMs());
  body += key_and_value;
  std::string out;
  wire::ByteWriter head(out);
  head.Fixed(std::int64_t{0});
  head.Fixed(static_cast<std::int32_t>(body.size() + 4));
  head.Fixed(wire::Crc32(body));
  return out + body;
}

std::string NullKeyAnd(std::string_view value) {
  std::string out;
  wire::ByteWriter writer(out);
  writer.Fixed(std::int32_t{-1});
  writer.Fixed(static_cast<std::int32_t>(value.size()));
  return out.append(value);
}

}  // namespace ktrial::fidelity
