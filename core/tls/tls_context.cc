#include "core/tls/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/tls/tls_store.h"

namespace ktrial {
namespace {

// The names of suites as OpenSSL's two lists want them.
struct Suites {
  std::string tls12;
  std::string tls13;
};

// A name of the TLS standard or of OpenSSL as OpenSSL's; empty if it knows none.
std::string OpenSslNameOf(const std::string& name, SSL* probe) {
  const std::string standard = OPENSSL_cipher_name(name.c_str());
  const std::string_view wanted = standard == "(NONE)" ? name : standard;
  const STACK_OF(SSL_CIPHER)* all = SSL_get_ciphers(probe);
  for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
    if (SSL_CIPHER_get_name(sk_SSL_CIPHER_value(all, i)) == wanted) return std::string(wanted);
  }
  return {};
}

absl::StatusOr<Suites> SortSuites(const TlsSettings& settings) {
  // Every suite that OpenSSL would take, also those that it leaves out of its defaults.
  const SslContextPtr context(SSL_CTX_new(TLS_method()));
  KT_CHECK(context != nullptr && SSL_CTX_set_cipher_list(context.get(), "ALL:!aNULL:!eNULL") == 1);
  const SslPtr probe(SSL_new(context.get()));
  Suites suites;
  for (const std::string& given : settings.cipher_suites) {
    const std::string name = OpenSslNameOf(given, probe.get());
    if (name.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("ssl.cipher.suites: \"{}\" is not known, allowed: names of suites of TLS 1.2 and 1.3 (openssl "
                      "ciphers -stdname)",
                      given));
    }
    // The suites of TLS 1.3 have the same name in both worlds.
    std::string& list = name.starts_with("TLS_") ? suites.tls13 : suites.tls12;
    if (!list.empty()) list += ':';
    list += name;
  }
  const bool any = (settings.tls12 && !suites.tls12.empty()) || (settings.tls13 && !suites.tls13.empty());
  if (settings.cipher_suites.empty() || any) return suites;
  return absl::InvalidArgumentError("ssl.cipher.suites has no suite of the protocols in ssl.enabled.protocols");
}

absl::Status Broken(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format("TLS cannot be set up: {}: {}", what, TakeOpenSslError()));
}

}  // namespace

std::optional<TlsProblem> CheckTlsSettings(const TlsSettings& settings) {
  if (!settings.tls12 && !settings.tls13) {
    return TlsProblem{.key = "ssl.enabled.protocols",
                      .text = "ssl.enabled.protocols is empty, allowed: TLSv1.2, TLSv1.3"};
  }
  if (const absl::Status suites = SortSuites(settings).status(); !suites.ok()) {
    return TlsProblem{.key = "ssl.cipher.suites", .text = std::string(suites.message())};
  }
  return CheckTlsStores(settings.trust, settings.own);
}

absl::Status TlsContext::SetProtocols(const TlsSettings& settings) {
  const absl::StatusOr<Suites> suites = SortSuites(settings);
  if (!suites.ok()) return suites.status();
  bool tls12 = settings.tls12;
  bool tls13 = settings.tls13;
  SSL_CTX* context = context_.get();
  if (!settings.cipher_suites.empty()) {
    // A protocol without a suite is as good as disabled.
    tls12 = tls12 && !suites->tls12.empty();
    tls13 = tls13 && !suites->tls13.empty();
    if (tls12 && SSL_CTX_set_cipher_list(context, suites->tls12.c_str()) != 1) return Broken("ssl.cipher.suites");
    if (tls13 && SSL_CTX_set_ciphersuites(context, suites->tls13.c_str()) != 1) return Broken("ssl.cipher.suites");
  }
  KT_CHECK(tls12 || tls13);
  SSL_CTX_set_min_proto_version(context, tls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  SSL_CTX_set_max_proto_version(context, tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  return absl::OkStatus();
}

absl::Status TlsContext::Load(const TlsSettings& settings, Env& env) {
  SSL_CTX* context = context_.get();
  absl::StatusOr<OwnCertificate> own = ReadKeyStore(settings.own, settings.key_password, env, library_->get());
  if (!own.ok()) return own.status();
  KT_CHECK(side_ == TlsSide::kClient || own->key != nullptr);
  if (own->key != nullptr) {
    if (SSL_CTX_use_certificate(context, own->chain.front().get()) != 1 ||
        SSL_CTX_use_PrivateKey(context, own->key.get()) != 1) {
      return Broken("ssl.keystore");
    }
    for (std::size_t i = 1; i < own->chain.size(); ++i) {
      if (SSL_CTX_add1_chain_cert(context, own->chain[i].get()) != 1) return Broken("ssl.keystore");
    }
  }
  const bool has_trust = !settings.trust.location.empty() || !settings.trust.certificates.empty();
  if (side_ == TlsSide::kServer && !has_trust) return absl::OkStatus();
  const absl::StatusOr<std::vector<CertificatePtr>> trusted = ReadTrustStore(settings.trust, env, library_->get());
  if (!trusted.ok()) return trusted.status();
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  for (const CertificatePtr& certificate : *trusted) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) return Broken("ssl.truststore");
  }
  // What is in the store is trusted, whoever signed it, as Java has it: a broker's own certificate may stand there.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (side_ == TlsSide::kServer ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TlsContext>> TlsContext::Create(TlsSide side, const TlsSettings& settings, Env& env,
                                                               std::string_view entity) {
  if (const std::optional<TlsProblem> problem = CheckTlsSettings(settings)) {
    return absl::InvalidArgumentError(problem->text);
  }
  ERR_clear_error();
  absl::StatusOr<std::unique_ptr<TlsLibrary>> library =
      TlsLibrary::Create(env.NewEntropy(std::string(entity) + " tls"));
  if (!library.ok()) return library.status();
  std::unique_ptr<TlsContext> result(new TlsContext(side, settings.verify_host, *std::move(library)));
  const SSL_METHOD* method = side == TlsSide::kClient ? TLS_client_method() : TLS_server_method();
  result->context_.reset(SSL_CTX_new_ex(result->library_->get(), nullptr, method));
  SSL_CTX* context = result->context_.get();
  if (context == nullptr) return Broken("no context");
  // Tickets would bring times of the machine into bytes, and are unread bytes at the end of a connection that only writes.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (absl::Status wrong = result->SetProtocols(settings); !wrong.ok()) return wrong;
  if (absl::Status wrong = result->Load(settings, env); !wrong.ok()) return wrong;
  return result;
}

}  // namespace ktrial
