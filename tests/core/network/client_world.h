// A NetworkClient with its Metadata, hand-moved doors, a scripted broker behind every address, and a log of what it
// told.
#ifndef TESTS_CORE_NETWORK_CLIENT_WORLD_H_
#define TESTS_CORE_NETWORK_CLIENT_WORLD_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/network/network_client.h"
#include "core/wire/codec.h"
#include "tests/core/metadata/answers.h"
#include "tests/core/network/scripted_broker.h"
#include "tests/core/testing/fake_env.h"

namespace ktrial::testing {

class RecordingObserver : public ProducerObserver {
 public:
  void OnConnected(NodeId id) override { connected.push_back(id); }
  void OnDisconnected(NodeId id, std::string_view) override { disconnected.push_back(id); }
  void OnAuthenticated(NodeId id) override { accepted.push_back(id); }
  void OnReauthenticated(NodeId id, Duration latency) override { renewed.emplace_back(id, latency); }
  void OnAuthenticationFailed(NodeId id, bool again) override { (again ? not_renewed : refused).push_back(id); }
  void OnMetadataRequest(NodeId id, RefreshReason reason, bool partial, std::int32_t) override {
    metadata_nodes.push_back(id);
    reasons.push_back(reason);
    partials.push_back(partial);
  }
  void OnMetadataFailed(std::string_view) override { ++metadata_failures; }
  void OnRebootstrap() override { ++rebootstraps; }

  std::vector<NodeId> connected, disconnected, accepted, refused, not_renewed, metadata_nodes;
  std::vector<std::pair<NodeId, Duration>> renewed;
  std::vector<RefreshReason> reasons;
  std::vector<bool> partials;
  int metadata_failures = 0;
  int rebootstraps = 0;
};

// What became of a TestRequest.
struct Fate {
  std::string name;
  std::vector<RequestOutcome> outcomes;
  bool parsed = false;
  bool destroyed = false;
  const RequestOutcome& outcome() const {
    KT_CHECK(outcomes.size() == 1);
    return outcomes.front();
  }
};

// An InitProducerId, or with `acks0` a Produce that expects no answer.
class TestRequest : public OutgoingRequest {
 public:
  struct Options {
    bool acks0 = false;
    wire::VersionRange versions = {.min = 0, .max = 5};
    std::optional<Duration> timeout;
    absl::Status parse = absl::OkStatus();
    std::function<void()> on_complete;
    std::string payload = "payload";
    std::vector<std::string>* order = nullptr;  // Where OnComplete notes the name.
  };
  TestRequest(std::shared_ptr<Fate> fate, Options options) : fate_(std::move(fate)), options_(std::move(options)) {}
  ~TestRequest() override { fate_->destroyed = true; }

  wire::ApiKey api() const override { return options_.acks0 ? wire::ApiKey::kProduce : wire::ApiKey::kInitProducerId; }
  wire::VersionRange versions() const override {
    return options_.acks0 ? wire::VersionRange{.min = 3, .max = 12} : options_.versions;
  }
  void Encode(std::int16_t version, std::int32_t correlation_id, std::string_view client_id,
              wire::GatherBytes& frame) override {
    if (options_.acks0) {
      const wire::ProduceRequest produce{.topics = {{.name = "t", .partitions = {{.records = options_.payload}}}}};
      wire::EncodeRequestFrame(produce, version, correlation_id, client_id, frame);
    } else {
      wire::EncodeRequestFrame(wire::InitProducerIdRequest{}, version, correlation_id, client_id, frame);
    }
  }
  bool expects_response() const override { return !options_.acks0; }
  std::optional<Duration> timeout() const override { return options_.timeout; }
  absl::StatusOr<Duration> ParseResponse(std::int16_t version, std::string_view body) override {
    if (!options_.parse.ok()) return options_.parse;
    const auto response = wire::Decode<wire::InitProducerIdResponse>(body, version);
    if (!response.ok()) return response.status();
    fate_->parsed = true;
    return std::chrono::milliseconds(response->throttle_time_ms);
  }
  void OnComplete(const RequestOutcome& outcome) override {
    fate_->outcomes.push_back(outcome);
    if (options_.order != nullptr) options_.order->push_back(fate_->name);
    if (options_.on_complete) options_.on_complete();
  }

 private:
  std::shared_ptr<Fate> fate_;
  Options options_;
};

class ClientWorld {
 public:
  static NetworkClientConfig ClientConfig() { return {.client_id = "client"}; }
  explicit ClientWorld(NetworkClientConfig config = ClientConfig(),
                       MetadataConfig metadata_config = MetadataWorld::Config())
      : metadata(std::move(metadata_config), threads, entropy),
        client(std::move(config), metadata, transport, clock, entropy, observer) {
    transport.hosts = {{"boot-a", {"10.0.1.1"}},
                       {"boot-b", {"10.0.1.2"}},
                       {"b1", {"10.0.0.1"}},
                       {"b2", {"10.0.0.2"}},
                       {"b3", {"10.0.0.3"}}};
  }

  Instant now() const { return clock.Now(); }
  // How often node `id` of LearnCluster was connected to.
  int opens_of(std::int32_t id) {
    int count = 0;
    for (const ConnectionId open : transport.opens()) count += transport.stream(open).host == "b" + std::to_string(id);
    return count;
  }
  // From now on this node alone does not answer the open; `end` is how it fails, nullopt for silence.
  void Unreachable(std::int32_t id, std::optional<EndReason> end) {
    transport.on_open = [this, id, end](ConnectionId open) {
      if (transport.stream(open).host != "b" + std::to_string(id)) {
        transport.Accept(open);
      } else if (end.has_value()) {
        transport.EndConnection(open, *end);
      }
    };
  }
  // One poll that does not wait.
  void Poll() { client.Poll(now(), now()); }
  // One poll that waits for whatever is due, up to `length`.
  void Wait(Duration length) { client.Poll(now(), now() + length); }
  // Polls without letting time pass until nothing happens any more.
  void Settle() {
    for (int i = 0; i < 30; ++i) Poll();
  }
  // Lets time pass, polling whenever the client wants to.
  void Run(Duration length) {
    const Instant end = now() + length;
    while (now() < end) client.Poll(now(), end);
    Settle();
  }
  // The client knows brokers 1, 2, 3, and no connection but one to a bootstrap node exists.
  void LearnCluster(wire::MetadataResponse response = Answer({1, 2, 3})) {
    broker.metadata = std::move(response);
    Settle();
    KT_CHECK(!metadata.Fetch()->is_bootstrap());
  }
  Node node(std::int32_t id) const { return *metadata.Fetch()->FindNode(NodeId(id)); }
  bool Ready(std::int32_t id) { return client.Ready(node(id), now()); }
  // Connects, and demands that it works. Returns the connection.
  ConnectionId MakeReady(std::int32_t id) {
    Ready(id);
    Settle();
    KT_CHECK(client.IsReady(NodeId(id), now()));
    return transport.last_open();
  }
  std::shared_ptr<Fate> Send(std::int32_t id, TestRequest::Options options = {}, std::string name = {}) {
    auto fate = std::make_shared<Fate>(Fate{.name = std::move(name)});
    client.Send(NodeId(id), std::make_unique<TestRequest>(fate, std::move(options)), now());
    return fate;
  }

  ManualClock clock;
  FakeEntropy entropy;
  NoThreads threads;
  FakeTransport transport{clock};
  ScriptedBroker broker{transport};
  RecordingObserver observer;
  Metadata metadata;
  NetworkClient client;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_NETWORK_CLIENT_WORLD_H_
