#include "sim/broker/batch_check.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/status.h"
#include "core/wire/varint.h"
#include "fmt/format.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using wire::KafkaError;

constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kLengthEnd = 12;
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::int8_t kMagic = 2;
// Of an entry of the oldest format; below it a broker sees no sense in what follows.
constexpr std::int32_t kLengthMin = 14;
constexpr std::int16_t kZstdSince = 7;
constexpr int kCodecMask = 0x07;
constexpr std::size_t kAttributesEnd = 23;

absl::Status UnknownCodec(Codec codec) {
  return KafkaError(ErrorCode::kUnknownServerError, fmt::format("codec {}", static_cast<int>(codec)));
}

absl::Status CheckHeader(const wire::RecordBatchView& batch, const BatchLimits& limits) {
  const auto invalid = [](std::string_view why) { return KafkaError(ErrorCode::kInvalidRecord, why); };
  if (batch.record_count() <= 0) return invalid("batch without records");
  if (batch.last_offset_delta() != batch.record_count() - 1) {
    return invalid(
        fmt::format("{} records, but last offset delta {}", batch.record_count(), batch.last_offset_delta()));
  }
  if (batch.is_control()) return invalid("control batch from a client");
  if (batch.producer_id() != kNoProducerId && batch.base_sequence().value() < 0) {
    return invalid("producer id without a sequence");
  }
  if (batch.is_transactional() && !limits.transactional) {
    return KafkaError(ErrorCode::kTransactionalIdAuthorizationFailed, "transactional batch without a transactional id");
  }
  return batch.codec() > limits.codec_max ? UnknownCodec(batch.codec()) : absl::OkStatus();
}

// The common record, read without the price of a general reader: no headers, every varint of one or two bytes, numbered
// right. The path of a record through the simulator is short, and this is a good part of it.
class PlainRecords {
 public:
  explicit PlainRecords(std::string_view bytes) : next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // True iff the next record is one of these; what it says is then right in every detail.
  bool Read(std::int32_t expected_delta) {
    const std::int32_t length = Varint();
    if (length < 0 || length > end_ - next_) return false;
    const char* const record_end = next_ + length;
    if (length < kPlainBytesMin) return false;
    ++next_;   // attributes
    Varint();  // timestamp delta
    if (Varint() != expected_delta || !Sized(key_) || !Sized(value_) || Varint() != 0) return false;
    return !failed_ && next_ == record_end;
  }
  bool at_end() const { return next_ == end_; }
  std::optional<std::string_view> key() const { return View(key_); }
  std::optional<std::string_view> value() const { return View(value_); }

 private:
  struct Field {
    const char* data = nullptr;
    std::int32_t size = 0;  // -1: absent
  };
  static constexpr std::int32_t kPlainBytesMin = 6;

  std::int32_t Varint() {
    if (end_ - next_ < 2) return LastByte();
    const auto first = static_cast<std::uint8_t>(*next_++);
    std::uint32_t number = first;
    if (first >= 0x80) {
      const auto second = static_cast<std::uint8_t>(*next_++);
      failed_ = failed_ || second >= 0x80;
      number = (first & 0x7fU) | static_cast<std::uint32_t>(second) << 7;
    }
    return wire::UnZigZag(number);
  }
  std::int32_t LastByte() {
    if (next_ == end_ || static_cast<std::uint8_t>(*next_) >= 0x80) {
      failed_ = true;
      return 0;
    }
    return wire::UnZigZag(static_cast<std::uint32_t>(*next_++));
  }
  bool Sized(Field& field) {
    field.size = Varint();
    field.data = next_;
    if (field.size > end_ - next_ || field.size < -1) return false;
    if (field.size > 0) next_ += field.size;
    return true;
  }
  static std::optional<std::string_view> View(const Field& field) {
    if (field.size < 0) return std::nullopt;
    return std::string_view(field.data, static_cast<std::size_t>(field.size));
  }

  const char* next_;
  const char* const end_;
  bool failed_ = false;
  Field key_;
  Field value_;
};

// False, and `identities` empty, if some record is not a plain one; nothing is wrong with it by that alone.
bool ReadPlainRecords(const wire::RecordBatchView& batch, std::string_view plain, IdentityRule rule,
                      std::vector<RecordIdentity>& identities) {
  PlainRecords records(plain);
  const std::int32_t count = batch.record_count();
  identities.resize(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    if (!records.Read(i)) {
      identities.clear();
      return false;
    }
    identities[static_cast<std::size_t>(i)] = IdentityOf(rule, records.key(), records.value());
  }
  if (!records.at_end()) identities.clear();
  return records.at_end();
}

// What a header with a right CRC says wrong is the producer's doing and not the network's.
bool HasRightCrc(std::string_view batch) {
  if (batch.size() < wire::kRecordBatchHeaderBytes) return false;
  const auto crc = wire::LoadBigEndian<std::uint32_t>(batch.data() + kCrcAt);
  return wire::Crc32c(batch.substr(kCrcAt + sizeof crc)) == crc;
}

// The records before compression, as RecordBatchView::PlainRecords gives them, with a real broker's codes: it does not
// expect a stream to be damaged.
absl::StatusOr<std::string_view> Decompressed(const wire::RecordBatchView& batch, std::size_t bytes_max,
                                              PlainRecordsBuffer& buffer) {
  absl::StatusOr<std::string_view> plain = batch.PlainRecords(buffer.decompressor, bytes_max, buffer.bytes);
  if (plain.ok() || wire::KafkaCode(plain.status()) != ErrorCode::kCorruptMessage) return plain;
  const std::string_view why(plain.status().message().data(), plain.status().message().size());
  const bool whole = buffer.decompressor.Decompress(batch.codec(), batch.records_bytes(), bytes_max, buffer.bytes).ok();
  return KafkaError(whole ? ErrorCode::kInvalidRecord : ErrorCode::kUnknownServerError, why);
}

absl::Status ReadRecords(const wire::RecordBatchView& batch, std::string_view plain, IdentityRule rule,
                         std::vector<RecordIdentity>& identities) {
  if (ReadPlainRecords(batch, plain, rule, identities)) return absl::OkStatus();
  wire::RecordReader reader(batch, plain);
  std::int32_t delta = 0;
  while (const wire::RecordView* record = reader.Next()) {
    if (record->offset_delta != delta) {
      return KafkaError(ErrorCode::kInvalidRecord,
                        fmt::format("record {} is numbered {}", delta, record->offset_delta));
    }
    ++delta;
    identities.push_back(IdentityOf(rule, record->key, record->value));
  }
  return reader.status();
}

// The messages of a set that are there from end to end.
std::string_view WholeMessages(std::string_view records) {
  std::size_t end = 0;
  while (records.size() - end >= kLengthEnd) {
    const auto length = wire::LoadBigEndian<std::int32_t>(records.data() + end + kLengthAt);
    if (length < 0 || static_cast<std::size_t>(length) > records.size() - end - kLengthEnd) break;
    end += kLengthEnd + static_cast<std::size_t>(length);
  }
  return records.substr(0, end);
}

absl::Status CheckMessageSizes(std::string_view messages, std::int32_t bytes_max) {
  while (!messages.empty()) {
    const std::size_t size =
        kLengthEnd + static_cast<std::size_t>(wire::LoadBigEndian<std::int32_t>(messages.data() + kLengthAt));
    if (size > static_cast<std::size_t>(bytes_max)) {
      return KafkaError(ErrorCode::kMessageTooLarge, fmt::format("{} bytes, at most {}", size, bytes_max));
    }
    messages.remove_prefix(size);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckShape(std::optional<std::string_view> records) {
  const auto invalid = [](std::string_view why) { return KafkaError(ErrorCode::kInvalidRecord, why); };
  if (!records.has_value() || records->size() <= kMagicAt) return invalid("no whole batch");
  const auto length = wire::LoadBigEndian<std::int32_t>(records->data() + kLengthAt);
  if (length < kLengthMin) return KafkaError(ErrorCode::kCorruptMessage, fmt::format("batch of length {}", length));
  const auto magic = static_cast<std::int8_t>((*records)[kMagicAt]);
  if (magic < 0 || magic > kMagic) return KafkaError(ErrorCode::kCorruptMessage, fmt::format("format v{}", magic));
  const std::size_t size = kLengthEnd + static_cast<std::size_t>(length);
  if (size > records->size()) return invalid("batch goes beyond its bytes");
  if (magic != kMagic) return invalid(fmt::format("format v{} in a version that is for v2 alone", magic));
  if (size < records->size()) return invalid(fmt::format("{} bytes after the only batch", records->size() - size));
  return absl::OkStatus();
}

absl::Status CheckCodec(std::string_view records, std::int16_t produce_version) {
  if (records.size() < kAttributesEnd || produce_version >= kZstdSince) return absl::OkStatus();
  const auto codec = static_cast<Codec>(records[kAttributesEnd - 1] & kCodecMask);
  if (codec == Codec::kZstd) return KafkaError(ErrorCode::kUnsupportedCompressionType, "zstd before v7");
  return IsKnown(codec) ? absl::OkStatus() : UnknownCodec(codec);
}

std::vector<std::int32_t> RecordsAfter(std::int64_t latest_ms, const wire::RecordBatchView& batch,
                                       const PlainRecordsBuffer& plain) {
  std::vector<std::int32_t> late;
  wire::RecordReader reader(batch, batch.codec() == Codec::kNone ? batch.records_bytes() : plain.bytes);
  while (const wire::RecordView* record = reader.Next()) {
    if (record->timestamp_ms > latest_ms) late.push_back(record->offset_delta);
  }
  return late;
}

absl::StatusOr<wire::RecordBatchView> CheckBatch(std::string_view records, const BatchLimits& limits,
                                                 PlainRecordsBuffer& buffer, std::vector<RecordIdentity>& identities) {
  identities.clear();
  // The size comes first: a batch that is too large is not read at all.
  if (records.size() > static_cast<std::size_t>(limits.bytes_max)) {
    return KafkaError(ErrorCode::kMessageTooLarge,
                      fmt::format("{} bytes, at most {}", records.size(), limits.bytes_max));
  }
  absl::StatusOr<wire::RecordBatchView> batch = wire::RecordBatchView::Parse(records);
  if (!batch.ok() && HasRightCrc(records)) {
    return KafkaError(ErrorCode::kInvalidRecord,
                      std::string_view(batch.status().message().data(), batch.status().message().size()));
  }
  if (!batch.ok()) return batch;
  if (batch->base_offset() != 0) {
    return KafkaError(ErrorCode::kInvalidRecord, fmt::format("base offset {}, not 0", batch->base_offset()));
  }
  if (absl::Status status = CheckHeader(*batch, limits); !status.ok()) return status;
  const absl::StatusOr<std::string_view> plain = Decompressed(*batch, limits.plain_bytes_max, buffer);
  if (!plain.ok()) return plain.status();
  if (absl::Status status = ReadRecords(*batch, *plain, limits.identity, identities); !status.ok()) return status;
  return batch;
}

bool IsMessageSet(std::optional<std::string_view> records) {
  if (!records.has_value()) return false;
  const std::optional<std::int8_t> magic = wire::PeekMagic(*records);
  return !magic.has_value() || *magic < kMagic;
}

absl::StatusOr<std::int64_t> CheckMessageSet(std::string_view records, const BatchLimits& limits,
                                             PlainRecordsBuffer& buffer, std::vector<RecordIdentity>& identities) {
  identities.clear();
  const std::string_view messages = WholeMessages(records);
  const std::string_view rest = records.substr(messages.size());
  if (rest.size() >= kLengthEnd && wire::LoadBigEndian<std::int32_t>(rest.data() + kLengthAt) < 0) {
    return KafkaError(ErrorCode::kCorruptMessage, "message of a negative length");
  }
  if (absl::Status status = CheckMessageSizes(messages, limits.bytes_max); !status.ok()) return status;
  wire::MessageSetReader reader(messages, buffer.decompressor, limits.plain_bytes_max);
  std::int64_t latest = -1;
  while (const wire::MessageView* message = reader.Next()) {
    identities.push_back(IdentityOf(limits.identity, message->key, message->value));
    latest = std::max(latest, message->timestamp_ms);
  }
  const absl::Status& status = reader.status();
  if (status.ok()) return latest;
  if (wire::KafkaCode(status) != ErrorCode::kUnsupportedCompressionType) return status;
  return KafkaError(ErrorCode::kUnknownServerError, std::string_view(status.message().data(), status.message().size()));
}

}  // namespace ktrial::sim
