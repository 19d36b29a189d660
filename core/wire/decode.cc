#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/wire/byte_reader.h"
#include "core/wire/codec.h"
#include "core/wire/schema.h"
#include "core/wire/status.h"

namespace ktrial::wire {
namespace {

template <class T>
struct IsVector : std::false_type {};
template <class Element>
struct IsVector<std::vector<Element>> : std::true_type {};
template <class Element>
struct IsVector<std::optional<std::vector<Element>>> : std::true_type {};

// The fewest bytes that a T takes. So a count can be refused before memory is reserved for it.
template <class T>
std::size_t BytesMin(std::int16_t version, bool flexible, FieldSpec spec = {}) {
  if constexpr (std::is_same_v<T, ErrorCode>) {
    return sizeof(std::int16_t);
  } else if constexpr (std::is_integral_v<T>) {
    return sizeof(T);
  } else if constexpr (std::is_same_v<T, TopicId>) {
    return sizeof(TopicId);
  } else if constexpr (IsVector<T>::value) {
    return flexible ? 1 : sizeof(std::int32_t);
  } else if constexpr (std::is_convertible_v<std::string_view, T> || std::is_constructible_v<T, std::string_view>) {
    if (flexible) return 1;
    return spec.bytes ? sizeof(std::int32_t) : sizeof(std::int16_t);
  } else {
    std::size_t sum = flexible ? 1 : 0;  // the number of tagged fields
    const T none{};
    const auto add = [&](const char*, const auto& value, FieldSpec field) {
      if (!field.ExistsIn(version) || field.IsTagged()) return;
      sum += BytesMin<std::remove_cvref_t<decltype(value)>>(version, flexible, field);
    };
    Schema<T>::Fields(add, none);
    return sum;
  }
}

// Reads structures by their schema. Reads on after a failure: the reader then gives nothing, which ends every loop.
class Decoder {
 public:
  Decoder(ByteReader& reader, std::int16_t version, bool flexible)
      : reader_(reader), version_(version), flexible_(flexible) {}

  // The innermost field at which the reader failed; null while it has not.
  const char* failed_field() const { return failed_field_; }

  template <class Struct>
  void Read(Struct& structure, FieldSpec = {}) {
    const auto read_plain = [&](const char* name, auto& value, FieldSpec spec) {
      if (!spec.ExistsIn(version_) || spec.IsTagged()) return;
      Read(value, spec);
      Note(name);
    };
    Schema<Struct>::Fields(read_plain, structure);
    if (flexible_) ReadTagged(structure);
  }

  void Read(std::int8_t& n, FieldSpec) { n = reader_.Fixed<std::int8_t>(); }
  void Read(std::int16_t& n, FieldSpec) { n = reader_.Fixed<std::int16_t>(); }
  void Read(std::int32_t& n, FieldSpec) { n = reader_.Fixed<std::int32_t>(); }
  void Read(std::int64_t& n, FieldSpec) { n = reader_.Fixed<std::int64_t>(); }
  void Read(bool& value, FieldSpec) { value = reader_.Bool(); }
  void Read(ErrorCode& code, FieldSpec) { code = ErrorCodeFromWire(reader_.Fixed<std::int16_t>()); }
  void Read(TopicId& id, FieldSpec) {
    const std::string_view bytes = reader_.Bytes(id.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) id[i] = static_cast<std::uint8_t>(bytes[i]);
  }
  void Read(std::string& text, FieldSpec spec) { text = NotNull({.bytes = spec.bytes}); }
  void Read(std::string_view& text, FieldSpec) { text = NotNull({}); }
  void Read(std::optional<std::string>& text, FieldSpec spec) {
    const std::optional<std::string_view> view = Nullable(spec);
    if (view) {
      text.emplace(*view);
    } else {
      text.reset();
    }
  }
  void Read(std::optional<std::string_view>& text, FieldSpec spec) { text = Nullable(spec); }
  template <class Element>
  void Read(std::vector<Element>& elements, FieldSpec) {
    const std::size_t start = reader_.offset();
    if (!ReadElements(elements)) reader_.Fail(kNullRefused, start);
  }
  template <class Element>
  void Read(std::optional<std::vector<Element>>& elements, FieldSpec spec) {
    const std::size_t start = reader_.offset();
    if (ReadElements(elements.emplace())) return;
    elements.reset();
    if (!spec.NullableIn(version_)) reader_.Fail(kNullRefused, start);
  }

 private:
  static constexpr char kNullRefused[] = "null where this version has none";

  void Note(const char* name) {
    if (!reader_.ok() && failed_field_ == nullptr) failed_field_ = name;
  }

  std::optional<std::string_view> Sized(FieldSpec spec) {
    if (flexible_) return reader_.CompactNullableBytes();
    return spec.bytes ? reader_.NullableBytes() : reader_.NullableString();
  }
  std::optional<std::string_view> Nullable(FieldSpec spec) {
    const std::size_t start = reader_.offset();
    const std::optional<std::string_view> bytes = Sized(spec);
    if (!bytes && !spec.NullableIn(version_)) reader_.Fail(kNullRefused, start);
    return bytes;
  }
  std::string_view NotNull(FieldSpec spec) { return Nullable(spec).value_or(std::string_view()); }

  // False for null.
  template <class Element>
  bool ReadElements(std::vector<Element>& elements) {
    const auto count = reader_.ArrayCount(flexible_, BytesMin<Element>(version_, flexible_));
    if (!count) return !reader_.ok();
    elements.clear();
    elements.reserve(*count);
    for (std::size_t i = 0; i < *count && reader_.ok(); ++i) Read(elements.emplace_back(), {});
    return true;
  }

  template <class Struct>
  void ReadTagged(Struct& structure) {
    const std::uint32_t count = reader_.UnsignedVarint();
    std::int64_t last_tag = -1;
    for (std::uint32_t i = 0; i < count && reader_.ok(); ++i) {
      const std::size_t start = reader_.offset();
      const std::int64_t tag = reader_.UnsignedVarint();
      const std::size_t size = reader_.UnsignedVarint();
      const std::size_t origin = reader_.offset();
      const std::string_view data = reader_.Bytes(size);
      if (!reader_.ok()) return;
      if (tag <= last_tag) return reader_.Fail("tags are not in ascending order", start);
      last_tag = tag;
      const auto read_one = [&](const char* name, auto& value, FieldSpec spec) {
        if (spec.tag != tag || !spec.ExistsIn(version_)) return;
        ByteReader field(data, origin);
        Decoder(field, version_, flexible_).Read(value, spec);
        field.ExpectEnd();
        if (!field.ok()) reader_.Fail(field.what(), field.offset());
        Note(name);
      };
      Schema<Struct>::Fields(read_one, structure);
    }
  }

  ByteReader& reader_;
  std::int16_t version_;
  bool flexible_;
  const char* failed_field_ = nullptr;
};

std::string Context(ApiKey api, Direction direction, std::int16_t version) {
  std::string context(ApiKeyName(api));
  context += direction == Direction::kRequest ? " request v" : " response v";
  return context + std::to_string(version);
}

}  // namespace

template <class Message>
absl::StatusOr<Message> Decode(std::string_view body, std::int16_t version) {
  if (!CodecVersionRange(Message::kApi)->Contains(version)) {
    return KafkaError(ErrorCode::kUnsupportedVersion,
                      Context(Message::kApi, Message::kDirection, version) + " is not supported");
  }
  ByteReader reader(body);
  Decoder decoder(reader, version, IsFlexible(FirstFlexibleVersion(Message::kApi), version));
  Message message;
  decoder.Read(message);
  reader.ExpectEnd();
  if (!reader.ok()) {
    std::string context = Context(Message::kApi, Message::kDirection, version);
    if (decoder.failed_field() != nullptr) context.append(", ").append(decoder.failed_field());
    return reader.status(context);
  }
  if constexpr (std::is_same_v<Message, MetadataRequest>) {
    if (version == 0 && message.topics->empty()) message.topics.reset();  // WP-08
  }
  return message;
}

absl::StatusOr<ApiVersionsResponse> DecodeApiVersionsResponse(std::string_view body, std::int16_t version) {
  absl::StatusOr<ApiVersionsResponse> asked = Decode<ApiVersionsResponse>(body, version);
  if (asked.ok() || version == 0) return asked;
  absl::StatusOr<ApiVersionsResponse> fallback = Decode<ApiVersionsResponse>(body, 0);
  if (fallback.ok() && fallback->error == ErrorCode::kUnsupportedVersion) return fallback;
  return asked;
}

template absl::StatusOr<ProduceRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<ProduceResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<MetadataRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<MetadataResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<ApiVersionsRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<ApiVersionsResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<InitProducerIdRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<InitProducerIdResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<FindCoordinatorRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<FindCoordinatorResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<AddPartitionsToTxnRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<AddPartitionsToTxnResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<AddOffsetsToTxnRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<AddOffsetsToTxnResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<TxnOffsetCommitRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<TxnOffsetCommitResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<EndTxnRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<EndTxnResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<SaslHandshakeRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<SaslHandshakeResponse> Decode(std::string_view, std::int16_t);
template absl::StatusOr<SaslAuthenticateRequest> Decode(std::string_view, std::int16_t);
template absl::StatusOr<SaslAuthenticateResponse> Decode(std::string_view, std::int16_t);

}  // namespace ktrial::wire
