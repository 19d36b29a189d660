// What both halves of SCRAM compute (RFC 5802): the client here, and the server of a fake broker.
#ifndef CORE_SASL_SCRAM_H_
#define CORE_SASL_SCRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial {

enum class ScramHash : std::uint8_t { kSha256, kSha512 };

// PBKDF2 of the password as it is: like Kafka, without SASLprep. iterations > 0.
std::string ScramSaltedPassword(ScramHash hash, std::string_view password, std::string_view salt,
                                std::int32_t iterations);
// What proves to the server that the client has the salted password, for this exchange of messages.
std::string ScramClientProof(ScramHash hash, std::string_view salted_password, std::string_view auth_message);
// What proves to the client that the server has.
std::string ScramServerSignature(ScramHash hash, std::string_view salted_password, std::string_view auth_message);

// "r=abc,s=def,i=4096": the value of an attribute; nullopt if there is none.
std::optional<std::string_view> ScramAttribute(std::string_view message, char name);
// As a user's name is written into a message, where commas and equals signs have a meaning.
std::string ScramName(std::string_view name);
// nullopt: not base64.
std::optional<std::string> ScramUnescape(std::string_view base64);
std::string ScramEscape(std::string_view bytes);

}  // namespace ktrial

#endif  // CORE_SASL_SCRAM_H_
