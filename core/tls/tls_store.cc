#include "core/tls/tls_store.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"

namespace ktrial {
namespace {

// Where the authorities that a system trusts are, by its kind: Debian, Fedora, SUSE, Alpine and the BSDs.
constexpr std::string_view kSystemStores[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                              "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"};

absl::Status Wrong(const std::string& text) { return absl::InvalidArgumentError(text); }

BioPtr Reader(std::string_view bytes) { return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))); }

bool LooksLikePem(std::string_view content) { return content.find("-----BEGIN ") != std::string_view::npos; }
bool LooksLikeJks(std::string_view content) {
  return content.starts_with("\xFE\xED\xFE\xED") || content.starts_with("\xCE\xCE\xCE\xCE");
}

// "ssl.truststore" or "ssl.keystore", and where its content came from, for errors.
struct Source {
  std::string_view prefix;
  std::string place;
};

absl::StatusOr<std::string> ReadLocation(std::string_view prefix, const std::string& path, Env& env) {
  absl::StatusOr<std::string> content = env.ReadFile(path);
  if (content.ok()) return content;
  return Wrong(
      fmt::format("{}.location = \"{}\" cannot be read: {}", prefix, path, std::string(content.status().message())));
}

// Values of properties are often one line, or have blanks where the line ends were; OpenSSL wants lines.
std::string WithLineEnds(std::string_view pem) {
  constexpr std::string_view kDashes = "-----";
  constexpr std::size_t kLine = 64;
  std::string result;
  while (true) {
    // A block is BEGIN, a text, and END, each in dashes.
    const std::size_t begin = pem.find("-----BEGIN ");
    const std::size_t body = begin == std::string_view::npos ? begin : pem.find(kDashes, begin + kDashes.size());
    const std::size_t end = body == std::string_view::npos ? body : pem.find("-----END ", body + kDashes.size());
    const std::size_t last = end == std::string_view::npos ? end : pem.find(kDashes, end + kDashes.size());
    if (last == std::string_view::npos) return result.append(pem);
    std::string_view text = pem.substr(body + kDashes.size(), end - body - kDashes.size());
    const std::string_view head = pem.substr(begin, body + kDashes.size() - begin);
    const std::string_view tail = pem.substr(end, last + kDashes.size() - end);
    pem.remove_prefix(last + kDashes.size());
    result.append(head) += '\n';
    if (text.find(':') != std::string_view::npos) {
      result.append(text).append(tail) += '\n';  // It has headers, which are lines.
      continue;
    }
    std::size_t column = 0;
    for (const char c : text) {
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
      result += c;
      if (++column % kLine == 0) result += '\n';
    }
    if (column % kLine != 0) result += '\n';
    result.append(tail) += '\n';
  }
}

absl::StatusOr<std::vector<CertificatePtr>> ParseCertificates(std::string_view pem, const Source& source,
                                                              OSSL_LIB_CTX* library) {
  const std::string lines = WithLineEnds(pem);
  const BioPtr reader = Reader(lines);
  std::vector<CertificatePtr> certificates;
  ERR_clear_error();
  while (true) {
    CertificatePtr certificate(X509_new_ex(library, nullptr));
    X509* slot = certificate.release();
    const bool read = PEM_read_bio_X509(reader.get(), &slot, nullptr, nullptr) != nullptr;
    // Where it fails it has freed what it was given, and says so, or has not come so far.
    certificate.reset(slot);
    if (!read) break;
    certificates.push_back(std::move(certificate));
  }
  const unsigned long error = ERR_peek_error();
  const bool at_end = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) return Wrong(fmt::format("{} has a certificate that is broken: {}", source.place, TakeOpenSslError()));
  ERR_clear_error();
  if (certificates.empty()) {
    return Wrong(fmt::format("{} has no certificate, allowed: PEM with -----BEGIN CERTIFICATE-----", source.place));
  }
  return certificates;
}

// Without a password an encrypted key is an error: nobody is asked on a terminal.
int GivePassword(char* buffer, int size, int /*writing*/, void* password) {
  const auto& text = *static_cast<std::string_view*>(password);
  if (text.empty() || text.size() > static_cast<std::size_t>(size)) return -1;
  std::memcpy(buffer, text.data(), text.size());
  return static_cast<int>(text.size());
}

absl::StatusOr<KeyPtr> ParseKey(std::string_view pem, std::string_view password, const Source& source,
                                OSSL_LIB_CTX* library) {
  const std::string lines = WithLineEnds(pem);
  const BioPtr reader = Reader(lines);
  ERR_clear_error();
  KeyPtr key(PEM_read_bio_PrivateKey_ex(reader.get(), nullptr, &GivePassword, &password, library, nullptr));
  if (key != nullptr) return key;
  const std::string error = TakeOpenSslError();
  if (pem.find("PRIVATE KEY-----") == std::string_view::npos) {
    return Wrong(fmt::format("{} has no private key, allowed: PEM with -----BEGIN PRIVATE KEY-----", source.place));
  }
  const bool encrypted = pem.find("ENCRYPTED") != std::string_view::npos;
  if (encrypted && password.empty()) {
    return Wrong(fmt::format("{} has an encrypted private key: ssl.key.password is needed", source.place));
  }
  return Wrong(fmt::format("{} has a private key that cannot be read{}: {}", source.place,
                           encrypted ? " with ssl.key.password" : "", error));
}

struct Pkcs12Content {
  KeyPtr key;
  std::vector<CertificatePtr> certificates;
};

absl::StatusOr<Pkcs12Content> ParsePkcs12(std::string_view content, const std::string& password, const Source& source,
                                          OSSL_LIB_CTX* library) {
  const BioPtr reader = Reader(content);
  ERR_clear_error();
  Pkcs12Ptr file(PKCS12_init_ex(NID_pkcs7_data, library, nullptr));
  PKCS12* slot = file.release();
  const bool read = d2i_PKCS12_bio(reader.get(), &slot) != nullptr;
  file.reset(slot);
  if (!read) {
    ERR_clear_error();
    return Wrong(fmt::format("{} is not a PKCS12 file", source.place));
  }
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* others = nullptr;
  const int parsed =
      PKCS12_parse(file.get(), password.empty() ? nullptr : password.c_str(), &key, &certificate, &others);
  if (parsed == 0) {
    const int reason = ERR_GET_REASON(ERR_peek_error());
    const std::string error = TakeOpenSslError();
    if (reason == PKCS12_R_MAC_VERIFY_FAILURE) {
      return Wrong(fmt::format("{} does not open {}: {}.password is {}", source.place,
                               password.empty() ? "without a password" : "with the password that was given",
                               source.prefix, password.empty() ? "needed" : "wrong"));
    }
    return Wrong(
        fmt::format("{} cannot be read: {}; if its encryption is an old one, write it again: keytool -importkeystore "
                    "-srckeystore OLD -destkeystore NEW -deststoretype PKCS12",
                    source.place, error));
  }
  Pkcs12Content result;
  result.key.reset(key);
  if (certificate != nullptr) result.certificates.emplace_back(certificate);
  while (sk_X509_num(others) > 0) result.certificates.emplace_back(sk_X509_shift(others));
  sk_X509_free(others);
  return result;
}

// Whether the content of a file is what the settings say. After that it is PEM, or else PKCS12.
absl::Status CheckContent(std::string_view content, const TlsStore& store, const Source& source) {
  if (LooksLikeJks(content)) {
    return Wrong(fmt::format(
        "{0} is a JKS file, which only Java can read, allowed: PEM or PKCS12. Convert it: keytool -importkeystore "
        "-srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12, then {1}.type = PKCS12",
        source.place, source.prefix));
  }
  const bool pem = LooksLikePem(content);
  if (pem && store.type == TlsStoreType::kPkcs12) {
    return Wrong(fmt::format("{} is PEM, but {}.type is PKCS12", source.place, source.prefix));
  }
  if (!pem && store.type == TlsStoreType::kPem) {
    return Wrong(fmt::format("{} is not PEM, but {}.type is", source.place, source.prefix));
  }
  if (pem && !store.password.empty()) {
    return Wrong(fmt::format("{} is PEM, for which {}.password has no meaning", source.place, source.prefix));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<CertificatePtr>> ReadSystemStore(Env& env, OSSL_LIB_CTX* library) {
  for (const std::string_view path : kSystemStores) {
    const absl::StatusOr<std::string> content = env.ReadFile(path);
    if (content.ok())
      return ParseCertificates(*content, {.prefix = "ssl.truststore", .place = std::string(path)}, library);
  }
  return Wrong(fmt::format("the system's certificate authorities are not found ({}): ssl.truststore.location is needed",
                           fmt::join(kSystemStores, ", ")));
}

absl::StatusOr<OwnCertificate> ReadOwnPem(std::string_view key_pem, const Source& key_source,
                                          std::string_view chain_pem, const Source& chain_source,
                                          std::string_view key_password, OSSL_LIB_CTX* library) {
  absl::StatusOr<KeyPtr> key = ParseKey(key_pem, key_password, key_source, library);
  if (!key.ok()) return key.status();
  absl::StatusOr<std::vector<CertificatePtr>> chain = ParseCertificates(chain_pem, chain_source, library);
  if (!chain.ok()) return chain.status();
  return OwnCertificate{.key = *std::move(key), .chain = *std::move(chain)};
}

absl::Status CheckPair(const OwnCertificate& own, const std::string& place) {
  if (X509_check_private_key(own.chain.front().get(), own.key.get()) == 1) return absl::OkStatus();
  ERR_clear_error();
  return Wrong(fmt::format("{}: the first certificate is not that of the private key", place));
}

std::optional<TlsProblem> CheckTrust(const TlsStore& store) {
  const auto problem = [](const std::string& key, std::string_view text) {
    return TlsProblem{.key = key, .text = fmt::format("{} {}", key, text)};
  };
  if (!store.certificates.empty()) {
    const std::string key = "ssl.truststore.certificates";
    if (store.type == TlsStoreType::kPkcs12) return problem(key, "needs ssl.truststore.type = PEM");
    if (!store.location.empty()) return problem(key, "is given beside ssl.truststore.location, allowed: one of them");
  }
  if (store.password.empty()) return std::nullopt;
  const std::string key = "ssl.truststore.password";
  if (store.type == TlsStoreType::kPem) return problem(key, "has no meaning with ssl.truststore.type = PEM");
  if (store.location.empty()) return problem(key, "is given without ssl.truststore.location");
  return std::nullopt;
}

std::optional<TlsProblem> CheckOwn(const TlsStore& store) {
  const auto problem = [](const std::string& key, std::string_view text) {
    return TlsProblem{.key = key, .text = fmt::format("{} {}", key, text)};
  };
  const std::string chain = "ssl.keystore.certificate.chain";
  const std::string key = "ssl.keystore.key";
  if (store.key.empty() && !store.certificates.empty()) return problem(chain, "is given without ssl.keystore.key");
  if (!store.key.empty()) {
    if (store.certificates.empty()) return problem(key, "is given without ssl.keystore.certificate.chain");
    if (store.type == TlsStoreType::kPkcs12) return problem(key, "needs ssl.keystore.type = PEM");
    if (!store.location.empty()) return problem(key, "is given beside ssl.keystore.location, allowed: one of them");
  }
  if (store.password.empty()) return std::nullopt;
  const std::string password = "ssl.keystore.password";
  if (store.type == TlsStoreType::kPem) {
    return problem(password, "has no meaning with ssl.keystore.type = PEM: ssl.key.password is for the key");
  }
  if (store.location.empty()) return problem(password, "is given without ssl.keystore.location");
  return std::nullopt;
}

}  // namespace

std::optional<TlsProblem> CheckTlsStores(const TlsStore& trust, const TlsStore& own) {
  const std::optional<TlsProblem> problem = CheckTrust(trust);
  return problem.has_value() ? problem : CheckOwn(own);
}

absl::StatusOr<std::vector<CertificatePtr>> ReadTrustStore(const TlsStore& store, Env& env, OSSL_LIB_CTX* library) {
  constexpr std::string_view kPrefix = "ssl.truststore";
  if (!store.certificates.empty()) {
    return ParseCertificates(store.certificates, {.prefix = kPrefix, .place = "ssl.truststore.certificates"}, library);
  }
  if (store.location.empty()) return ReadSystemStore(env, library);
  const absl::StatusOr<std::string> content = ReadLocation(kPrefix, store.location, env);
  if (!content.ok()) return content.status();
  const Source source{.prefix = kPrefix, .place = fmt::format("ssl.truststore.location = \"{}\"", store.location)};
  if (absl::Status wrong = CheckContent(*content, store, source); !wrong.ok()) return wrong;
  if (LooksLikePem(*content)) return ParseCertificates(*content, source, library);
  absl::StatusOr<Pkcs12Content> parsed = ParsePkcs12(*content, store.password, source, library);
  if (!parsed.ok()) return parsed.status();
  if (parsed->certificates.empty()) return Wrong(fmt::format("{} has no certificate", source.place));
  return std::move(parsed->certificates);
}

absl::StatusOr<OwnCertificate> ReadKeyStore(const TlsStore& store, std::string_view key_password, Env& env,
                                            OSSL_LIB_CTX* library) {
  constexpr std::string_view kPrefix = "ssl.keystore";
  absl::StatusOr<OwnCertificate> own = OwnCertificate();
  if (!store.key.empty()) {
    own = ReadOwnPem(store.key, {.prefix = kPrefix, .place = "ssl.keystore.key"}, store.certificates,
                     {.prefix = kPrefix, .place = "ssl.keystore.certificate.chain"}, key_password, library);
    if (!own.ok()) return own;
    if (absl::Status wrong = CheckPair(*own, "ssl.keystore.certificate.chain"); !wrong.ok()) return wrong;
    return own;
  }
  if (store.location.empty()) return own;
  const absl::StatusOr<std::string> content = ReadLocation(kPrefix, store.location, env);
  if (!content.ok()) return content.status();
  const Source source{.prefix = kPrefix, .place = fmt::format("ssl.keystore.location = \"{}\"", store.location)};
  if (absl::Status wrong = CheckContent(*content, store, source); !wrong.ok()) return wrong;
  if (LooksLikePem(*content)) {
    own = ReadOwnPem(*content, source, *content, source, key_password, library);
  } else {
    absl::StatusOr<Pkcs12Content> parsed = ParsePkcs12(*content, store.password, source, library);
    if (!parsed.ok()) return parsed.status();
    if (parsed->key == nullptr || parsed->certificates.empty()) {
      return Wrong(fmt::format("{} has no private key with a certificate", source.place));
    }
    own = OwnCertificate{.key = std::move(parsed->key), .chain = std::move(parsed->certificates)};
  }
  if (!own.ok()) return own;
  if (absl::Status wrong = CheckPair(*own, source.place); !wrong.ok()) return wrong;
  return own;
}

}  // namespace ktrial
