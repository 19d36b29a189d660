// A broker that is not there: it answers ApiVersions, Metadata, InitProducerId and Produce so fast that a producer is never held up by it, keeps
// nothing and checks nothing. The peer of bench/real/compare.py.
//
//   sink PARTITIONS        prints "PORT" and serves one topic name, whatever it is, until standard input ends
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/env/posix/posix_env.h"
#include "core/wire/codec.h"
#include "core/wire/frame_reader.h"
#include "core/wire/messages.h"

namespace ktrial {
namespace {

using Kind = TransportEvent::Kind;

constexpr std::size_t kReadBytes = 1 << 20;

struct Peer {
  wire::FrameReader reader;
  std::string answers;  // from `sent` on, not taken by the transport yet
  std::size_t sent = 0;
};

class Sink {
 public:
  Sink(Env& env, int partitions) : transport_(env.NewTransport("sink")), partitions_(partitions) {
    const absl::StatusOr<Listening> listening = transport_->Listen({"127.0.0.1", 0}, {.receive_bytes = 4 << 20});
    KT_CHECK_MSG(listening.ok(), std::string(listening.status().message()));
    port_ = listening->address.port;
  }
  int port() const { return port_; }

  [[noreturn]] void Serve() {
    std::vector<TransportEvent> events;
    while (true) {
      events.clear();
      transport_->Poll(Instant::Never(), events, Site("bench.sink"));
      for (const TransportEvent& event : events) Handle(event);
    }
  }

 private:
  void Handle(const TransportEvent& event) {
    switch (event.kind) {
      case Kind::kAccepted:
        peers_[event.connection] = std::make_unique<Peer>();
        transport_->Interest(event.connection, true, false);
        break;
      case Kind::kReadable:
        Read(event.connection, *peers_.at(event.connection));
        break;
      case Kind::kWritable:
        Write(event.connection, *peers_.at(event.connection));
        break;
      case Kind::kEnded:
        peers_.erase(event.connection);
        break;
      default:
        break;
    }
  }

  void Read(ConnectionId id, Peer& peer) {
    while (true) {
      const IoResult result = transport_->Receive(id, peer.reader.Space());
      if (result.kind != IoResult::Kind::kBytes) break;
      peer.reader.Filled(result.count);
      while (true) {
        const auto frame = peer.reader.Next();
        KT_CHECK(frame.ok());
        if (!frame->has_value()) break;
        Answer(**frame, peer);
      }
      if (result.count < kReadBytes / 16) break;  // The socket is probably empty: spare the call that says so.
    }
    Write(id, peer);
  }

  void Write(ConnectionId id, Peer& peer) {
    while (peer.sent < peer.answers.size()) {
      const std::array<ConstBytes, 1> rest = {std::string_view(peer.answers).substr(peer.sent)};
      const IoResult result = transport_->Send(id, rest);
      if (result.kind != IoResult::Kind::kBytes) break;
      peer.sent += result.count;
    }
    const bool all = peer.sent == peer.answers.size();
    if (all) {
      peer.answers.clear();
      peer.sent = 0;
    }
    transport_->Interest(id, true, !all);
  }

  void Answer(std::string_view frame, Peer& peer) {
    const auto request = wire::DecodeRequestHeader(frame);
    KT_CHECK(request.ok());
    const wire::RequestHeader& header = request->header;
    switch (header.api) {
      case wire::ApiKey::kProduce:
        AnswerProduce(header, request->body, peer.answers);
        break;
      case wire::ApiKey::kMetadata:
        AnswerMetadata(header, request->body, peer.answers);
        break;
      case wire::ApiKey::kApiVersions:
        AnswerApiVersions(header, peer.answers);
        break;
      case wire::ApiKey::kInitProducerId:
        AnswerInitProducerId(header, peer.answers);
        break;
      default:
        KT_CHECK(!"an API that the sink does not speak");
    }
  }

  void AnswerProduce(const wire::RequestHeader& header, std::string_view body, std::string& out) {
    const auto request = wire::Decode<wire::ProduceRequest>(body, header.version);
    KT_CHECK_MSG(request.ok(), std::string(request.status().message()));
    wire::ProduceResponse response;
    for (const wire::TopicProduceData& topic : request->topics) {
      wire::TopicProduceResponse& answer = response.topics.emplace_back();
      answer.name = topic.name;
      for (const wire::PartitionProduceData& partition : topic.partitions) {
        answer.partitions.emplace_back().index = partition.index;
      }
    }
    if (request->acks != 0) wire::EncodeResponseFrame(response, header.version, header.correlation_id, out);
  }

  void AnswerMetadata(const wire::RequestHeader& header, std::string_view body, std::string& out) {
    const auto request = wire::Decode<wire::MetadataRequest>(body, header.version);
    KT_CHECK(request.ok());
    wire::MetadataResponse response;
    response.cluster_id = "sink";
    response.controller_id = 1;
    response.brokers.push_back({.node_id = 1, .host = "127.0.0.1", .port = port_});
    if (request->topics.has_value()) {
      for (const wire::MetadataRequestTopic& asked : *request->topics) {
        wire::MetadataTopic& topic = response.topics.emplace_back();
        topic.name = asked.name;
        for (int index = 0; index < partitions_; ++index) {
          topic.partitions.push_back({.index = index, .leader_id = 1, .replicas = {1}, .in_sync_replicas = {1}});
        }
      }
    }
    wire::EncodeResponseFrame(response, header.version, header.correlation_id, out);
  }

  void AnswerInitProducerId(const wire::RequestHeader& header, std::string& out) {
    const wire::InitProducerIdResponse response{.producer_id = ++last_producer_id_, .producer_epoch = 0};
    wire::EncodeResponseFrame(response, header.version, header.correlation_id, out);
  }

  static void AnswerApiVersions(const wire::RequestHeader& header, std::string& out) {
    wire::ApiVersionsResponse response;
    // Fetch stands here because librdkafka writes batches of format v2 only to brokers that can serve them again.
    response.api_keys = {{0, 3, 9}, {1, 4, 11}, {2, 1, 5}, {3, 1, 9}, {18, 0, 3}, {22, 0, 1}};
    if (header.version > 3) response.error = wire::ErrorCode::kUnsupportedVersion;
    wire::EncodeResponseFrame(response, header.version, header.correlation_id, out);
  }

  const std::unique_ptr<Transport> transport_;
  const int partitions_;
  int port_ = 0;
  std::int64_t last_producer_id_ = 0;
  std::map<ConnectionId, std::unique_ptr<Peer>> peers_;
};

}  // namespace
}  // namespace ktrial

int main(int argc, char** argv) {
  const int partitions = argc > 1 ? std::atoi(argv[1]) : 12;
  const std::unique_ptr<ktrial::Env> env = ktrial::MakePosixEnv();
  ktrial::Sink sink(*env, partitions);
  std::printf("%d\n", sink.port());
  std::fflush(stdout);
  // Whoever started the sink holds its standard input; when that goes, so does the sink.
  std::thread([] {
    while (std::getchar() != EOF) {
    }
    std::_Exit(0);
  }).detach();
  sink.Serve();
}
