// Serializers turn the keys and values of an application into the bytes of a record. Those below write what Kafka's own of the
// same name write, so that its consumers read them:
//
//   ours                  Kafka's                bytes
//   StringSerializer      StringSerializer       the text, which should be UTF-8; of std::string and std::string_view
//   BytesSerializer       ByteArraySerializer    as they are; so do Kafka's for Bytes and ByteBuffer, of the same bytes
//   BooleanSerializer     BooleanSerializer      1 or 0
//   Int16Serializer       ShortSerializer        2, most significant first
//   Int32Serializer       IntegerSerializer      4
//   Int64Serializer       LongSerializer         8
//   FloatSerializer       FloatSerializer        4, IEEE 754
//   DoubleSerializer      DoubleSerializer       8, IEEE 754; every NaN is 7ff8000000000000
//   UuidSerializer        UUIDSerializer         36: the text, in lower case
//   VoidSerializer        VoidSerializer         none: always null; for keys or values that there are not
//   ListSerializer        ListSerializer         core/producer/list_serializer.h
//
// One of your own:
//
//   class OrderSerializer : public Serializer<Order> {
//     absl::StatusOr<SerializedBytes> Serialize(std::string_view, RecordHeaders& headers, const Order* order) override {
//       if (order == nullptr) return std::nullopt;
//       headers.Add("format", "2");
//       return Encode(*order);
//     }
//   };
#ifndef CORE_PRODUCER_SERIALIZER_H_
#define CORE_PRODUCER_SERIALIZER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/producer/record.h"

namespace ktrial {

// The headers of one record while it is serialized: the application's, and what serializers add, in this order.
class RecordHeaders {
 public:
  explicit RecordHeaders(std::span<const Header> original) : headers_(original.begin(), original.end()) {}
  RecordHeaders(const RecordHeaders&) = delete;
  RecordHeaders& operator=(const RecordHeaders&) = delete;

  // Behind all others; a key may repeat. Both are copied.
  void Add(std::string_view key, std::optional<std::string_view> value);
  // Every header of that key.
  void Remove(std::string_view key);
  // The last one of that key, which is the one that counts; null if there is none. Until the next change.
  const Header* Last(std::string_view key) const;
  std::span<const Header> all() const { return headers_; }

 private:
  std::vector<Header> headers_;
  std::deque<std::string> kept_;  // Does not move what it holds.
};

// nullopt: null, which is not empty.
using SerializedBytes = std::optional<std::string>;

// Thread safety: Serialize is called by the threads that send, several at once; Close once, by one thread.
template <class T>
class Serializer {
 public:
  virtual ~Serializer() = default;

  // `data` is null for a null key or value (PR-08). An error, or what is thrown, fails the record.
  virtual absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers, const T* data) = 0;

  // When its producer is closed (PR-17).
  virtual absl::Status Close() { return absl::OkStatus(); }
};

using Uuid = std::array<std::uint8_t, 16>;

template <class T, class... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

// One for each type of the table; a null becomes null.
template <class T>
class StandardSerializer final : public Serializer<T> {
  static_assert(
      kIsOneOf<T, std::string, std::string_view, bool, std::int16_t, std::int32_t, std::int64_t, float, double, Uuid>,
      "Kafka has no serializer for this type: derive one of your own from ktrial::Serializer<T>");

 public:
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers, const T* data) override;
};

// For both kinds of strings.
class StringSerializer final : public Serializer<std::string_view>, public Serializer<std::string> {
 public:
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::string_view* data) override;
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::string* data) override;
  absl::Status Close() override { return absl::OkStatus(); }
};
using BytesSerializer = StringSerializer;

// Makes null of everything, which is the one value of its type and no value at all.
class VoidSerializer final : public Serializer<std::monostate> {
 public:
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::monostate* data) override;
};
using BooleanSerializer = StandardSerializer<bool>;
using Int16Serializer = StandardSerializer<std::int16_t>;
using Int32Serializer = StandardSerializer<std::int32_t>;
using Int64Serializer = StandardSerializer<std::int64_t>;
using FloatSerializer = StandardSerializer<float>;
using DoubleSerializer = StandardSerializer<double>;
using UuidSerializer = StandardSerializer<Uuid>;

extern template class StandardSerializer<std::string>;
extern template class StandardSerializer<std::string_view>;
extern template class StandardSerializer<bool>;
extern template class StandardSerializer<std::int16_t>;
extern template class StandardSerializer<std::int32_t>;
extern template class StandardSerializer<std::int64_t>;
extern template class StandardSerializer<float>;
extern template class StandardSerializer<double>;
extern template class StandardSerializer<Uuid>;

}  // namespace ktrial

#endif  // CORE_PRODUCER_SERIALIZER_H_
