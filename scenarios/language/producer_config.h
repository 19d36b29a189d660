// What a producer of a scenario is configured to be, for those who reason about what it will do.
#ifndef SCENARIOS_LANGUAGE_PRODUCER_CONFIG_H_
#define SCENARIOS_LANGUAGE_PRODUCER_CONFIG_H_

#include <map>
#include <string>

#include "core/producer/config.h"
#include "sim/world_spec.h"

namespace ktrial::scenario {

// The keys of `producer` with what the world fills in: some bootstrap.servers.
inline std::map<std::string, std::string> ConfigValues(const sim::ProducerSpec& producer) {
  std::map<std::string, std::string> values = producer.config;
  values.emplace("bootstrap.servers", "broker:9092");
  return values;
}

// The configuration of a producer whose keys were found to be right.
inline ProducerConfig ConfigOf(const sim::ProducerSpec& producer) {
  return ProducerConfig::Parse(ConfigValues(producer), nullptr, producer.profile).value_or(ProducerConfig());
}

}  // namespace ktrial::scenario

#endif  // SCENARIOS_LANGUAGE_PRODUCER_CONFIG_H_
