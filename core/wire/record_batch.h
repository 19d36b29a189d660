// Record batches of format v2 (WP-13 to WP-19): written straight into the buffer that will be sent, and read in place.
//
// The 61 bytes in front of the records:
//
//   0 base offset 8 | 8 length 4, of all that follows | 12 leader epoch 4 | 16 magic 1 = 2 | 17 CRC-32C 4, of 21 to the
//   end 21 attributes 2 | 23 last offset delta 4 | 27 base timestamp 8 | 35 max timestamp 8 | 43 producer id 8 51
//   producer epoch 2 | 53 base sequence 4 | 57 record count 4 | 61 records
//
// Base offset and leader epoch belong to the broker and are outside the CRC, so it may fill them in without a new one.
// Compression covers the records alone; length and CRC are those of the compressed form (WP-16).
#ifndef CORE_WIRE_RECORD_BATCH_H_
#define CORE_WIRE_RECORD_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/compression/codec.h"
#include "core/types.h"
#include "core/wire/byte_reader.h"
#include "core/wire/header_view.h"

namespace ktrial {
class Compressor;
class Decompressor;
}  // namespace ktrial

namespace ktrial::wire {

using ktrial::Codec;

inline constexpr std::size_t kRecordBatchHeaderBytes = 61;
// Length, attributes, timestamp delta and offset delta of one record at their largest: 5 + 1 + 10 + 5.
inline constexpr std::size_t kRecordOverheadBytesMax = 21;
// No record is shorter: seven fields of one byte each.
inline constexpr std::size_t kRecordBytesMin = 7;

// CRC-32C (Castagnoli) as RFC 3720 has it: "123456789" gives 0xE3069283.
std::uint32_t Crc32c(std::string_view bytes);

// What a batch of this one record may need at most, header included (WP-19). Null keys and values count as nothing but
// their length.
std::size_t RecordBatchUpperBound(const std::optional<std::string_view>& key,
                                  const std::optional<std::string_view>& value, std::span<const HeaderView> headers);

// Who writes; all -1 without idempotence.
struct BatchProducer {
  ProducerId id = kNoProducerId;
  ProducerEpoch epoch = kNoProducerEpoch;
  Sequence base_sequence = kNoSequence;
  bool transactional = false;
  bool control = false;  // A marker of the transaction's coordinator (control_batch.h), never a client's batch.
  friend bool operator==(const BatchProducer&, const BatchProducer&) = default;
};

// Fills a buffer that it does not own. Movable and cheap; one at a time per buffer. Not thread-safe.
class RecordBatchBuilder {
 public:
  RecordBatchBuilder() = default;  // Without a buffer: nothing fits.
  // At least kRecordBatchHeaderBytes; the buffer outlives the builder and all views of the batch.
  explicit RecordBatchBuilder(std::span<char> buffer);

  // Appends one record and returns its encoded size, or 0, with nothing changed, if it does not fit into the buffer.
  // Does not allocate. The first record's timestamp becomes the base timestamp. Not after Compress or Close.
  // By reference: a copy of an optional view that was just made stalls the processor for as long as half a record takes.
  std::size_t Append(std::int64_t timestamp_ms, const std::optional<std::string_view>& key,
                     const std::optional<std::string_view>& value, std::span<const HeaderView> headers);

  // Goes on in a buffer that is larger than what is there so far. The buffers do not overlap. Not after Compress or Close.
  void MoveTo(std::span<char> buffer);

  // Replaces the records by their compressed form and returns true; or leaves all as it is and returns false, if that
  // would not be smaller: the batch then goes uncompressed, which every broker takes. At least one record; at most once.
  bool Compress(Compressor& compressor);
  // The same into another buffer, where the builder goes on. False if the batch does not fit there. For records that
  // were gathered, uncompressed, in more memory than the batch may keep. The buffers do not overlap.
  bool CompressInto(Compressor& compressor, std::span<char> buffer);

  // Completes the header and the CRC and returns the whole batch. May be called again, with another producer state: a
  // retry under a new producer id rewrites the same records. At least one record.
  std::string_view Close(const BatchProducer& producer = {});

  std::int32_t record_count() const { return record_count_; }
  Codec codec() const { return codec_; }  // kNone until Compress has returned true.
  // Bytes so far, header included; what Close() returns has this size.
  std::size_t size_bytes() const { return size_; }
  std::size_t capacity_bytes() const { return capacity_; }
  std::int64_t base_timestamp_ms() const { return base_timestamp_; }
  std::int64_t max_timestamp_ms() const { return max_timestamp_; }

 private:
  char* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::int32_t record_count_ = 0;
  bool closed_ = false;
  Codec codec_ = Codec::kNone;
  std::int64_t base_timestamp_ = 0;
  std::int64_t max_timestamp_ = 0;
};

// One record of a batch; views of the batch's bytes, or of its decompressed records. `headers` lives until the reader's next record.
struct RecordView {
  std::int32_t offset_delta = 0;
  std::int64_t timestamp_ms = 0;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const HeaderView> headers;
  std::size_t size_bytes = 0;  // Encoded, its length included.
};

// A batch whose header has been checked. Views of the bytes that were given to Parse.
class RecordBatchView {
 public:
  // Total. Checks everything but the records themselves. Errors carry CORRUPT_MESSAGE (cut short, wrong length, wrong
  // CRC, a count that cannot be) or INVALID_RECORD (not format v2; with Parse, bytes after the batch), and say at which
  // byte.
  static absl::StatusOr<RecordBatchView> Parse(std::string_view bytes);       // exactly one batch
  static absl::StatusOr<RecordBatchView> ParseFirst(std::string_view bytes);  // the first of several

  std::string_view bytes() const { return bytes_; }
  std::string_view records_bytes() const { return bytes_.substr(kRecordBatchHeaderBytes); }
  std::int64_t base_offset() const { return At<std::int64_t>(0); }
  std::int32_t partition_leader_epoch() const { return At<std::int32_t>(12); }
  std::uint32_t crc() const { return At<std::uint32_t>(17); }
  std::int16_t attributes() const { return At<std::int16_t>(21); }
  std::int32_t last_offset_delta() const { return At<std::int32_t>(23); }
  std::int64_t base_timestamp_ms() const { return At<std::int64_t>(27); }
  std::int64_t max_timestamp_ms() const { return At<std::int64_t>(35); }
  ProducerId producer_id() const { return ProducerId(At<std::int64_t>(43)); }
  ProducerEpoch producer_epoch() const { return ProducerEpoch(At<std::int16_t>(51)); }
  Sequence base_sequence() const { return Sequence(At<std::int32_t>(53)); }
  std::int32_t record_count() const { return At<std::int32_t>(57); }

  // Attributes (WP-15). A codec number that nobody has defined is given as it is.
  Codec codec() const { return static_cast<Codec>(attributes() & 0x07); }
  bool has_log_append_time() const { return (attributes() & 0x08) != 0; }
  bool is_transactional() const { return (attributes() & 0x10) != 0; }
  bool is_control() const { return (attributes() & 0x20) != 0; }

  // The records as they were before compression: records_bytes(), or a view of `buffer`, which is overwritten only if
  // the batch is compressed. Errors carry CORRUPT_MESSAGE (a damaged stream, or fewer bytes than the header has
  // records), MESSAGE_TOO_LARGE (more than bytes_max; no more memory than about that is used, whatever the stream
  // claims), or UNSUPPORTED_COMPRESSION_TYPE (a codec that nobody has defined).
  absl::StatusOr<std::string_view> PlainRecords(Decompressor& decompressor, std::size_t bytes_max,
                                                std::string& buffer) const;

  // Reads all records: OK iff they are well formed, as many as the header says, numbered 0, 1, 2, ... with the last
  // offset delta of the header, and end where the batch ends. Else INVALID_RECORD and the byte. The first form is for
  // uncompressed batches, the second takes what PlainRecords gave.
  absl::Status ValidateRecords() const;
  absl::Status ValidateRecords(std::string_view plain_records) const;

 private:
  explicit RecordBatchView(std::string_view bytes) : bytes_(bytes) {}
  template <class Integer>
  Integer At(std::size_t offset) const {
    return LoadBigEndian<Integer>(bytes_.data() + offset);
  }
  std::string_view bytes_;
};

// Reads the records of a batch one by one. Total: ends at the first damage, with an error. Numbers the
// records as they number themselves; that they do so without a gap is ValidateRecords' business. Does not allocate but
// for headers.
//
//   RecordReader reader(batch);
//   while (const RecordView* record = reader.Next()) ...
//   if (!reader.status().ok()) ...
class RecordReader {
 public:
  // The batch is not compressed. Its bytes outlive the reader.
  explicit RecordReader(const RecordBatchView& batch);
  // Any batch, with what its PlainRecords gave.
  RecordReader(const RecordBatchView& batch, std::string_view plain_records);

  // Null at the end and after damage. The record is the reader's own and is overwritten by the next call.
  const RecordView* Next();
  // After Next() gave null: OK, or INVALID_RECORD with the byte within the batch (of a compressed one: within its
  // decompressed records).
  absl::Status status() const;

 private:
  void ReadHeaders();

  ByteReader reader_;
  bool decompressed_;
  bool log_append_time_;  // Then the batch's one timestamp counts for every record.
  std::int64_t base_timestamp_;
  std::int32_t left_;
  RecordView record_;
  std::vector<HeaderView> headers_;
};

}  // namespace ktrial::wire

#endif  // CORE_WIRE_RECORD_BATCH_H_
