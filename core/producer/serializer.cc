#include "core/producer/serializer.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>

#include "core/wire/big_endian.h"

namespace ktrial {

namespace {

template <std::integral Integer>
std::string BigEndian(Integer number) {
  std::string bytes(sizeof number, '\0');
  wire::StoreBigEndian(bytes.data(), number);
  return bytes;
}

std::string BytesOf(std::string_view text) { return std::string(text); }
std::string BytesOf(bool truth) { return std::string(1, truth ? '\1' : '\0'); }
std::string BytesOf(std::integral auto number) { return BigEndian(number); }
std::string BytesOf(float number) { return BigEndian(std::bit_cast<std::int32_t>(number)); }

std::string BytesOf(double number) {
  constexpr std::int64_t kNaN = 0x7ff8000000000000;
  return BigEndian(number != number ? kNaN : std::bit_cast<std::int64_t>(number));
}

std::string BytesOf(const Uuid& uuid) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 0xf];
  }
  return text;
}

}  // namespace

void RecordHeaders::Add(std::string_view key, std::optional<std::string_view> value) {
  Header& header = headers_.emplace_back();
  header.key = kept_.emplace_back(key);
  if (value) header.value = kept_.emplace_back(*value);
}

void RecordHeaders::Remove(std::string_view key) {
  std::erase_if(headers_, [key](const Header& header) { return header.key == key; });
}

const Header* RecordHeaders::Last(std::string_view key) const {
  const auto found =
      std::find_if(headers_.rbegin(), headers_.rend(), [key](const Header& one) { return one.key == key; });
  return found == headers_.rend() ? nullptr : &*found;
}

template <class T>
absl::StatusOr<SerializedBytes> StandardSerializer<T>::Serialize(std::string_view, RecordHeaders&, const T* data) {
  return data == nullptr ? SerializedBytes() : BytesOf(*data);
}

absl::StatusOr<SerializedBytes> StringSerializer::Serialize(std::string_view, RecordHeaders&,
                                                            const std::string_view* data) {
  return data == nullptr ? SerializedBytes() : BytesOf(*data);
}

absl::StatusOr<SerializedBytes> StringSerializer::Serialize(std::string_view, RecordHeaders&, const std::string* data) {
  return data == nullptr ? SerializedBytes() : *data;
}

absl::StatusOr<SerializedBytes> VoidSerializer::Serialize(std::string_view, RecordHeaders&, const std::monostate*) {
  return std::nullopt;
}

template class StandardSerializer<std::string>;
template class StandardSerializer<std::string_view>;
template class StandardSerializer<bool>;
template class StandardSerializer<std::int16_t>;
template class StandardSerializer<std::int32_t>;
template class StandardSerializer<std::int64_t>;
template class StandardSerializer<float>;
template class StandardSerializer<double>;
template class StandardSerializer<Uuid>;

}  // namespace ktrial
