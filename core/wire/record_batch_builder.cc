#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "core/check.h"
#include "core/compression/compressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/record_batch.h"
#include "core/wire/varint.h"

namespace ktrial::wire {
namespace {

// The length -1 as it is written.
constexpr std::uint64_t kNullLength = 1;
constexpr std::int8_t kMagic = 2;
constexpr std::int16_t kTransactionalBit = 0x10;
constexpr std::int16_t kControlBit = 0x20;
// The length field counts what follows it.
constexpr std::size_t kBeforeLengthEnds = 12;

using OptionalView = std::optional<std::string_view>;

// Lengths are never negative, so their zigzag form is their double. One that is too long for 32 bits fits into no buffer.
std::uint64_t LengthCode(const OptionalView& bytes) { return bytes ? 2 * bytes->size() : kNullLength; }

std::size_t SizeOf(const OptionalView& bytes) {
  return bytes ? UnsignedVarintSize(LengthCode(bytes)) + bytes->size() : 1;
}

std::size_t SizeOf(std::span<const HeaderView> headers) {
  if (headers.empty()) return 1;
  std::size_t sum = UnsignedVarintSize(2 * headers.size());
  for (const HeaderView& header : headers) sum += SizeOf(OptionalView(header.key)) + SizeOf(header.value);
  return sum;
}

char* Write(char* out, const OptionalView& bytes) {
  out = WriteUnsignedVarint(out, LengthCode(bytes));
  // An empty view may have no address, which memcpy must not see.
  if (!bytes || bytes->empty()) return out;
  std::memcpy(out, bytes->data(), bytes->size());
  return out + bytes->size();
}

// The difference may not fit when timestamps are wild; the reader wraps back the same way.
std::int64_t WrappingDifference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

}  // namespace

std::size_t RecordBatchUpperBound(const OptionalView& key, const OptionalView& value,
                                  std::span<const HeaderView> headers) {
  return kRecordBatchHeaderBytes + kRecordOverheadBytesMax + SizeOf(key) + SizeOf(value) + SizeOf(headers);
}

RecordBatchBuilder::RecordBatchBuilder(std::span<char> buffer)
    : data_(buffer.data()), capacity_(buffer.size()), size_(kRecordBatchHeaderBytes) {
  KT_CHECK(capacity_ >= kRecordBatchHeaderBytes);
  KT_CHECK(capacity_ <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
}

std::size_t RecordBatchBuilder::Append(std::int64_t timestamp_ms, const OptionalView& key, const OptionalView& value,
                                       std::span<const HeaderView> headers) {
  KT_CHECK(!closed_);
  // Into locals: a store through char* may alias every member, and would make the compiler read each of them again.
  const std::int32_t offset_delta = record_count_;
  const std::size_t size = size_;
  const bool first = offset_delta == 0;
  const std::int64_t timestamp_delta = first ? 0 : WrappingDifference(timestamp_ms, base_timestamp_);
  const std::size_t body_bytes =
      1 + VarlongSize(timestamp_delta) + VarintSize(offset_delta) + SizeOf(key) + SizeOf(value) + SizeOf(headers);
  const std::size_t record_bytes = UnsignedVarintSize(2 * body_bytes) + body_bytes;
  if (record_bytes > capacity_ - size) return 0;

  char* out = WriteUnsignedVarint(data_ + size, 2 * body_bytes);
  *out++ = 0;  // attributes of a record: none are defined
  out = WriteVarlong(out, timestamp_delta);
  out = WriteVarint(out, offset_delta);
  out = Write(out, key);
  out = Write(out, value);
  out = WriteUnsignedVarint(out, 2 * headers.size());
  for (const HeaderView& header : headers) out = Write(Write(out, OptionalView(header.key)), header.value);

  if (first) base_timestamp_ = max_timestamp_ = timestamp_ms;
  if (timestamp_ms > max_timestamp_) max_timestamp_ = timestamp_ms;
  size_ = size + record_bytes;
  record_count_ = offset_delta + 1;
  return record_bytes;
}

void RecordBatchBuilder::MoveTo(std::span<char> buffer) {
  KT_CHECK(!closed_ && buffer.size() >= size_);
  KT_CHECK(buffer.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
  std::memcpy(buffer.data() + kRecordBatchHeaderBytes, data_ + kRecordBatchHeaderBytes,
              size_ - kRecordBatchHeaderBytes);
  data_ = buffer.data();
  capacity_ = buffer.size();
}

bool RecordBatchBuilder::Compress(Compressor& compressor) {
  KT_CHECK(record_count_ > 0 && !closed_);
  const std::string_view stream =
      compressor.Compress({data_ + kRecordBatchHeaderBytes, size_ - kRecordBatchHeaderBytes});
  closed_ = true;
  if (kRecordBatchHeaderBytes + stream.size() >= size_) return false;
  std::memcpy(data_ + kRecordBatchHeaderBytes, stream.data(), stream.size());
  size_ = kRecordBatchHeaderBytes + stream.size();
  codec_ = compressor.codec();
  return true;
}

bool RecordBatchBuilder::CompressInto(Compressor& compressor, std::span<char> buffer) {
  KT_CHECK(record_count_ > 0 && !closed_);
  KT_CHECK(buffer.size() >= kRecordBatchHeaderBytes);
  const std::size_t stream_bytes = compressor.Compress(
      {data_ + kRecordBatchHeaderBytes, size_ - kRecordBatchHeaderBytes}, buffer.subspan(kRecordBatchHeaderBytes));
  if (stream_bytes == 0) return false;
  closed_ = true;
  data_ = buffer.data();
  capacity_ = buffer.size();
  size_ = kRecordBatchHeaderBytes + stream_bytes;
  codec_ = compressor.codec();
  return true;
}

std::string_view RecordBatchBuilder::Close(const BatchProducer& producer) {
  KT_CHECK(record_count_ > 0);
  closed_ = true;
  StoreBigEndian(data_, std::int64_t{0});  // base offset: the broker's
  StoreBigEndian(data_ + 8, static_cast<std::int32_t>(size_ - kBeforeLengthEnds));
  StoreBigEndian(data_ + 12, std::int32_t{-1});  // leader epoch: the broker's
  StoreBigEndian(data_ + 16, kMagic);
  StoreBigEndian(data_ + 21,
                 static_cast<std::int16_t>(static_cast<int>(codec_) | (producer.transactional ? kTransactionalBit : 0) |
                                           (producer.control ? kControlBit : 0)));
  StoreBigEndian(data_ + 23, record_count_ - 1);
  StoreBigEndian(data_ + 27, base_timestamp_);
  StoreBigEndian(data_ + 35, max_timestamp_);
  StoreBigEndian(data_ + 43, producer.id.value());
  StoreBigEndian(data_ + 51, producer.epoch.value());
  StoreBigEndian(data_ + 53, producer.base_sequence.value());
  StoreBigEndian(data_ + 57, record_count_);
  const std::string_view batch(data_, size_);
  StoreBigEndian(data_ + 17, Crc32c(batch.substr(21)));
  return batch;
}

}  // namespace ktrial::wire
