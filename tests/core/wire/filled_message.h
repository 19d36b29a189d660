// Fills any message with values that its version can say, by walking its schema: for round trips, truncation and the
// judges.
//
// Where the values come from is a Source:
//   std::int64_t Integer(int bytes);   any value of that many bytes
//   bool Flag();
//   std::string Text();
//   std::size_t Count();               length of an array
#ifndef TESTS_CORE_WIRE_FILLED_MESSAGE_H_
#define TESTS_CORE_WIRE_FILLED_MESSAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/wire/schema.h"

namespace ktrial::wire {

// A message together with the memory that its views point into.
template <class Message>
struct Filled {
  Message message;
  std::deque<std::string> arena;
};

template <class Source>
class Filler {
 public:
  Filler(Source& source, std::int16_t version, std::deque<std::string>& arena)
      : source_(source), version_(version), arena_(arena) {}

  template <class T>
  void Fill(T& value, FieldSpec spec = {}) {
    if constexpr (std::is_same_v<T, bool>) {
      value = source_.Flag();
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(source_.Integer(sizeof(T)));
    } else if constexpr (std::is_same_v<T, ErrorCode>) {
      constexpr int kCodes = static_cast<int>(kLastErrorCode) - static_cast<int>(kFirstErrorCode) + 1;
      value = static_cast<ErrorCode>(static_cast<std::uint64_t>(source_.Integer(8)) % kCodes - 1);
    } else if constexpr (std::is_same_v<T, TopicId>) {
      for (std::uint8_t& byte : value) byte = static_cast<std::uint8_t>(source_.Integer(1));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = source_.Text();
    } else if constexpr (std::is_same_v<T, std::string_view>) {
      value = arena_.emplace_back(source_.Text());
    } else {
      FillCompound(value, spec);
    }
  }

 private:
  template <class Element>
  void FillCompound(std::optional<Element>& value, FieldSpec spec) {
    value.reset();
    if (spec.NullableIn(version_) && source_.Flag()) return;
    Fill(value.emplace(), spec);
  }
  template <class Element>
  void FillCompound(std::vector<Element>& elements, FieldSpec) {
    elements.resize(source_.Count());
    for (Element& element : elements) Fill(element);
  }
  template <class Struct>
  void FillCompound(Struct& structure, FieldSpec) {
    const auto fill = [&](const char*, auto& value, FieldSpec spec) {
      if (spec.ExistsIn(version_)) Fill(value, spec);
    };
    Schema<Struct>::Fields(fill, structure);
  }

  Source& source_;
  std::int16_t version_;
  std::deque<std::string>& arena_;
};

template <class Message, class Source>
Filled<Message> Fill(Source& source, std::int16_t version) {
  Filled<Message> filled;
  Filler<Source>(source, version, filled.arena).Fill(filled.message);
  if constexpr (std::is_same_v<Message, MetadataRequest>) {
    // Version 0 cannot ask for no topic, and reads an empty list as null (WP-08).
    if (version == 0 && filled.message.topics->empty()) filled.message.topics.reset();
  }
  return filled;
}

// The same values for the same seed, on every machine.
class SeededSource {
 public:
  explicit SeededSource(std::uint64_t seed) : state_(seed) {}
  std::int64_t Integer(int bytes) {
    // Edges are where mistakes are.
    const std::uint64_t kind = Next() % 8;
    if (kind == 0) return 0;
    if (kind == 1) return -1;
    if (kind == 2) return static_cast<std::int64_t>((std::uint64_t{1} << (8 * bytes - 1)) - 1);
    return static_cast<std::int64_t>(Next()) >> (64 - 8 * bytes);
  }
  bool Flag() { return Next() % 2 == 0; }
  std::string Text() {
    // Some longer than 127 bytes, so that compact lengths take two.
    std::string text(Next() % 8 == 0 ? 120 + Next() % 20 : Next() % 12, 'x');
    for (char& c : text) c = static_cast<char>('a' + Next() % 26);
    if (Next() % 8 == 0) text += "\xc3\xa9\xe2\x82\xac";  // characters of two and of three bytes
    return text;
  }
  std::size_t Count() { return Next() % 4; }

 private:
  std::uint64_t Next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

// Calls visit(Filled<Message>, version) for each message type, each version, and seeds 1 to `seeds`.
template <class Visit>
void ForEachFilledMessage(std::uint64_t seeds, Visit&& visit) {
  const auto one_type = [&]<class Message>(std::type_identity<Message>) {
    const VersionRange range = *CodecVersionRange(Message::kApi);
    for (std::int16_t version = range.min; version <= range.max; ++version) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SeededSource source(seed * 1000 + static_cast<std::uint64_t>(version));
        visit(Fill<Message>(source, version), version);
      }
    }
  };
  ForEachMessage(one_type);
}

}  // namespace ktrial::wire

#endif  // TESTS_CORE_WIRE_FILLED_MESSAGE_H_
