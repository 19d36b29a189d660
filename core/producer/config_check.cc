#include "core/producer/config_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/producer/config_keys.h"
#include "core/producer/config_security.h"
#include "core/producer/text.h"
#include "core/wire/limits.h"

namespace ktrial {

namespace {

absl::Status NotAllowed(const ConfigConflict& wrong, std::string_view with = {}) {
  return absl::InvalidArgumentError(
      fmt::format("{} = {} is not allowed{}: {}", wrong.key, wrong.value, with, wrong.allowed));
}

absl::Status CheckNumbers(const ProducerConfig& config) {
  ProducerConfig scratch;
  for (const ConfigKey& key : ProducerConfigKeys()) {
    if (key.load == nullptr) continue;
    const std::int64_t value = key.load(config);
    const bool in_range = value >= key.min && value <= key.max;
    if (!in_range || !key.store(scratch, value, std::string_view())) {
      return NotAllowed({.key = key.name, .value = fmt::format("{}", value), .allowed = AllowedValues(key)});
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const ProducerConfig& config) {
  const std::pair<std::string_view, std::string_view> texts[] = {
      {"client.id", config.client_id},
      {"client.rack", config.client_rack},
      {"transactional.id", config.transactional_id},
  };
  for (const auto& [key, text] : texts) {
    if (text.size() <= wire::kStringBytesMax) continue;
    return absl::InvalidArgumentError(
        fmt::format("{} of {} bytes is not allowed: at most {}", key, text.size(), wire::kStringBytesMax));
  }
  for (const BootstrapServer& server : config.bootstrap_servers) {
    if (!server.host.empty() && server.port != 0) continue;
    return absl::InvalidArgumentError(fmt::format(
        "bootstrap.servers: \"{}:{}\" is not allowed: a host and a port from 1 to 65535", server.host, server.port));
  }
  if (std::ranges::find(config.interceptors, nullptr) != config.interceptors.end()) {
    return absl::InvalidArgumentError("interceptors: null is not allowed: objects");
  }
  return absl::OkStatus();
}

absl::Status CheckTogether(const ProducerConfig& config) {
  if (!config.transactional_id.empty() && !config.enable_idempotence) {
    return NotAllowed({.key = "enable.idempotence", .value = "false", .allowed = "only true"},
                      " with transactional.id");
  }
  const std::vector<ConfigConflict> conflicts = IdempotenceConflicts(config);
  if (!conflicts.empty()) return NotAllowed(conflicts.front(), " with enable.idempotence = true");
  if (const std::optional<ConfigProblem> problem = FindSecurityProblem(config)) {
    return absl::InvalidArgumentError(problem->text);
  }
  for (const auto& conflict : {DeliveryTimeoutConflict(config), MemoryConflict(config)}) {
    if (conflict) return NotAllowed(*conflict);
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<ConfigConflict> IdempotenceConflicts(const ProducerConfig& config) {
  std::vector<ConfigConflict> conflicts;
  if (!config.enable_idempotence) return conflicts;
  if (config.acks != Acks::kAll) {
    conflicts.push_back({.key = "acks", .value = config.acks == Acks::kNone ? "0" : "1", .allowed = "all"});
  }
  if (!config.api_version_request) {
    conflicts.push_back({.key = "api.version.request",
                         .value = "false",
                         .allowed = "true, as brokers of Kafka 0.9 know no producer ids"});
  }
  if (config.retries == 0) conflicts.push_back({.key = "retries", .value = "0", .allowed = "at least 1"});
  // More than brokers can tell apart.
  const std::int32_t in_flight = config.max_in_flight_requests_per_connection;
  if (in_flight > 5) {
    conflicts.push_back({.key = "max.in.flight.requests.per.connection",
                         .value = fmt::format("{}", in_flight),
                         .allowed = "at most 5",
                         .default_stays = true});
  }
  return conflicts;
}

std::optional<ConfigConflict> DeliveryTimeoutConflict(const ProducerConfig& config) {
  if (config.delivery_timeout >= config.linger + config.request_timeout) return std::nullopt;
  return ConfigConflict{.key = "delivery.timeout.ms",
                        .value = fmt::format("{}", Millis(config.delivery_timeout)),
                        .allowed = fmt::format("at least linger.ms + request.timeout.ms = {} + {}",
                                               Millis(config.linger), Millis(config.request_timeout))};
}

std::optional<ConfigConflict> MemoryConflict(const ProducerConfig& config) {
  if (config.batch_size <= config.buffer_memory) return std::nullopt;
  return ConfigConflict{.key = "batch.size",
                        .value = fmt::format("{}", config.batch_size),
                        .allowed = fmt::format("at most buffer.memory = {}", config.buffer_memory)};
}

absl::Status CheckConfig(const ProducerConfig& config) {
  if (config.bootstrap_servers.empty()) return absl::InvalidArgumentError("bootstrap.servers is required (PR-20)");
  absl::Status status = CheckNumbers(config);
  if (status.ok()) status = CheckTexts(config);
  if (status.ok()) status = CheckTogether(config);
  return status;
}

}  // namespace ktrial
