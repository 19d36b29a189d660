#include "core/producer/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/producer/config_check.h"
#include "core/producer/config_keys.h"
#include "core/producer/config_provider.h"
#include "core/producer/config_security.h"
#include "core/producer/profile.h"
#include "core/producer/text.h"

namespace ktrial {

namespace {

using Values = std::map<std::string, std::string>;

// Kafka takes a sign and spaces around a number; nothing else.
std::optional<std::int64_t> ParseNumber(std::string_view text) {
  if (text.starts_with("+") && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> ParseBoolean(std::string_view text) {
  if (EqualsIgnoringCase(text, "true")) return 1;
  if (EqualsIgnoringCase(text, "false")) return 0;
  return std::nullopt;
}

std::string RuleSuffix(const ConfigKey& key) {
  return key.rule.empty() ? std::string() : fmt::format(" ({})", key.rule);
}

ProfiledValues InKafkasKeys(const Values& values, const ConfigProfile* profile) {
  if (profile != nullptr) return ApplyProfile(*profile, values);
  ProfiledValues plain;
  plain.given = values;
  return plain;
}

// One Parse: collects what is wrong and what was adapted, and knows which keys were given.
class Parser {
 public:
  Parser(const Values& values, const ConfigProfile* profile, ConfigProviderFactory* providers, ProducerConfig& config,
         std::vector<ConfigProblem>& problems)
      : profile_(profile),
        looked_up_(LookUpVariables(values, providers)),
        input_(InKafkasKeys(looked_up_.values, profile)),
        config_(config),
        problems_(problems) {}

  void Run() {
    problems_ = looked_up_.problems;
    if (!problems_.empty()) return;  // What values would have been is not known.
    problems_ = input_.problems;
    config_.warnings = input_.warnings;
    for (const auto& [key, value] : input_.defaults) {
      if (!Given(key)) ParseOne(key, value);
    }
    for (const auto& [key, value] : input_.given) ParseOne(key, Trimmed(value));
    if (!Given("bootstrap.servers")) {
      Problem("bootstrap.servers", "bootstrap.servers is required: host:port, separated by commas (PR-20)");
    }
    if (!problems_.empty()) return;  // A contradiction between values of which one is wrong anyway says nothing.
    CheckIdempotence();
    CheckDeliveryTimeout();
    CheckBackoffs();
    CheckMemory();
    CheckSecurity();
  }

 private:
  bool Given(std::string_view key) const { return input_.given.find(std::string(key)) != input_.given.end(); }
  // The key by the name that the user wrote.
  std::string NameOf(std::string_view key) const {
    const auto written = input_.written.find(std::string(key));
    return written == input_.written.end() ? std::string(key) : written->second.name;
  }
  // The value of a key in an error. What was looked up may be secret.
  std::string Quoted(std::string_view key, std::string_view value) const {
    return looked_up_.secret.contains(NameOf(key)) ? std::string("what was looked up") : fmt::format("\"{}\"", value);
  }
  void Problem(std::string_view key, std::string text, bool unsupported = false) {
    problems_.push_back({.key = NameOf(key), .text = std::move(text), .unsupported = unsupported});
  }
  void Problem(const ConfigConflict& conflict, std::string_view rule) {
    Problem(conflict.key, fmt::format("{} = {} is not allowed: {} ({})", NameOf(conflict.key),
                                      Quoted(conflict.key, conflict.value), conflict.allowed, rule));
  }
  void Warn(std::string text) { config_.warnings.push_back(std::move(text)); }

  void ParseOne(std::string_view name, std::string_view value) {
    const ConfigKey* key = FindConfigKey(name);
    if (key == nullptr) return Problem(name, UnknownKeyText(name, profile_));
    switch (key->support) {
      case ConfigSupport::kSupported:
        return ParseSupported(*key, value);
      case ConfigSupport::kNotYet:
        return ParseNotYet(*key, value);
      case ConfigSupport::kIgnored:
        return Warn(fmt::format("{} has no effect: {}", name, key->doc));
    }
  }

  void ParseSupported(const ConfigKey& key, std::string_view value) {
    std::optional<std::int64_t> number = 0;
    if (key.type == ConfigType::kBoolean) number = ParseBoolean(value);
    if (key.type == ConfigType::kInt || key.type == ConfigType::kLong) {
      number = ParseNumber(value);
      if (number && (*number < key.min || *number > key.max)) number = std::nullopt;
    }
    if (number && key.store(config_, *number, value)) return;
    std::string shown = fmt::format("{} = {} is not allowed", key.name, Quoted(key.name, value));
    if (key.type == ConfigType::kPassword) {
      shown = fmt::format("the value of {} is not allowed", NameOf(key.name));
    } else if (const auto written = input_.written.find(std::string(key.name)); written != input_.written.end()) {
      const auto& [name, text] = written->second;
      shown = fmt::format("{} = {}, which is {} = {}, is not allowed", name, Quoted(key.name, Trimmed(text)), key.name,
                          Quoted(key.name, value));
    }
    Problem(key.name, fmt::format("{}: {}{}", shown, AllowedValues(key), RuleSuffix(key)));
  }

  void ParseNotYet(const ConfigKey& key, std::string_view value) {
    if (EqualsIgnoringCase(value, key.harmless)) return;
    const std::string shown = key.type == ConfigType::kPassword ? std::string() : " = " + Quoted(key.name, value);
    Problem(key.name, fmt::format("{}{} is not supported yet ({}): {}", key.name, shown, key.doc, AllowedValues(key)),
            /*unsupported=*/true);
  }

  // PR-21. What was asked for by name is not taken away without a word; what is on by default gives way. More than five in
  // flight is more than brokers can tell apart.
  void CheckIdempotence() {
    const bool transactional = !config_.transactional_id.empty();
    // Whose variable is empty wants transactions all the same.
    if (Given("transactional.id") && !transactional && (profile_ == nullptr || !profile_->empty_id_is_none)) {
      Problem("transactional.id", "transactional.id is empty: a text, or leave it out");
    }
    if (transactional && !config_.enable_idempotence && !Given("enable.idempotence")) {
      // Other clients' default; they switch it on for transactions, too.
      config_.enable_idempotence = true;
      Warn("enable.idempotence is set to true, because transactional.id needs it (PR-21)");
    }
    if (!config_.enable_idempotence) {
      if (!transactional) return;
      return Problem("enable.idempotence",
                     fmt::format("{} = \"false\" is not allowed with transactional.id = {}: only true (PR-21)",
                                 NameOf("enable.idempotence"), Quoted("transactional.id", config_.transactional_id)));
    }
    // Whoever wants transactions wants what they stand on.
    const bool demanded = Given("enable.idempotence") || transactional;
    AdaptDefaultsToIdempotence();
    for (const ConfigConflict& conflict : IdempotenceConflicts(config_)) {
      if (demanded || conflict.default_stays) {
        if (!config_.enable_idempotence) continue;
        Problem(conflict.key, fmt::format("{} = {} is not allowed with {}{}: {} (PR-21)", NameOf(conflict.key),
                                          Quoted(conflict.key, conflict.value),
                                          transactional && !Given("enable.idempotence") ? "transactional.id"
                                                                                        : "enable.idempotence = true",
                                          demanded ? "" : ", the default", conflict.allowed));
        continue;
      }
      config_.enable_idempotence = false;
      Warn(fmt::format("enable.idempotence is set to false, because {} = {}; it needs {} (PR-21)", conflict.key,
                       conflict.value, conflict.allowed));
    }
  }

  // PR-21. Other clients' defaults stand in its way; they give way, too.
  void AdaptDefaultsToIdempotence() {
    const auto adapt = [this](std::string_view key, std::string_view value) {
      if (Given(key)) return;
      Warn(fmt::format("{} is set to {}, because enable.idempotence = true needs it (PR-21)", key, value));
      ParseOne(key, value);
    };
    if (config_.acks != Acks::kAll) adapt("acks", "all");
    if (!config_.api_version_request) adapt("api.version.request", "true");
    if (config_.retries == 0) adapt("retries", "2147483647");
    if (config_.max_in_flight_requests_per_connection > 5) adapt("max.in.flight.requests.per.connection", "5");
  }

  // PR-22
  void CheckDeliveryTimeout() {
    const std::optional<ConfigConflict> conflict = DeliveryTimeoutConflict(config_);
    if (!conflict) return;
    if (Given(conflict->key)) {
      if (LowerRequestTimeout()) return;
      return Problem(*conflict, "PR-22");
    }
    const Duration needed = config_.linger + config_.request_timeout;
    Warn(fmt::format("delivery.timeout.ms is raised from {} to {}, the sum of linger.ms and request.timeout.ms (PR-22)",
                     Millis(config_.delivery_timeout), Millis(needed)));
    config_.delivery_timeout = needed;
  }

  // A client whose requests wait no longer than their records may.
  bool LowerRequestTimeout() {
    constexpr std::string_view kKey = "request.timeout.ms";
    const bool client_says = input_.defaults.find(std::string(kKey)) != input_.defaults.end();
    const Duration left = config_.delivery_timeout - config_.linger;
    if (!client_says || Given(kKey) || left <= Duration::zero()) return false;
    Warn(fmt::format("{} is lowered from {} to {}, what {} = {} leaves it (PR-22)", kKey,
                     Millis(config_.request_timeout), Millis(left), NameOf("delivery.timeout.ms"),
                     Millis(config_.delivery_timeout)));
    config_.request_timeout = left;
    return true;
  }

  // PR-23. A first wait alone means a constant one; a first wait above the longest is the longest.
  void CheckBackoffs() {
    const bool client_says = input_.defaults.find("reconnect.backoff.max.ms") != input_.defaults.end();
    if (Given("reconnect.backoff.ms") && !Given("reconnect.backoff.max.ms") && !client_says) {
      config_.reconnect_backoff_max = config_.reconnect_backoff;
      Warn(fmt::format(
          "reconnect.backoff.max.ms is set to {}, because reconnect.backoff.ms was given without it (PR-23)",
          Millis(config_.reconnect_backoff)));
    }
    WarnConstant("reconnect.backoff.ms", config_.reconnect_backoff, "reconnect.backoff.max.ms",
                 config_.reconnect_backoff_max);
    WarnConstant("retry.backoff.ms", config_.retry_backoff, "retry.backoff.max.ms", config_.retry_backoff_max);
    WarnConstant("socket.connection.setup.timeout.ms", config_.connection_setup_timeout,
                 "socket.connection.setup.timeout.max.ms", config_.connection_setup_timeout_max);
  }

  void WarnConstant(std::string_view key, Duration& first, std::string_view max_key, Duration max) {
    if (first <= max) return;
    Warn(fmt::format("{} = {} is above {} = {}: it is {} each time (PR-23)", key, Millis(first), max_key, Millis(max),
                     Millis(max)));
    first = max;
  }

  // BP-04
  void CheckMemory() {
    const std::optional<ConfigConflict> conflict = MemoryConflict(config_);
    if (!conflict) return;
    if (Given(conflict->key)) return Problem(*conflict, "BP-04");
    Warn(fmt::format("batch.size is lowered from {} to {}, all of buffer.memory (BP-04)", config_.batch_size,
                     config_.buffer_memory));
    config_.batch_size = static_cast<std::int32_t>(config_.buffer_memory);
  }

  void CheckSecurity() {
    if (Given("sasl.jaas.config") && (Given("sasl.username") || Given("sasl.password"))) {
      return Problem("sasl.jaas.config",
                     "sasl.jaas.config is given beside sasl.username or sasl.password, allowed: one of them");
    }
    if (UsesSasl(config_.security_protocol) && !config_.api_version_request && !Given("api.version.request")) {
      Warn(fmt::format("api.version.request is set to true, because security.protocol = {} needs it",
                       SecurityProtocolName(config_.security_protocol)));
      config_.api_version_request = true;
    }
    if (std::optional<ConfigProblem> problem = FindSecurityProblem(config_)) {
      return Problem(problem->key, std::move(problem->text), problem->unsupported);
    }
    for (const auto& [key, value] : input_.given) {
      const ConfigKey* known = FindConfigKey(key);
      if (known == nullptr || known->support != ConfigSupport::kSupported) continue;
      const std::string why = WithoutEffect(key, config_.security_protocol);
      if (!why.empty()) Warn(fmt::format("{} has no effect: {}", NameOf(key), why));
    }
  }

  const ConfigProfile* const profile_;
  const LookedUpValues looked_up_;
  const ProfiledValues input_;
  ProducerConfig& config_;
  std::vector<ConfigProblem>& problems_;
};

bool IsHostCharacter(char c) { return IsAsciiLetterOrDigit(c) || c == '.' || c == '-' || c == '_'; }

// Inside brackets: what inet_pton would take, and a zone. Whether it is an address is for the resolver to say.
bool IsIpv6Character(char c) {
  return IsAsciiLetterOrDigit(c) || c == ':' || c == '.' || c == '%' || c == '_' || c == '-';
}

}  // namespace

std::optional<BootstrapServer> ParseBootstrapServer(std::string_view text) {
  // "PLAINTEXT://host:port", as brokers write their listeners, is taken too.
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  if (port_text.empty() || !std::all_of(port_text.begin(), port_text.end(), IsAsciiDigit)) return std::nullopt;
  const std::optional<std::int64_t> port = ParseNumber(port_text);
  if (!port || *port < 1 || *port > 65535) return std::nullopt;

  const bool bracketed = host.starts_with("[") && host.ends_with("]");
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto allowed = bracketed ? IsIpv6Character : IsHostCharacter;
  if (host.empty() || !std::all_of(host.begin(), host.end(), allowed)) return std::nullopt;
  if (bracketed && host.find(':') == std::string_view::npos) return std::nullopt;
  return BootstrapServer{.host = std::string(host), .port = static_cast<std::uint16_t>(*port)};
}

absl::StatusOr<ProducerConfig> ProducerConfig::Parse(const Values& values, std::vector<ConfigProblem>* problems,
                                                     const ConfigProfile* profile, ConfigProviderFactory* providers) {
  ProducerConfig config;
  std::vector<ConfigProblem> found;
  Parser(values, profile, providers, config, found).Run();
  if (problems != nullptr) *problems = found;
  if (found.empty()) return config;
  std::string text;
  for (const ConfigProblem& problem : found) {
    if (!text.empty()) text += '\n';
    text += problem.text;
  }
  const bool all_unsupported =
      std::all_of(found.begin(), found.end(), [](const ConfigProblem& problem) { return problem.unsupported; });
  return all_unsupported ? absl::UnimplementedError(text) : absl::InvalidArgumentError(text);
}

}  // namespace ktrial
