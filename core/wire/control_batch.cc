#include "core/wire/control_batch.h"

#include <array>
#include <optional>
#include <string_view>

#include "core/check.h"
#include "core/wire/big_endian.h"
#include "core/wire/byte_reader.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

constexpr std::int16_t kVersion = 0;
constexpr std::size_t kKeyBytes = 4;
constexpr std::size_t kValueBytes = 6;

absl::Status Invalid(std::string_view what) {
  return KafkaError(ErrorCode::kInvalidRecord, "control batch: " + std::string(what));
}

}  // namespace

std::string EncodeTransactionMarker(const TransactionMarker& marker) {
  std::array<char, kKeyBytes> key;
  StoreBigEndian(key.data(), kVersion);
  StoreBigEndian(key.data() + sizeof kVersion, static_cast<std::int16_t>(marker.type));
  std::array<char, kValueBytes> value;
  StoreBigEndian(value.data(), kVersion);
  StoreBigEndian(value.data() + sizeof kVersion, marker.coordinator_epoch);
  const std::string_view key_view(key.data(), key.size());
  const std::string_view value_view(value.data(), value.size());
  std::string bytes(RecordBatchUpperBound(key_view, value_view, {}), '\0');
  RecordBatchBuilder builder(bytes);
  KT_CHECK(builder.Append(marker.timestamp_ms, key_view, value_view, {}) > 0);
  const std::size_t size =
      builder.Close({.id = marker.producer_id, .epoch = marker.producer_epoch, .transactional = true, .control = true})
          .size();
  bytes.resize(size);
  return bytes;
}

absl::StatusOr<TransactionMarker> DecodeTransactionMarker(const RecordBatchView& batch) {
  if (!batch.is_control()) return Invalid("not a control batch");
  if (!batch.is_transactional() || batch.codec() != Codec::kNone || batch.record_count() != 1) {
    return Invalid("not one uncompressed record of a transaction");
  }
  RecordReader records(batch);
  const RecordView* record = records.Next();
  if (record == nullptr) return records.status();
  ByteReader key(record->key.value_or(std::string_view()));
  const auto key_version = key.Fixed<std::int16_t>();
  const auto type = static_cast<MarkerType>(key.Fixed<std::int16_t>());
  if (!key.ok() || key_version < kVersion) return Invalid("the key is no type of a control record");
  if (type != MarkerType::kAbort && type != MarkerType::kCommit) return Invalid("not the end of a transaction");
  ByteReader value(record->value.value_or(std::string_view()));
  const auto value_version = value.Fixed<std::int16_t>();
  const auto coordinator_epoch = value.Fixed<std::int32_t>();
  if (!value.ok() || value_version < kVersion) return Invalid("the value is no end of a transaction");
  const TransactionMarker marker{.type = type,
                                 .producer_id = batch.producer_id(),
                                 .producer_epoch = batch.producer_epoch(),
                                 .coordinator_epoch = coordinator_epoch,
                                 .timestamp_ms = record->timestamp_ms};
  if (records.Next() != nullptr || !records.status().ok()) return Invalid("bytes after the record");
  return marker;
}

}  // namespace ktrial::wire
