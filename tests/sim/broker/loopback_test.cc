// The brokers on real ports: the same loop over sockets, stopped and spoken to from another thread.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/env/posix/posix_env.h"
#include "core/env/sync.h"
#include "core/wire/codec.h"
#include "core/wire/frame_reader.h"
#include "sim/broker/broker_host.h"
#include "sim/trace/trace.h"
#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using wire::ErrorCode;
using wire::ProduceResponse;

constexpr std::int16_t kVersion = 11;

// A client of one connection that waits for its answers.
class Client {
 public:
  Client(Env& env, const Address& address) : env_(env), transport_(env.NewTransport("client")) {
    connection_ = transport_->Open(address, address.ip, {});
  }

  template <class Request>
  void Send(const Request& request, std::int16_t version, std::int32_t correlation_id) {
    wire::GatherBytes frame;
    wire::EncodeRequestFrame(request, version, correlation_id, "loopback", frame);
    unsent_ += frame.Flatten();
  }

  // None if the connection ended, or nothing came for ten seconds.
  std::optional<std::string> NextAnswer() {
    const Instant deadline = env_.clock().Now() + std::chrono::seconds(10);
    while (!ended_ && env_.clock().Now() < deadline) {
      auto frame = reader_.Next();
      KT_CHECK(frame.ok());
      if (frame->has_value()) return std::string(**frame);
      transport_->Interest(connection_, /*read=*/true, /*write=*/!unsent_.empty());
      std::vector<TransportEvent> events;
      transport_->Poll(deadline, events, Site("loopback_test.poll"));
      for (const TransportEvent& event : events) Handle(event);
    }
    return std::nullopt;
  }

  ErrorCode ProduceAnswer() {
    const std::optional<std::string> frame = NextAnswer();
    if (!frame) return ErrorCode::kNetworkException;
    const auto parts = wire::DecodeResponseHeader(*frame, wire::ApiKey::kProduce, kVersion);
    const auto answer = wire::Decode<ProduceResponse>(parts->body, kVersion);
    KT_CHECK(answer.ok());
    return answer->topics.at(0).partitions.at(0).error;
  }

 private:
  void Handle(const TransportEvent& event) {
    if (event.kind == TransportEvent::Kind::kEnded) ended_ = true;
    if (event.kind == TransportEvent::Kind::kWritable && !unsent_.empty()) {
      const std::string_view rest = unsent_;
      const IoResult result = transport_->Send(connection_, std::span(&rest, 1));
      unsent_.erase(0, result.count);
    }
    if (event.kind == TransportEvent::Kind::kReadable) {
      const IoResult result = transport_->Receive(connection_, reader_.Space());
      reader_.Filled(result.count);
    }
  }

  Env& env_;
  std::unique_ptr<Transport> transport_;
  ConnectionId connection_;
  wire::FrameReader reader_;
  std::string unsent_;
  bool ended_ = false;
};

class LoopbackTest : public ::testing::Test {
 protected:
  LoopbackTest() {
    ClusterSpec spec = SpecOf(3);
    spec.replication_delay = Distribution::Constant(std::chrono::milliseconds(1));
    auto cluster = Cluster::Create(spec, env_->clock(), Stream(1, "cluster", "replication", trace_));
    KT_CHECK(cluster.ok());
    cluster_ = *std::move(cluster);
    host_ = std::make_unique<BrokerHost>(BrokerHostOptions{}, *cluster_, *transport_, env_->threads());
    KT_CHECK(host_->Start().ok());
    for (const std::int32_t id : {1, 2, 3}) addresses_.push_back(host_->address(NodeId(id)));
    thread_ = env_->threads().Spawn("brokers", [this] { host_->Run(); });
  }
  ~LoopbackTest() override {
    host_->Stop();
    KT_CHECK(thread_->Join(Instant::Never()));
  }

  std::unique_ptr<Env> env_ = MakePosixEnv(1);
  Trace trace_;
  std::unique_ptr<Transport> transport_ = env_->NewTransport("brokers");
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<BrokerHost> host_;
  std::vector<Address> addresses_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(LoopbackTest, PipelinedRequestsAreAnsweredInOrder) {
  const std::string batch = BatchOf({"value-one", "value-two"});
  Client client(*env_, addresses_[0]);
  for (int i = 0; i < 100; ++i) client.Send(ProduceOf(batch, -1), kVersion, i);
  for (int i = 0; i < 100; ++i) {
    const std::optional<std::string> answer = client.NextAnswer();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(wire::PeekCorrelationId(*answer), i);
  }
}

TEST_F(LoopbackTest, FunctionPostedFromAnotherThreadMovesTheLeader) {
  const std::string batch = BatchOf({"value-one"});
  Client client(*env_, addresses_[0]);
  client.Send(ProduceOf(batch), kVersion, 1);
  EXPECT_EQ(client.ProduceAnswer(), ErrorCode::kNone);
  Mutex mutex(env_->threads(), Site("loopback_test.mutex"));
  CondVar moved(env_->threads());
  bool done = false;
  host_->Post([&] {
    cluster_->MoveLeader("orders", PartitionIndex(0), NodeId(2), {});
    MutexLock lock(mutex);
    done = true;
    moved.NotifyAll();
  });
  {
    MutexLock lock(mutex);
    moved.Wait(mutex, Instant::Never(), [&] { return done; }, Site("loopback_test.moved"));
  }
  client.Send(ProduceOf(batch), kVersion, 2);
  EXPECT_EQ(client.ProduceAnswer(), ErrorCode::kNotLeaderOrFollower);
  Client other(*env_, addresses_[1]);
  other.Send(ProduceOf(batch), kVersion, 1);
  EXPECT_EQ(other.ProduceAnswer(), ErrorCode::kNone);
}

TEST_F(LoopbackTest, BrokerThatCrashesAndComesBackHasItsPortAgain) {
  const std::string batch = BatchOf({"value-one"});
  host_->Post([this] {
    host_->Crash(NodeId(2), {});
    host_->Restart(NodeId(2), {});
    cluster_->MoveLeader("orders", PartitionIndex(0), NodeId(2), {});
  });
  // Through the first broker, so that what was posted is over.
  Client first(*env_, addresses_[0]);
  first.Send(wire::MetadataRequest{}, 12, 1);
  ASSERT_TRUE(first.NextAnswer().has_value());
  Client second(*env_, addresses_[1]);
  second.Send(ProduceOf(batch), kVersion, 1);
  EXPECT_EQ(second.ProduceAnswer(), ErrorCode::kNone);
}

}  // namespace
}  // namespace ktrial::sim
