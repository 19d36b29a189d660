#include "core/tls/tls_stream.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

bool IsIpLiteral(const std::string& host) {
  ASN1_OCTET_STRING* address = a2i_IPADDRESS(host.c_str());
  ASN1_OCTET_STRING_free(address);
  ERR_clear_error();
  return address != nullptr;
}

// The absolute form of a name ends with a dot; certificates have it without.
std::string_view WithoutLastDot(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

BioPtr Writer() { return BioPtr(BIO_new(BIO_s_mem())); }

std::string SubjectOf(X509* certificate) {
  const BioPtr out = Writer();
  X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  return TextOf(out.get());
}

std::string TimeText(const ASN1_TIME* time) {
  const BioPtr out = Writer();
  ASN1_TIME_print(out.get(), time);
  return TextOf(out.get());
}

// "DNS:b.example, IP Address:10.0.0.1".
std::string NamesOf(X509* certificate) {
  const int index = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (index < 0) return "no host but its common name";
  const BioPtr out = Writer();
  X509V3_EXT_print(out.get(), X509_get_ext(certificate, index), 0, 0);
  return TextOf(out.get());
}

}  // namespace

TlsStream::TlsStream(const TlsContext& context, std::string_view host, WallTime now)
    : context_(context), host_(WithoutLastDot(host)), ssl_(SSL_new(context.get())) {
  KT_CHECK(ssl_ != nullptr);
  incoming_ = BIO_new(BIO_s_mem());
  outgoing_ = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl_.get(), incoming_, outgoing_);
  SSL_set_app_data(ssl_.get(), this);
  SSL_set_verify(ssl_.get(), SSL_get_verify_mode(ssl_.get()), &OnVerified);
  X509_VERIFY_PARAM* checks = SSL_get0_param(ssl_.get());
  X509_VERIFY_PARAM_set_time(checks, static_cast<std::time_t>(now.millis() / 1000));
  if (context.side() == TlsSide::kServer) {
    SSL_set_accept_state(ssl_.get());
    return;
  }
  SSL_set_connect_state(ssl_.get());
  const bool is_ip = IsIpLiteral(host_);
  if (!is_ip && !host_.empty()) SSL_set_tlsext_host_name(ssl_.get(), host_.c_str());
  if (!context.verify_host()) return;
  X509_VERIFY_PARAM_set_hostflags(checks, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int set = is_ip ? X509_VERIFY_PARAM_set1_ip_asc(checks, host_.c_str())
                        : X509_VERIFY_PARAM_set1_host(checks, host_.data(), host_.size());
  if (set == 1 && !host_.empty()) return;
  // A broker may be said to be anywhere.
  ERR_clear_error();
  end_ = State::kFailed;
  failure_ = "no certificate can be for a host without a name, or with a zero byte in it";
}

void TlsStream::Feed(std::string_view bytes) {
  KT_CHECK(BIO_write(incoming_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size()));
}

std::string_view TlsStream::Outgoing() const {
  char* data = nullptr;
  const long size = BIO_get_mem_data(outgoing_, &data);
  return size <= 0 ? std::string_view() : std::string_view(data, static_cast<std::size_t>(size)).substr(sent_);
}

void TlsStream::Sent(std::size_t count) {
  const std::size_t left = Outgoing().size();
  KT_CHECK(count <= left);
  sent_ += count;
  if (count < left) return;
  sent_ = 0;
  KT_CHECK(BIO_reset(outgoing_) == 1);
}

TlsStream::Handshake TlsStream::Shake() {
  if (end_.has_value()) return Handshake::kFailed;
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) return Handshake::kDone;
  if (Judge(result) == State::kNeedsBytes) return Handshake::kGoesOn;
  if (failure_.empty()) failure_ = "the peer ended the TLS handshake";
  end_ = State::kFailed;
  return Handshake::kFailed;
}

IoResult TlsStream::Read(std::span<char> buffer) {
  if (end_.has_value()) return {IoResult::Kind::kEnded, 0};
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_read_ex(ssl_.get(), buffer.data(), buffer.size(), &count);
  if (result == 1) return {IoResult::Kind::kBytes, count};
  return {Judge(result) == State::kNeedsBytes ? IoResult::Kind::kWouldBlock : IoResult::Kind::kEnded, 0};
}

TlsStream::State TlsStream::Look() {
  if (end_.has_value()) return *end_;
  if (SSL_pending(ssl_.get()) > 0) return State::kHasBytes;
  if (BIO_ctrl_pending(incoming_) == 0) return State::kNeedsBytes;
  ERR_clear_error();
  char byte = 0;
  std::size_t count = 0;
  const int result = SSL_peek_ex(ssl_.get(), &byte, 1, &count);
  return result == 1 ? State::kHasBytes : Judge(result);
}

bool TlsStream::Write(std::string_view bytes) {
  KT_CHECK(!bytes.empty() && bytes.size() <= kRecordBytes && Outgoing().empty());
  if (end_ == State::kFailed) return false;
  ERR_clear_error();
  std::size_t count = 0;
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  if (result == 1) return true;
  // Memory is always there to be written to, so it is never for want of anything.
  KT_CHECK(Judge(result) == State::kFailed);
  return false;
}

void TlsStream::SayGoodbye() {
  if (end_ == State::kFailed || SSL_is_init_finished(ssl_.get()) == 0) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

TlsStream::State TlsStream::Judge(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return State::kNeedsBytes;
  if (error == SSL_ERROR_ZERO_RETURN) {
    end_ = State::kEnd;
  } else {
    end_ = State::kFailed;
    failure_ = FailureText();
  }
  return *end_;
}

std::string TlsStream::FailureText() {
  const int reason = ERR_GET_REASON(ERR_peek_error());
  const std::string error = TakeOpenSslError();
  if (!refusal_.empty()) return refusal_;
  if (reason > SSL_AD_REASON_OFFSET) {
    // This one has no name in OpenSSL 3.0.
    std::string text =
        fmt::format("the peer refused: {}", reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED
                                                ? "certificate required"
                                                : SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
    const bool client = context_.side() == TlsSide::kClient;
    const bool of_certificate =
        reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE || reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN ||
        reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA || reason == SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED ||
        reason == SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED;
    if (client && of_certificate) text += ", of the certificate of this client (ssl.keystore.*)";
    return text;
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
    return fmt::format("what the peer says is not TLS ({}): is it another listener?", error);
  }
  if (reason == SSL_R_NO_SHARED_CIPHER || reason == SSL_R_UNSUPPORTED_PROTOCOL) {
    return fmt::format("{} (ssl.enabled.protocols, ssl.cipher.suites)", error);
  }
  return error;
}

int TlsStream::OnVerified(int ok, X509_STORE_CTX* verification) {
  if (ok == 1) return ok;
  const auto* ssl =
      static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()));
  static_cast<TlsStream*>(SSL_get_app_data(ssl))->Explain(verification);
  return ok;
}

void TlsStream::Explain(X509_STORE_CTX* verification) {
  if (!refusal_.empty()) return;  // The first is the cause.
  const int error = X509_STORE_CTX_get_error(verification);
  X509* certificate = X509_STORE_CTX_get_current_cert(verification);
  const bool server = context_.side() == TlsSide::kServer;
  refusal_ = fmt::format("the certificate of {}{} is not valid: {}", server ? "the client" : host_,
                         certificate == nullptr ? "" : fmt::format(" ({})", SubjectOf(certificate)),
                         X509_verify_cert_error_string(error));
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      refusal_ += fmt::format(", on {}", TimeText(X509_get0_notAfter(certificate)));
      break;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      refusal_ += fmt::format(", but from {}", TimeText(X509_get0_notBefore(certificate)));
      break;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      refusal_ += fmt::format(", it is for {} (ssl.endpoint.identification.algorithm)", NamesOf(certificate));
      break;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      refusal_ += ", nothing in ssl.truststore vouches for it";
      break;
    default:
      break;
  }
}

}  // namespace ktrial
