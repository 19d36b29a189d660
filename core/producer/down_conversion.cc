#include "core/producer/down_conversion.h"

#include <cstddef>
#include <limits>

#include "absl/status/statusor.h"
#include "core/check.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"

namespace ktrial {

namespace {

wire::RecordBatchView ViewOf(std::string_view batch) {
  const absl::StatusOr<wire::RecordBatchView> view = wire::RecordBatchView::Parse(batch);
  KT_CHECK(view.ok());  // Our own.
  return *view;
}

std::string_view PlainOf(const wire::RecordBatchView& view, Decompressor& decompressor, std::string& buffer) {
  const absl::StatusOr<std::string_view> plain =
      view.PlainRecords(decompressor, std::numeric_limits<std::int32_t>::max(), buffer);
  KT_CHECK(plain.ok());
  return *plain;
}

}  // namespace

std::int8_t MagicOf(std::int16_t produce_version) {
  constexpr std::int16_t kSinceV1 = 2;
  constexpr std::int16_t kSinceV2 = 3;
  if (produce_version < kSinceV1) return 0;
  return produce_version < kSinceV2 ? 1 : 2;
}

std::string DownConverter::Convert(std::string_view batch, std::int8_t magic) {
  const wire::RecordBatchView view = ViewOf(batch);
  const std::string_view plain = PlainOf(view, decompressor_, plain_);
  std::size_t bytes = 0;
  for (wire::RecordReader sizes(view, plain); const wire::RecordView* record = sizes.Next();) {
    bytes += wire::MessageSetUpperBound(magic, /*compressed=*/true, record->key, record->value);
  }
  std::string set(bytes, '\0');
  wire::MessageSetBuilder builder(magic, set);
  for (wire::RecordReader reader(view, plain); const wire::RecordView* record = reader.Next();) {
    const std::size_t size = builder.Append(record->timestamp_ms, record->key, record->value);
    KT_CHECK(size > 0);
  }
  if (view.codec() != Codec::kNone) {
    if (!compressor_.has_value()) compressor_.emplace(codec_, level_);
    builder.Compress(*compressor_);
  }
  set.resize(builder.Close().size());
  return set;
}

bool DownConverter::HasHeaders(std::string_view batch) {
  const wire::RecordBatchView view = ViewOf(batch);
  wire::RecordReader reader(view, PlainOf(view, decompressor_, plain_));
  while (const wire::RecordView* record = reader.Next()) {
    if (!record->headers.empty()) return true;
  }
  return false;
}

}  // namespace ktrial
