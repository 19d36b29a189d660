// Messages as JSON, in the form that Kafka's own converters use: the names of core/wire/schema.h, fields of the version only, tagged
// fields unless they have their default, ids and records in base64.
#ifndef TESTS_REAL_WIRE_JUDGES_MESSAGE_JSON_H_
#define TESTS_REAL_WIRE_JUDGES_MESSAGE_JSON_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/escaping.h"
#include "core/wire/schema.h"

namespace ktrial::wire {

class JsonWriter {
 public:
  explicit JsonWriter(std::int16_t version) : version_(version) {}

  template <class T>
  nlohmann::json Write(const T& value, FieldSpec spec = {}) const {
    if constexpr (std::is_same_v<T, ErrorCode>) {
      return static_cast<std::int16_t>(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return value;
    } else if constexpr (std::is_same_v<T, TopicId>) {
      std::string text;
      absl::WebSafeBase64Escape(absl::string_view(reinterpret_cast<const char*>(value.data()), value.size()), &text);
      return text;
    } else if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string>) {
      return spec.bytes ? absl::Base64Escape(absl::string_view(value.data(), value.size())) : std::string(value);
    } else {
      return WriteCompound(value, spec);
    }
  }

 private:
  template <class Element>
  nlohmann::json WriteCompound(const std::optional<Element>& value, FieldSpec spec) const {
    if (value) return Write(*value, spec);
    // Version 0 of a Metadata request has an empty list where we say null (WP-08).
    return spec.NullableIn(version_) ? nlohmann::json() : nlohmann::json::array();
  }
  template <class Element>
  nlohmann::json WriteCompound(const std::vector<Element>& elements, FieldSpec) const {
    nlohmann::json array = nlohmann::json::array();
    for (const Element& element : elements) array.push_back(Write(element));
    return array;
  }
  template <class Struct>
  nlohmann::json WriteCompound(const Struct& structure, FieldSpec) const {
    nlohmann::json object = nlohmann::json::object();
    const Struct defaults{};
    std::vector<nlohmann::json> default_values;
    const auto remember = [&](const char*, const auto& value, FieldSpec spec) {
      default_values.push_back(Write(value, spec));
    };
    Schema<Struct>::Fields(remember, defaults);
    std::size_t index = 0;
    const auto write = [&](const char* name, const auto& value, FieldSpec spec) {
      const nlohmann::json& absent = default_values[index++];
      if (!spec.ExistsIn(version_)) return;
      nlohmann::json written = Write(value, spec);
      if (!spec.IsTagged() || written != absent) object[name] = std::move(written);
    };
    Schema<Struct>::Fields(write, structure);
    return object;
  }

  std::int16_t version_;
};

template <class Message>
nlohmann::json ToJson(const Message& message, std::int16_t version) {
  return JsonWriter(version).Write(message);
}

}  // namespace ktrial::wire

#endif  // TESTS_REAL_WIRE_JUDGES_MESSAGE_JSON_H_
