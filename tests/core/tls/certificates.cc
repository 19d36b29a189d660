#include "tests/core/tls/certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <utility>

#include "core/check.h"
#include "core/env/entropy.h"

namespace ktrial::testing {
namespace {

// Bytes that follow from how many were drawn before: good for nothing but tests.
class CountingEntropy final : public Entropy {
 public:
  std::uint64_t Next(DrawPurpose) override { return ++state_; }
  void Secret(std::span<char> bytes) override {
    for (char& byte : bytes) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<char>(state_ >> 56);
    }
  }

 private:
  std::uint64_t state_ = 1;
};

std::unique_ptr<TlsLibrary> NewLibrary() {
  auto library = TlsLibrary::Create(std::make_unique<CountingEntropy>());
  KT_CHECK_MSG(library.ok(), std::string(library.status().message()));
  return *std::move(library);
}

BioPtr Memory() { return BioPtr(BIO_new(BIO_s_mem())); }

void AddName(X509_NAME* name, const std::string& text) {
  KT_CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text.data()),
                                      static_cast<int>(text.size()), -1, 0) == 1);
}

void AddExtension(X509* certificate, int id, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
  KT_CHECK(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestAuthority::TestAuthority(std::string_view name) : library_(NewLibrary()), name_(name) {
  own_ = Make({.common_name = name_, .names = ""}, name_, nullptr);
}

IssuedCertificate TestAuthority::Make(const CertificateSpec& spec, const std::string& issuer, EVP_PKEY* issuer_key) {
  const KeyPtr key(EVP_PKEY_Q_keygen(library_->get(), nullptr, "EC", "P-256"));
  const CertificatePtr certificate(X509_new_ex(library_->get(), nullptr));
  KT_CHECK(key != nullptr && certificate != nullptr);
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), ++serial_);
  ASN1_TIME_set(X509_getm_notBefore(certificate.get()), spec.from);
  ASN1_TIME_set(X509_getm_notAfter(certificate.get()), spec.until);
  AddName(X509_get_subject_name(certificate.get()), spec.common_name);
  AddName(X509_get_issuer_name(certificate.get()), issuer);
  X509_set_pubkey(certificate.get(), key.get());
  if (issuer_key == nullptr) AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  if (!spec.names.empty()) AddExtension(certificate.get(), NID_subject_alt_name, spec.names);
  KT_CHECK(X509_sign(certificate.get(), issuer_key == nullptr ? key.get() : issuer_key, EVP_sha256()) > 0);
  const BioPtr certificate_pem = Memory();
  const BioPtr key_pem = Memory();
  KT_CHECK(PEM_write_bio_X509(certificate_pem.get(), certificate.get()) == 1);
  KT_CHECK(PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return {.certificate = TextOf(certificate_pem.get()), .key = TextOf(key_pem.get())};
}

KeyPtr TestAuthority::ReadKey(const std::string& pem) {
  const BioPtr reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  KeyPtr key(PEM_read_bio_PrivateKey_ex(reader.get(), nullptr, nullptr, nullptr, library_->get(), nullptr));
  KT_CHECK(key != nullptr);
  return key;
}

CertificatePtr TestAuthority::ReadCertificate(const std::string& pem) {
  const BioPtr reader(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  CertificatePtr certificate(PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr));
  KT_CHECK(certificate != nullptr);
  return certificate;
}

IssuedCertificate TestAuthority::Issue(const CertificateSpec& spec) {
  const KeyPtr key = ReadKey(own_.key);
  return Make(spec, name_, key.get());
}

TlsSettings TestAuthority::Server(const CertificateSpec& spec) {
  IssuedCertificate issued = Issue(spec);
  return {
      .own = {.type = TlsStoreType::kPem, .certificates = std::move(issued.certificate), .key = std::move(issued.key)}};
}

TlsSettings TestAuthority::Client() const {
  return {.trust = {.type = TlsStoreType::kPem, .certificates = own_.certificate}};
}

std::string TestAuthority::Pkcs12(const IssuedCertificate& issued, const std::string& password) {
  const KeyPtr key = ReadKey(issued.key);
  const CertificatePtr certificate = ReadCertificate(issued.certificate);
  const Pkcs12Ptr file(PKCS12_create(password.c_str(), "one", key.get(), certificate.get(), nullptr, 0, 0, 0, 0, 0));
  const BioPtr out = Memory();
  KT_CHECK(file != nullptr && i2d_PKCS12_bio(out.get(), file.get()) == 1);
  return TextOf(out.get());
}

std::string TestAuthority::Pkcs12OfAuthority(const std::string& password) {
  const CertificatePtr certificate = ReadCertificate(own_.certificate);
  STACK_OF(X509)* others = sk_X509_new_null();
  sk_X509_push(others, certificate.get());
  const Pkcs12Ptr file(PKCS12_create(password.c_str(), nullptr, nullptr, nullptr, others, 0, 0, 0, 0, 0));
  sk_X509_free(others);
  const BioPtr out = Memory();
  KT_CHECK(file != nullptr && i2d_PKCS12_bio(out.get(), file.get()) == 1);
  return TextOf(out.get());
}

std::string TestAuthority::EncryptedKey(const IssuedCertificate& issued, const std::string& password) {
  const KeyPtr key = ReadKey(issued.key);
  const BioPtr out = Memory();
  KT_CHECK(PEM_write_bio_PKCS8PrivateKey(out.get(), key.get(), EVP_aes_256_cbc(), password.data(),
                                         static_cast<int>(password.size()), nullptr, nullptr) == 1);
  return TextOf(out.get());
}

}  // namespace ktrial::testing
