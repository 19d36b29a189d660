// Record batches and message sets for scripts, right and wrong ones.
#ifndef TESTS_REAL_FIDELITY_RECORDS_H_
#define TESTS_REAL_FIDELITY_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire/big_endian.h"
#include "core/wire/message_set.h"
#include "core/wire/record_batch.h"

namespace ktrial::fidelity {

struct BatchShape {
  std::int32_t records = 1;
  std::size_t value_bytes = 20;
  std::int64_t timestamp_ms = 0;  // 0: StartMs()
  Codec codec = Codec::kNone;
  wire::BatchProducer producer;
};

// When the program began: what records are stamped with.
std::int64_t StartMs();

std::string MakeBatch(const BatchShape& shape = {});
// As the builder would not: whatever stands behind the header is replaced, length and CRC are made to fit.
std::string WithRecords(std::string batch, std::string_view records, std::int32_t count);

// Another number at a place of the header; the CRC is made to fit, unless it is the CRC that was changed.
template <class Integer>
std::string With(std::string bytes, std::size_t at, Integer number);
void FixCrc(std::string& batch);

// A record by hand, all its numbers as they are given.
struct RawRecord {
  std::int32_t offset_delta = 0;
  std::int32_t timestamp_delta = 0;
  std::int32_t key_bytes = -1;  // said; no bytes follow
  std::string value = "value";
  std::int32_t headers = 0;       // said
  std::string headers_bytes;      // what follows
  std::int32_t length_error = 0;  // added to the length
};
std::string MakeRecord(const RawRecord& record);

// Magic 0 or 1.
struct SetShape {
  std::int8_t magic = 1;
  std::int32_t records = 1;
  std::size_t value_bytes = 20;
  Codec codec = Codec::kNone;
};
std::string MakeSet(const SetShape& shape);
// One message by hand: its CRC fits.
std::string MakeMessage(std::int8_t magic, std::int8_t attributes, std::string_view key_and_value);
// "key length, key, value length, value" of a message with a null key.
std::string NullKeyAnd(std::string_view value);

inline constexpr std::size_t kLengthAt = 8;
inline constexpr std::size_t kEpochAt = 12;
inline constexpr std::size_t kMagicAt = 16;
inline constexpr std::size_t kCrcAt = 17;
inline constexpr std::size_t kAttributesAt = 21;
inline constexpr std::size_t kLastDeltaAt = 23;
inline constexpr std::size_t kBaseTimestampAt = 27;
inline constexpr std::size_t kMaxTimestampAt = 35;
inline constexpr std::size_t kProducerIdAt = 43;
inline constexpr std::size_t kProducerEpochAt = 51;
inline constexpr std::size_t kSequenceAt = 53;
inline constexpr std::size_t kCountAt = 57;

template <class Integer>
std::string With(std::string bytes, std::size_t at, Integer number) {
  wire::StoreBigEndian(bytes.data() + at, number);
  if (at >= kAttributesAt) FixCrc(bytes);
  return bytes;
}

}  // namespace ktrial::fidelity

#endif  // TESTS_REAL_FIDELITY_RECORDS_H_
