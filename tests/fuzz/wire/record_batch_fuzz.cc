// Any bytes give a batch or an error with a code, and a batch's records can be read to their end or to their first damage. The CRC is
// put right first, since no fuzzer would guess it. Records that are valid can be written again and are the same. Compressed records
// are decompressed, within a bound, and read alike.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/decompressor.h"
#include "core/wire/big_endian.h"
#include "core/wire/control_batch.h"
#include "core/wire/record_batch.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::size_t kPlainBytesMax = 1 << 16;

void TryRecords(const RecordBatchView& batch, std::string_view records) {
  const absl::Status valid = batch.ValidateRecords(records);
  Require(valid.ok() || KafkaCode(valid) == ErrorCode::kInvalidRecord);
  // Written again, a record may grow where its reader let unusual varints pass: not by more than its overhead.
  std::vector<char> buffer(2 * records.size() + 2 * kRecordBatchHeaderBytes);
  RecordBatchBuilder builder(buffer);
  RecordReader reader(batch, records);
  std::size_t bytes = 0;
  while (const RecordView* record = reader.Next()) {
    bytes += record->size_bytes;
    Require(builder.Append(record->timestamp_ms, record->key, record->value, record->headers) > 0);
  }
  Require(bytes <= records.size());
  if (!valid.ok()) return;
  Require(reader.status().ok());
  const absl::StatusOr<RecordBatchView> again = RecordBatchView::Parse(builder.Close());
  Require(again.ok());
  Require(again->ValidateRecords().ok());
  RecordReader first(batch, records);
  RecordReader second(*again);
  while (const RecordView* a = first.Next()) {
    const RecordView* b = second.Next();
    Require(b != nullptr && a->key == b->key && a->value == b->value && a->timestamp_ms == b->timestamp_ms);
    Require(std::vector(a->headers.begin(), a->headers.end()) == std::vector(b->headers.begin(), b->headers.end()));
  }
  Require(second.Next() == nullptr);
}

void TryOne(std::string_view input) {
  const absl::StatusOr<RecordBatchView> batch = RecordBatchView::ParseFirst(input);
  if (!batch.ok()) {
    const ErrorCode code = KafkaCode(batch.status());
    Require(code == ErrorCode::kCorruptMessage || code == ErrorCode::kInvalidRecord);
    return;
  }
  Require(RecordBatchView::Parse(batch->bytes()).ok());
  (void)DecodeTransactionMarker(*batch);
  Decompressor decompressor;
  std::string buffer;
  const absl::StatusOr<std::string_view> records = batch->PlainRecords(decompressor, kPlainBytesMax, buffer);
  if (records.ok()) {
    Require(records->size() <= std::max(kPlainBytesMax, input.size()));
    return TryRecords(*batch, *records);
  }
  const ErrorCode code = KafkaCode(records.status());
  Require(code == ErrorCode::kCorruptMessage || code == ErrorCode::kMessageTooLarge ||
          code == ErrorCode::kUnsupportedCompressionType);
}

}  // namespace
}  // namespace ktrial::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using ktrial::wire::StoreBigEndian;
  std::string input(reinterpret_cast<const char*>(data), size);
  ktrial::wire::TryOne(input);
  if (size >= ktrial::wire::kRecordBatchHeaderBytes) {
    StoreBigEndian(input.data() + 8, static_cast<std::int32_t>(size - 12));
    input[16] = 2;
    StoreBigEndian(input.data() + 17, ktrial::wire::Crc32c(std::string_view(input).substr(21)));
    ktrial::wire::TryOne(input);
  }
  return 0;
}
