// ListSerializer writes lists whose elements another serializer writes, as Kafka's of the same name does:
//
//   elements of Int16-, Int32-, Int64-, Float-, Double- and UuidSerializer    byte 0; how many are null; the index of each of these;
//                                                                             how many there are; those that are not null
//   of any other                                                              byte 1; how many there are; for each its length, -1 if it
//                                                                             is null, and its bytes
//
// Counts, indices and lengths have 4 bytes, most significant first. So Kafka's ListDeserializer for elements of that type reads it.
//
//   auto amounts = std::make_shared<ListSerializer<std::int64_t>>(std::make_shared<Int64Serializer>());
#ifndef CORE_PRODUCER_LIST_SERIALIZER_H_
#define CORE_PRODUCER_LIST_SERIALIZER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/producer/serializer.h"

namespace ktrial {

enum class ListForm : std::uint8_t { kConstantSize, kVariableSize };  // The first byte.

// The bytes of a list whose elements are bytes, or null.
std::string ListBytes(ListForm form, std::span<const SerializedBytes> elements);

// For std::vector<T>, and for std::vector<std::optional<T>>, whose elements may be null. An error of an element's serializer is one
// of the list, and says which element; so is a null that it makes of an element that is none, which Java cannot write either.
template <class T>
class ListSerializer final : public Serializer<std::vector<T>>, public Serializer<std::vector<std::optional<T>>> {
 public:
  // `elements` is asked in the order of the list, and closed with this.
  explicit ListSerializer(std::shared_ptr<Serializer<T>> elements) : elements_(std::move(elements)) {
    if constexpr (kIsOneOf<T, std::int16_t, std::int32_t, std::int64_t, float, double, Uuid>) {
      // One of the application's own for the same type may make bytes of any length.
      if (dynamic_cast<StandardSerializer<T>*>(elements_.get()) != nullptr) form_ = ListForm::kConstantSize;
    }
  }

  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::vector<T>* data) override {
    return SerializeEach(topic, headers, data);
  }
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::vector<std::optional<T>>* data) override {
    return SerializeEach(topic, headers, data);
  }
  absl::Status Close() override { return elements_ == nullptr ? absl::OkStatus() : elements_->Close(); }

 private:
  static const T* PointerTo(const T& element) { return &element; }
  static const T* PointerTo(const std::optional<T>& element) { return element ? &*element : nullptr; }

  template <class List>
  absl::StatusOr<SerializedBytes> SerializeEach(std::string_view topic, RecordHeaders& headers, const List* list) {
    if (elements_ == nullptr) return absl::InvalidArgumentError("a list has no serializer for its elements");
    if (list == nullptr) return SerializedBytes();
    std::vector<SerializedBytes> elements;
    elements.reserve(list->size());
    for (const auto& element : *list) {
      const T* const data = PointerTo(element);
      if (data == nullptr) {
        elements.emplace_back();
        continue;
      }
      absl::StatusOr<SerializedBytes> bytes = elements_->Serialize(topic, headers, data);
      const std::string place = "element " + std::to_string(elements.size()) + ": ";
      if (!bytes.ok()) return absl::Status(bytes.status().code(), place + std::string(bytes.status().message()));
      if (!bytes->has_value()) return absl::InvalidArgumentError(place + "its serializer makes a null of it");
      elements.push_back(*std::move(bytes));
    }
    return ListBytes(form_, elements);
  }

  const std::shared_ptr<Serializer<T>> elements_;
  ListForm form_ = ListForm::kVariableSize;
};

}  // namespace ktrial

#endif  // CORE_PRODUCER_LIST_SERIALIZER_H_
