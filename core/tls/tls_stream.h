// TlsStream is one TLS connection without a network: bytes of the peer go in, bytes for the peer come out, and between them is what
// the application says and hears. OpenSSL on memory BIOs.
#ifndef CORE_TLS_TLS_STREAM_H_
#define CORE_TLS_TLS_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/env/clock.h"
#include "core/env/transport.h"
#include "core/tls/tls_context.h"

namespace ktrial {

// Thread safety: none.
class TlsStream {
 public:
  // As much as one record of TLS holds.
  static constexpr std::size_t kRecordBytes = 16384;

  // `host` is the name or the IP literal that the peer's certificate must be for; of no meaning to a server. Certificates are judged
  // at the time of day `now`. The context outlives this.
  TlsStream(const TlsContext& context, std::string_view host, WallTime now);
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // What has come from the peer.
  void Feed(std::string_view bytes);
  // What is to be sent to it; good until the next call of anything but this. Sent(n): the first n bytes of it were taken.
  std::string_view Outgoing() const;
  void Sent(std::size_t count);

  // Goes on as far as what was fed allows. Also a failed one has something to send: the alert.
  enum class Handshake : std::uint8_t { kGoesOn, kDone, kFailed };
  Handshake Shake();

  // After the handshake. kNeedsBytes: only Feed can change that. kEnd: the peer said good bye. kFailed: see failure(). The last two
  // are for ever.
  IoResult Read(std::span<char> buffer);
  enum class State : std::uint8_t { kNeedsBytes, kHasBytes, kEnd, kFailed };
  // What Read would find.
  State Look();
  // At most kRecordBytes, not empty, and nothing may be left in Outgoing. False: see failure().
  bool Write(std::string_view bytes);
  // Adds the good bye to Outgoing, if the handshake is done and nothing failed.
  void SayGoodbye();

  // Why it failed, for a user: "the certificate of b.example (CN = b) is not valid: certificate has expired, on ...".
  const std::string& failure() const { return failure_; }

 private:
  static int OnVerified(int ok, X509_STORE_CTX* verification);
  void Explain(X509_STORE_CTX* verification);
  // Notes what went wrong with an operation that returned `result` <= 0.
  State Judge(int result);
  std::string FailureText();

  const TlsContext& context_;
  const std::string host_;
  SslPtr ssl_;
  BIO* incoming_;  // Both belong to ssl_.
  BIO* outgoing_;
  std::size_t sent_ = 0;      // Bytes of outgoing_ that were taken already.
  std::optional<State> end_;  // kEnd or kFailed: they stay.
  std::string refusal_;       // What is wrong with the peer's certificate.
  std::string failure_;
};

}  // namespace ktrial

#endif  // CORE_TLS_TLS_STREAM_H_
