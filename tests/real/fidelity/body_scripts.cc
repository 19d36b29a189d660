// Bodies that are not what their header says, of every request in every version.
#include "tests/real/fidelity/records.h"
#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

using wire::ApiKey;

std::string GoodBody(const Probe& probe, ApiKey api, std::int16_t version) {
  switch (api) {
    case ApiKey::kApiVersions:
      return Body(wire::ApiVersionsRequest{.client_software_name = "ktrial", .client_software_version = "1.0"},
                  version);
    case ApiKey::kMetadata:
      return Body(wire::MetadataRequest{.topics = {{{.name = std::string(kTopic)}}}}, version);
    case ApiKey::kInitProducerId:
      return Body(wire::InitProducerIdRequest{.transaction_timeout_ms = 60000}, version);
    default: {
      const std::string records = GoodRecords(version);
      return Body(wire::ProduceRequest{.acks = -1,
                                       .timeout_ms = kTimeoutMs,
                                       .topics = {TopicData(probe, kTopic, {{.index = 0, .records = records}})}},
                  version);
    }
  }
}

}  // namespace

void RunBodies(Probe& probe) {
  for (const ApiKey api : {ApiKey::kApiVersions, ApiKey::kMetadata, ApiKey::kInitProducerId, ApiKey::kProduce}) {
    const std::optional<wire::VersionRange> offered = probe.Offers(api);
    if (!offered.has_value()) continue;
    for (std::int16_t version = offered->min; version <= offered->max; ++version) {
      const auto send = [&](std::string name, const std::string& body, std::int32_t records = 0) {
        probe.Run({.name = std::move(name),
                   .api = api,
                   .version = version,
                   .writes = {Frame(api, version, body)},
                   .records = records});
      };
      const std::string good = GoodBody(probe, api, version);
      send("a body with trailing bytes", good + "abc", api == ApiKey::kProduce ? 1 : 0);
      if (good.empty()) continue;  // ApiVersions before 3: there is nothing to cut.
      send("no body", "");
      send("half a body", good.substr(0, good.size() / 2));
      send("a body without its last byte", good.substr(0, good.size() - 1));
      send("a body of ones", std::string(good.size(), '\xff'));
      send("a body of large numbers", std::string(good.size(), '\x7f'));
    }
  }
}

}  // namespace ktrial::fidelity
