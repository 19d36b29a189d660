// What a fake broker knows of who its clients are: the server's half of PLAIN and SCRAM, and the state of one connection.
//
// Brokers ask for it if sasl.enabled.mechanisms is set. Every user may use every mechanism.
#ifndef SIM_BROKER_SASL_H_
#define SIM_BROKER_SASL_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/env/clock.h"

namespace ktrial::sim {

// Who may come in, and how.
struct SaslAccess {
  std::vector<std::string> mechanisms;                    // sasl.enabled.mechanisms; empty: nobody is asked.
  std::map<std::string, std::string, std::less<>> users;  // Password by name: user_NAME="..." of sasl.jaas.config.
  Duration session = Duration::zero();                    // connections.max.reauth.ms; 0: without end.

  bool required() const { return !mechanisms.empty(); }
  bool Has(std::string_view mechanism) const;
};
// "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512".
bool IsSaslMechanism(std::string_view name);
// The users of `org.apache...PlainLoginModule required user_alice="secret" user_bob="...";`; nullopt: it is not of that form.
std::optional<std::map<std::string, std::string, std::less<>>> ParseSaslUsers(std::string_view jaas);

// One exchange of messages of a mechanism.
class SaslServer {
 public:
  enum class Step { kGoesOn, kDone, kRefused };
  virtual ~SaslServer() = default;
  // Takes a message of the client; `answer` gets what is said to it.
  virtual Step Next(std::string_view message, std::string& answer) = 0;
};
// `access` outlives the result. `nonce` is what the server adds to SCRAM's: any text without commas. `checks_nonce`: whether it
// has to come back.
std::unique_ptr<SaslServer> NewSaslServer(std::string_view mechanism, const SaslAccess& access, std::string nonce,
                                          bool checks_nonce = true);

// One connection.
struct SaslLogin {
  std::unique_ptr<SaslServer> exchange;  // From the handshake until it is done or refused.
  std::string mechanism;
  bool done = false;             // The client is known.
  std::optional<Instant> until;  // Only so long.
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_SASL_H_
