// probe HOST:PORT: all scripts against one broker; a line of JSON for each on standard output (probe.h). Status 1, and why on
// standard error, if the broker never gets ready.
#include <charconv>
#include <iostream>
#include <string_view>

#include "tests/real/fidelity/scripts.h"

namespace ktrial::fidelity {
namespace {

int Main(std::string_view peer) {
  const std::size_t colon = peer.rfind(':');
  int port = 0;
  if (colon != std::string_view::npos) std::from_chars(peer.data() + colon + 1, peer.data() + peer.size(), port);
  if (port == 0) {
    std::cerr << "probe: found \"" << peer << "\", allowed: HOST:PORT with a numeric address\n";
    return 2;
  }
  Probe probe({.host = std::string(peer.substr(0, colon)), .port = port}, std::cout);
  if (const absl::Status status = probe.Prepare(); !status.ok()) {
    std::cerr << "probe: " << status.message() << "\n";
    return 1;
  }
  RunMetadata(probe);
  RunApiVersions(probe);
  RunInitProducerId(probe);
  RunFrames(probe);
  RunBodies(probe);
  RunProduceRequests(probe);
  RunProduceMessageSets(probe);
  RunProduceIdempotent(probe);
  RunProduceBatches(probe);
  return 0;
}

}  // namespace
}  // namespace ktrial::fidelity

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "probe HOST:PORT\n";
    return 2;
  }
  return ktrial::fidelity::Main(arguments[1]);
}
