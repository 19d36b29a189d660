#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/check.h"
#include "core/wire/byte_writer.h"
#include "core/wire/codec.h"
#include "core/wire/schema.h"

namespace ktrial::wire {
namespace {

// Writes structures by their schema. With a GatherBytes, records are referred to; without one they are copied.
class Encoder {
 public:
  Encoder(std::string& out, GatherBytes* gather, std::int16_t version, bool flexible)
      : writer_(out), gather_(gather), version_(version), flexible_(flexible) {}

  template <class Struct>
  void Write(const Struct& structure, FieldSpec = {}) {
    std::uint32_t tagged = 0;
    const auto write_plain = [&](const char*, const auto& value, FieldSpec spec) {
      if (!spec.ExistsIn(version_)) return;
      if (!spec.IsTagged()) {
        Write(value, spec);
      } else if (!IsAbsent(value, spec)) {
        ++tagged;
      }
    };
    Schema<Struct>::Fields(write_plain, structure);
    if (!flexible_) return;
    writer_.UnsignedVarint(tagged);
    if (tagged == 0) return;
    const auto write_tagged = [&](const char*, const auto& value, FieldSpec spec) {
      if (spec.ExistsIn(version_) && spec.IsTagged() && !IsAbsent(value, spec)) WriteTagged(value, spec);
    };
    Schema<Struct>::Fields(write_tagged, structure);
  }

  void Write(std::int8_t n, FieldSpec) { writer_.Fixed(n); }
  void Write(std::int16_t n, FieldSpec) { writer_.Fixed(n); }
  void Write(std::int32_t n, FieldSpec) { writer_.Fixed(n); }
  void Write(std::int64_t n, FieldSpec) { writer_.Fixed(n); }
  void Write(bool value, FieldSpec) { writer_.Bool(value); }
  void Write(ErrorCode code, FieldSpec) { writer_.Fixed(static_cast<std::int16_t>(code)); }
  void Write(const TopicId& id, FieldSpec) {
    writer_.Bytes(std::string_view(reinterpret_cast<const char*>(id.data()), id.size()));
  }
  void Write(std::string_view text, FieldSpec) { WriteString(text); }
  void Write(const std::string& text, FieldSpec spec) {
    if (!spec.bytes) return WriteString(text);
    WriteLength(text.size());
    writer_.Bytes(text);  // Few and short: copied.
  }
  void Write(const std::optional<std::string>& text, FieldSpec spec) {
    CheckNull(text.has_value(), spec);
    WriteString(text);
  }
  void Write(const std::optional<std::string_view>& text, FieldSpec spec) {
    CheckNull(text.has_value(), spec);
    if (spec.bytes) {
      WriteBytes(text);
    } else {
      WriteString(text);
    }
  }
  template <class Element>
  void Write(const std::vector<Element>& elements, FieldSpec) {
    WriteLength(elements.size());
    for (const Element& element : elements) Write(element, {});
  }
  template <class Element>
  void Write(const std::optional<std::vector<Element>>& elements, FieldSpec spec) {
    CheckNull(elements.has_value(), spec);
    if (elements) {
      Write(*elements, spec);
    } else {
      WriteLength(std::nullopt);
    }
  }

 private:
  // The caller chose a version that cannot say this.
  void CheckNull(bool has_value, FieldSpec spec) { KT_CHECK(has_value || spec.NullableIn(version_)); }

  template <class T>
  static bool IsAbsent(const T& value, FieldSpec spec) {
    if constexpr (std::is_integral_v<T>) {
      return value == static_cast<T>(spec.absent);
    } else {
      return value == T{};
    }
  }

  void WriteString(std::optional<std::string_view> text) {
    if (flexible_) {
      writer_.CompactNullableString(text);
    } else {
      writer_.NullableString(text);
    }
  }
  void WriteLength(std::optional<std::size_t> length) {
    if (flexible_) {
      writer_.CompactLength(length);
    } else {
      writer_.Length(length);
    }
  }
  void WriteBytes(std::optional<std::string_view> bytes) {
    WriteLength(bytes ? std::optional<std::size_t>(bytes->size()) : std::nullopt);
    if (!bytes) return;
    if (gather_ != nullptr) {
      gather_->Refer(*bytes);
    } else {
      writer_.Bytes(*bytes);
    }
  }
  // The size stands in front of a tagged field, so the field is written elsewhere first. They are few and small.
  template <class T>
  void WriteTagged(const T& value, FieldSpec spec) {
    std::string data;
    Encoder(data, nullptr, version_, flexible_).Write(value, spec);
    writer_.UnsignedVarint(static_cast<std::uint32_t>(spec.tag));
    writer_.UnsignedVarint(static_cast<std::uint32_t>(data.size()));
    writer_.Bytes(data);
  }

  ByteWriter writer_;
  GatherBytes* gather_;
  std::int16_t version_;
  bool flexible_;
};

template <class Message>
void EncodeBody(const Message& message, std::int16_t version, std::string& out, GatherBytes* gather) {
  KT_CHECK(CodecVersionRange(Message::kApi)->Contains(version));
  Encoder encoder(out, gather, version, IsFlexible(FirstFlexibleVersion(Message::kApi), version));
  if constexpr (std::is_same_v<Message, MetadataRequest>) {
    if (version == 0) {
      // Version 0 has no null: its empty list means all topics, and it has no way to ask for none (WP-08).
      KT_CHECK(!message.topics || !message.topics->empty());
      MetadataRequest all = message;
      if (!all.topics) all.topics.emplace();
      encoder.Write(all);
      return;
    }
  }
  encoder.Write(message);
}

}  // namespace

template <class Message>
void Encode(const Message& message, std::int16_t version, std::string& out) {
  EncodeBody(message, version, out, nullptr);
}

template <class Message>
void Encode(const Message& message, std::int16_t version, GatherBytes& out) {
  EncodeBody(message, version, out.owned(), &out);
}

template <class Request>
void EncodeRequestFrame(const Request& request, std::int16_t version, std::int32_t correlation_id,
                        std::optional<std::string_view> client_id, GatherBytes& frame) {
  frame.Clear();
  ByteWriter writer(frame.owned());
  writer.Fixed(std::int32_t{0});  // the length, known at the end
  EncodeRequestHeader({Request::kApi, version, correlation_id, client_id}, frame.owned());
  Encode(request, version, frame);
  writer.PatchFixed32(0, static_cast<std::int32_t>(frame.size() - sizeof(std::int32_t)));
  frame.Seal();
}

template <class Response>
void EncodeResponseFrame(const Response& response, std::int16_t version, std::int32_t correlation_id,
                         std::string& out) {
  if constexpr (std::is_same_v<Response, ApiVersionsResponse>) {
    if (response.error == ErrorCode::kUnsupportedVersion) version = 0;
  }
  const std::size_t start = out.size();
  ByteWriter writer(out);
  writer.Fixed(std::int32_t{0});
  EncodeResponseHeader(Response::kApi, version, correlation_id, out);
  Encode(response, version, out);
  writer.PatchFixed32(start, static_cast<std::int32_t>(out.size() - start - sizeof(std::int32_t)));
}

#define KT_WIRE_INSTANTIATE(Message)                                \
  template void Encode(const Message&, std::int16_t, std::string&); \
  template void Encode(const Message&, std::int16_t, GatherBytes&);
#define KT_WIRE_INSTANTIATE_PAIR(Name)                                                                                \
  KT_WIRE_INSTANTIATE(Name##Request)                                                                                  \
  KT_WIRE_INSTANTIATE(Name##Response)                                                                                 \
  template void EncodeRequestFrame(const Name##Request&, std::int16_t, std::int32_t, std::optional<std::string_view>, \
                                   GatherBytes&);                                                                     \
  template void EncodeResponseFrame(const Name##Response&, std::int16_t, std::int32_t, std::string&);
KT_WIRE_INSTANTIATE_PAIR(Produce)
KT_WIRE_INSTANTIATE_PAIR(Metadata)
KT_WIRE_INSTANTIATE_PAIR(ApiVersions)
KT_WIRE_INSTANTIATE_PAIR(InitProducerId)
KT_WIRE_INSTANTIATE_PAIR(FindCoordinator)
KT_WIRE_INSTANTIATE_PAIR(AddPartitionsToTxn)
KT_WIRE_INSTANTIATE_PAIR(AddOffsetsToTxn)
KT_WIRE_INSTANTIATE_PAIR(TxnOffsetCommit)
KT_WIRE_INSTANTIATE_PAIR(EndTxn)
KT_WIRE_INSTANTIATE_PAIR(SaslHandshake)
KT_WIRE_INSTANTIATE_PAIR(SaslAuthenticate)
#undef KT_WIRE_INSTANTIATE_PAIR
#undef KT_WIRE_INSTANTIATE

}  // namespace ktrial::wire
