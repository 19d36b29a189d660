#include "core/sasl/scram.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstddef>

#include "absl/strings/escaping.h"
#include "core/check.h"

namespace ktrial {
namespace {

const EVP_MD* Digest(ScramHash hash) { return hash == ScramHash::kSha256 ? EVP_sha256() : EVP_sha512(); }

const unsigned char* Bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* Bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

std::string Hmac(ScramHash hash, std::string_view key, std::string_view text) {
  std::string result(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  KT_CHECK(HMAC(Digest(hash), key.data(), static_cast<int>(key.size()), Bytes(text), text.size(), Bytes(result),
                &size) != nullptr);
  result.resize(size);
  return result;
}

std::string Hash(ScramHash hash, std::string_view text) {
  std::string result(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  KT_CHECK(EVP_Digest(text.data(), text.size(), Bytes(result), &size, Digest(hash), nullptr) == 1);
  result.resize(size);
  return result;
}

}  // namespace

std::string ScramSaltedPassword(ScramHash hash, std::string_view password, std::string_view salt,
                                std::int32_t iterations) {
  std::string result(static_cast<std::size_t>(EVP_MD_get_size(Digest(hash))), '\0');
  KT_CHECK(PKCS5_PBKDF2_HMAC(password.data(), static_cast<int>(password.size()), Bytes(salt),
                             static_cast<int>(salt.size()), iterations, Digest(hash), static_cast<int>(result.size()),
                             Bytes(result)) == 1);
  return result;
}

std::string ScramClientProof(ScramHash hash, std::string_view salted_password, std::string_view auth_message) {
  std::string proof = Hmac(hash, salted_password, "Client Key");
  const std::string signature = Hmac(hash, Hash(hash, proof), auth_message);
  for (std::size_t i = 0; i < proof.size(); ++i) proof[i] = static_cast<char>(proof[i] ^ signature[i]);
  return proof;
}

std::string ScramServerSignature(ScramHash hash, std::string_view salted_password, std::string_view auth_message) {
  return Hmac(hash, Hmac(hash, salted_password, "Server Key"), auth_message);
}

std::optional<std::string_view> ScramAttribute(std::string_view message, char name) {
  while (true) {
    const std::string_view one = message.substr(0, message.find(','));
    if (one.size() >= 2 && one[0] == name && one[1] == '=') return one.substr(2);
    if (one.size() == message.size()) return std::nullopt;
    message.remove_prefix(one.size() + 1);
  }
}

std::string ScramName(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '=') {
      result += "=3D";
    } else if (c == ',') {
      result += "=2C";
    } else {
      result += c;
    }
  }
  return result;
}

std::optional<std::string> ScramUnescape(std::string_view base64) {
  std::string bytes;
  if (!absl::Base64Unescape(absl::string_view(base64.data(), base64.size()), &bytes)) return std::nullopt;
  return bytes;
}

std::string ScramEscape(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

}  // namespace ktrial
