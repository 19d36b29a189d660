// What every user of OpenSSL here needs: handles that free themselves, and its errors as text.
#ifndef CORE_TLS_OPENSSL_H_
#define CORE_TLS_OPENSSL_H_

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace ktrial {

template <auto kFree>
struct OpenSslFree {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

using BioPtr = std::unique_ptr<BIO, OpenSslFree<&BIO_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree<&EVP_PKEY_free>>;
using CertificatePtr = std::unique_ptr<X509, OpenSslFree<&X509_free>>;
using Pkcs12Ptr = std::unique_ptr<PKCS12, OpenSslFree<&PKCS12_free>>;
using LibraryPtr = std::unique_ptr<OSSL_LIB_CTX, OpenSslFree<&OSSL_LIB_CTX_free>>;
using ProviderPtr = std::unique_ptr<OSSL_PROVIDER, OpenSslFree<&OSSL_PROVIDER_unload>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, OpenSslFree<&SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpenSslFree<&SSL_free>>;

// Why the last call failed, as OpenSSL puts it ("bad decrypt"), and forgets all errors of this thread. Never empty. A fiber must
// come here without a scheduling point after the call: the errors belong to the OS thread.
std::string TakeOpenSslError();

// What was written to a memory BIO.
std::string TextOf(BIO* bio);

}  // namespace ktrial

#endif  // CORE_TLS_OPENSSL_H_
