#include "core/tls/tls_library.h"

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/rand.h>

#include <cstddef>
#include <span>
#include <utility>

#include "absl/status/status.h"

namespace ktrial {
namespace {

// A provider of OpenSSL with one algorithm: a random generator that asks an Entropy. provider-rand(7) has the contract.
constexpr char kProviderName[] = "ktrial-entropy";
constexpr char kGeneratorName[] = "KTRIAL-ENTROPY";
constexpr char kProperties[] = "provider=ktrial-entropy";
// Enough for keys of every suite; OpenSSL asks for it before it trusts a generator.
constexpr unsigned int kStrengthBits = 256;
constexpr std::size_t kRequestBytesMax = 1 << 16;

struct Provider {
  Entropy* entropy = nullptr;
};
struct Generator {
  Provider* provider = nullptr;
  int state = EVP_RAND_STATE_UNINITIALISED;
};

void* NewGenerator(void* provider, void* /*parent*/, const OSSL_DISPATCH* /*parent_functions*/) {
  return new Generator{.provider = static_cast<Provider*>(provider)};
}
void FreeGenerator(void* generator) { delete static_cast<Generator*>(generator); }

int Instantiate(void* generator, unsigned int strength, int, const unsigned char*, std::size_t, const OSSL_PARAM[]) {
  static_cast<Generator*>(generator)->state = EVP_RAND_STATE_READY;
  return strength <= kStrengthBits ? 1 : 0;
}
int Uninstantiate(void* generator) {
  static_cast<Generator*>(generator)->state = EVP_RAND_STATE_UNINITIALISED;
  return 1;
}

int Generate(void* generator, unsigned char* out, std::size_t size, unsigned int strength, int, const unsigned char*,
             std::size_t) {
  Entropy* entropy = static_cast<Generator*>(generator)->provider->entropy;
  if (entropy == nullptr || strength > kStrengthBits) return 0;
  entropy->Secret(std::span<char>(reinterpret_cast<char*>(out), size));
  return 1;
}

// The Entropy is thread-safe, so there is nothing to lock.
int EnableLocking(void*) { return 1; }
int Lock(void*) { return 1; }
void Unlock(void*) {}

const OSSL_PARAM* GettableParameters(void*, void*) {
  static constexpr OSSL_PARAM kParameters[] = {OSSL_PARAM_int(OSSL_RAND_PARAM_STATE, nullptr),
                                               OSSL_PARAM_uint(OSSL_RAND_PARAM_STRENGTH, nullptr),
                                               OSSL_PARAM_size_t(OSSL_RAND_PARAM_MAX_REQUEST, nullptr), OSSL_PARAM_END};
  return kParameters;
}

int GetParameters(void* generator, OSSL_PARAM parameters[]) {
  OSSL_PARAM* found = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_STATE);
  if (found != nullptr && OSSL_PARAM_set_int(found, static_cast<Generator*>(generator)->state) == 0) return 0;
  found = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_STRENGTH);
  if (found != nullptr && OSSL_PARAM_set_uint(found, kStrengthBits) == 0) return 0;
  found = OSSL_PARAM_locate(parameters, OSSL_RAND_PARAM_MAX_REQUEST);
  return found == nullptr || OSSL_PARAM_set_size_t(found, kRequestBytesMax) != 0;
}

// OpenSSL keeps all functions as pointers to void(), and calls each as what its number says.
template <class Function>
constexpr OSSL_DISPATCH Entry(int number, Function* function) {
  return {number, reinterpret_cast<void (*)()>(function)};
}

const OSSL_ALGORITHM* Algorithms(void*, int operation, int* no_store) {
  static const OSSL_DISPATCH kFunctions[] = {
      Entry(OSSL_FUNC_RAND_NEWCTX, &NewGenerator),
      Entry(OSSL_FUNC_RAND_FREECTX, &FreeGenerator),
      Entry(OSSL_FUNC_RAND_INSTANTIATE, &Instantiate),
      Entry(OSSL_FUNC_RAND_UNINSTANTIATE, &Uninstantiate),
      Entry(OSSL_FUNC_RAND_GENERATE, &Generate),
      Entry(OSSL_FUNC_RAND_ENABLE_LOCKING, &EnableLocking),
      Entry(OSSL_FUNC_RAND_LOCK, &Lock),
      Entry(OSSL_FUNC_RAND_UNLOCK, &Unlock),
      Entry(OSSL_FUNC_RAND_GETTABLE_CTX_PARAMS, &GettableParameters),
      Entry(OSSL_FUNC_RAND_GET_CTX_PARAMS, &GetParameters),
      {0, nullptr},
  };
  static const OSSL_ALGORITHM kAlgorithms[] = {{kGeneratorName, kProperties, kFunctions, "bytes of an Entropy"},
                                               {nullptr, nullptr, nullptr, nullptr}};
  *no_store = 0;
  return operation == OSSL_OP_RAND ? kAlgorithms : nullptr;
}

void Teardown(void* provider) { delete static_cast<Provider*>(provider); }

int Initialise(const OSSL_CORE_HANDLE*, const OSSL_DISPATCH*, const OSSL_DISPATCH** out, void** provider) {
  static const OSSL_DISPATCH kFunctions[] = {
      Entry(OSSL_FUNC_PROVIDER_TEARDOWN, &Teardown),
      Entry(OSSL_FUNC_PROVIDER_QUERY_OPERATION, &Algorithms),
      {0, nullptr},
  };
  *provider = new Provider;
  *out = kFunctions;
  return 1;
}

absl::Status Broken(std::string_view what) {
  return absl::InternalError(std::string("OpenSSL cannot be used: ").append(what).append(": ") + TakeOpenSslError());
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsLibrary>> TlsLibrary::Create(std::unique_ptr<Entropy> entropy) {
  std::unique_ptr<TlsLibrary> result(new TlsLibrary(std::move(entropy)));
  result->library_.reset(OSSL_LIB_CTX_new());
  OSSL_LIB_CTX* library = result->library_.get();
  if (library == nullptr) return Broken("no library context");
  result->algorithms_.reset(OSSL_PROVIDER_load(library, "default"));
  if (result->algorithms_ == nullptr) return Broken("no default provider");
  if (OSSL_PROVIDER_add_builtin(library, kProviderName, &Initialise) == 0) return Broken("no provider of randomness");
  result->randomness_.reset(OSSL_PROVIDER_load(library, kProviderName));
  if (result->randomness_ == nullptr) return Broken("no provider of randomness");
  static_cast<Provider*>(OSSL_PROVIDER_get0_provider_ctx(result->randomness_.get()))->entropy = result->entropy_.get();
  // Before the first draw: OpenSSL makes its generators then, and keeps them.
  if (RAND_set_DRBG_type(library, kGeneratorName, kProperties, nullptr, nullptr) == 0) return Broken("no generator");
  return result;
}

}  // namespace ktrial
