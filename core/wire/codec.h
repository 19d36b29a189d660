// Messages to bytes and back, for both ends of a connection: what the client encodes the broker decodes, and the other
// way round.
//
// Encoding takes a version of CodecVersionRange(api) and a message that this version can say; anything else is a
// KT_CHECK. Fields that the version does not have are left out, so whoever needs them looks at the version first.
//
// Decoding is total: any bytes give a message or an error. Errors are kDataLoss with the offset ("metadata response v9:
// byte 17: length goes beyond the end") for damaged bytes, and UNSUPPORTED_VERSION for a version that we do not know.
// Memory is bounded by a small multiple of the size of the input. Unknown tagged fields are skipped. Trailing bytes are
// an error.
//
// `Message` is one of messages.h, sasl_messages.h or transaction_messages.h.
#ifndef CORE_WIRE_CODEC_H_
#define CORE_WIRE_CODEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/wire/gather_bytes.h"
#include "core/wire/messages.h"

namespace ktrial::wire {

// --- Bodies ---

// Appends. In the second form a ProduceRequest's records are referred to, not copied; Seal() is the caller's.
template <class Message>
void Encode(const Message& message, std::int16_t version, std::string& out);
template <class Message>
void Encode(const Message& message, std::int16_t version, GatherBytes& out);

// A ProduceRequest is a view of `body`.
template <class Message>
absl::StatusOr<Message> Decode(std::string_view body, std::int16_t version);

// An answer of UNSUPPORTED_VERSION has the form of version 0, whatever was asked (WP-07): tries `version`, then 0. The
// error is that of the first try.
absl::StatusOr<ApiVersionsResponse> DecodeApiVersionsResponse(std::string_view body, std::int16_t version);

// --- Headers ---

struct RequestHeader {
  ApiKey api{};  // May be outside the enumeration when it comes from a peer.
  std::int16_t version = 0;
  std::int32_t correlation_id = 0;
  std::optional<std::string_view> client_id;  // When decoded: a view of the frame.
  friend bool operator==(const RequestHeader&, const RequestHeader&) = default;
};
struct RequestParts {
  RequestHeader header;
  std::string_view body;
};
struct ResponseParts {
  std::int32_t correlation_id = 0;
  std::string_view body;
};
// A frame is what follows the four bytes of length. Versions of the header are chosen by WP-03 and WP-04: an
// ApiVersions answer has no tagged fields in its header, ever.
void EncodeRequestHeader(const RequestHeader& header, std::string& out);
absl::StatusOr<RequestParts> DecodeRequestHeader(std::string_view frame);
void EncodeResponseHeader(ApiKey api, std::int16_t version, std::int32_t correlation_id, std::string& out);
absl::StatusOr<ResponseParts> DecodeResponseHeader(std::string_view frame, ApiKey api, std::int16_t version);

// The first four bytes of a response frame, which are the same in all versions: for whoever must find the request, and
// with it the version, first. Nullopt if the frame is shorter.
std::optional<std::int32_t> PeekCorrelationId(std::string_view frame);

// --- Whole frames: length, header, body; sealed ---

// Replaces what `frame` holds.
template <class Request>
void EncodeRequestFrame(const Request& request, std::int16_t version, std::int32_t correlation_id,
                        std::optional<std::string_view> client_id, GatherBytes& frame);
// Appends. An ApiVersions answer of UNSUPPORTED_VERSION is written as version 0, whatever `version` is (WP-07).
template <class Response>
void EncodeResponseFrame(const Response& response, std::int16_t version, std::int32_t correlation_id, std::string& out);

}  // namespace ktrial::wire

#endif  // CORE_WIRE_CODEC_H_
