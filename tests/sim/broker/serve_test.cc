#include <gtest/gtest.h>

#include <functional>

#include "tests/sim/broker/testing/broker_world.h"

namespace ktrial::sim {
namespace {

using std::chrono::milliseconds;
using wire::ApiKey;
using wire::ErrorCode;
using wire::MetadataRequest;
using wire::MetadataResponse;
using wire::ProduceResponse;

constexpr std::int16_t kProduce = 11;

// Calls a function at one phase, and notes all of them.
class Hook final : public RequestHook {
 public:
  using Function = std::function<void(const RequestView&, RequestControl&)>;
  Hook(RequestPhase phase, Function function) : phase_(phase), function_(std::move(function)) {}
  void OnRequest(RequestPhase phase, const RequestView& request, RequestControl& control) override {
    phases.push_back(phase);
    if (phase == phase_) function_(request, control);
  }
  std::vector<RequestPhase> phases;

 private:
  RequestPhase phase_;
  Function function_;
};

class ServeTest : public ::testing::Test {
 protected:
  void SetHook(RequestPhase phase, Hook::Function function) {
    hook_ = std::make_unique<Hook>(phase, std::move(function));
    world_.host->AddHook(*hook_);
  }
  void SendBatch(std::int16_t acks = 1) {
    connection_ = world_.Connect(1);
    world_.Send(connection_, ProduceOf(batch_, acks), kProduce);
  }
  std::optional<ErrorCode> Code() {
    const auto answer = world_.Answer<ProduceResponse>(connection_, kProduce);
    if (!answer) return std::nullopt;
    return answer->topics[0].partitions[0].error;
  }
  std::int64_t record_count() { return world_.orders().log().record_count(); }
  void SendHeader(ApiKey api, std::int16_t version) {
    connection_ = world_.Connect(1);
    std::string frame;
    wire::EncodeRequestHeader({api, version, 7, "test"}, frame);
    world_.SendFrame(connection_, frame);
  }

  const std::string batch_ = BatchOf({"one"});
  BrokerWorld world_;
  ConnectionId connection_;
  std::unique_ptr<Hook> hook_;
};

TEST_F(ServeTest, HooksAreAskedAtFourPhasesInOrder) {
  SetHook(RequestPhase::kAfterAppend, [this](const RequestView& request, RequestControl&) {
    EXPECT_EQ(request.api, ApiKey::kProduce);
    EXPECT_EQ(request.broker, NodeId(1));
    EXPECT_EQ(request.client_id, "test");
    EXPECT_TRUE(request.Names("orders", PartitionIndex(0)));
    EXPECT_EQ(record_count(), 1);
  });
  SendBatch();
  EXPECT_EQ(hook_->phases, (std::vector{RequestPhase::kReceived, RequestPhase::kBeforeAppend,
                                        RequestPhase::kAfterAppend, RequestPhase::kBeforeResponse}));
}

TEST_F(ServeTest, ErrorBeforeTheAppendPreventsIt) {
  SetHook(RequestPhase::kBeforeAppend,
          [](const RequestView&, RequestControl& control) { control.Fail(ErrorCode::kKafkaStorageError); });
  SendBatch();
  EXPECT_EQ(Code(), ErrorCode::kKafkaStorageError);
  EXPECT_EQ(record_count(), 0);
}

TEST_F(ServeTest, ErrorAfterTheAppendIsALie) {
  SetHook(RequestPhase::kAfterAppend, [](const RequestView&, RequestControl& control) {
    control.Fail(ErrorCode::kRequestTimedOut, "orders", PartitionIndex(0));
  });
  SendBatch();
  EXPECT_EQ(Code(), ErrorCode::kRequestTimedOut);
  EXPECT_EQ(record_count(), 1);
}

TEST_F(ServeTest, DroppedAnswerLeavesTheConnectionOpenAndMute) {
  SetHook(RequestPhase::kAfterAppend, [](const RequestView& request, RequestControl& control) {
    if (request.api == ApiKey::kProduce) control.DropResponse();
  });
  SendBatch();
  world_.Send(connection_, MetadataRequest{}, 12);
  world_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(world_.NextAnswer(connection_), std::nullopt);
  EXPECT_EQ(world_.transport.closed(connection_), std::nullopt);
  EXPECT_EQ(record_count(), 1);
  world_.transport.End(connection_, EndReason::kReset);
  world_.Settle();
  EXPECT_EQ(world_.host->ConnectionCount(NodeId(1)), 0);
}

TEST_F(ServeTest, RequestDroppedBeforeTheAppendIsNotCarriedOut) {
  SetHook(RequestPhase::kReceived, [](const RequestView&, RequestControl& control) { control.DropResponse(); });
  SendBatch();
  EXPECT_EQ(record_count(), 0);
  EXPECT_EQ(world_.notes.unanswered, std::vector<std::string>{"dropped"});
}

TEST_F(ServeTest, HookEndsTheConnectionAfterTheAppend) {
  SetHook(RequestPhase::kAfterAppend,
          [](const RequestView&, RequestControl& control) { control.Disconnect(Transport::CloseKind::kReset); });
  SendBatch();
  EXPECT_EQ(world_.transport.closed(connection_), Transport::CloseKind::kReset);
  EXPECT_EQ(record_count(), 1);
}

TEST_F(ServeTest, DelayHoldsTheAnswerAndWhatIsBehindIt) {
  int calls = 0;
  SetHook(RequestPhase::kBeforeResponse, [&calls](const RequestView&, RequestControl& control) {
    if (++calls == 1) control.Delay(milliseconds(50));
  });
  SendBatch();
  world_.Send(connection_, MetadataRequest{}, 12);
  world_.Advance(milliseconds(49));
  EXPECT_EQ(world_.NextAnswer(connection_), std::nullopt);
  world_.Advance(milliseconds(1));
  EXPECT_EQ(Code(), ErrorCode::kNone);
  EXPECT_TRUE(world_.Answer<MetadataResponse>(connection_, 12).has_value());
}

TEST_F(ServeTest, HookMayMoveTheLeaderUnderARequest) {
  SetHook(RequestPhase::kBeforeAppend, [this](const RequestView&, RequestControl&) {
    world_.cluster->MoveLeader("orders", PartitionIndex(0), NodeId(2), {});
  });
  SendBatch();
  EXPECT_EQ(Code(), ErrorCode::kNotLeaderOrFollower);
}

TEST_F(ServeTest, HookMayCrashTheBrokerThatAsksIt) {
  SetHook(RequestPhase::kAfterAppend,
          [this](const RequestView&, RequestControl&) { world_.host->Crash(NodeId(1), {}); });
  SendBatch();
  EXPECT_EQ(world_.transport.closed(connection_), Transport::CloseKind::kReset);
  EXPECT_EQ(world_.host->ConnectionCount(NodeId(1)), 0);
}

TEST_F(ServeTest, HookMayPauseTheBrokerThatAsksIt) {
  SetHook(RequestPhase::kAfterAppend, [this](const RequestView&, RequestControl&) { world_.host->Pause(NodeId(1)); });
  SendBatch();
  EXPECT_EQ(Code(), std::nullopt);
  world_.host->Resume(NodeId(1));
  EXPECT_EQ(Code(), ErrorCode::kNone);
}

TEST_F(ServeTest, RemovedHookIsNotAsked) {
  SetHook(RequestPhase::kBeforeAppend,
          [](const RequestView&, RequestControl& control) { control.Fail(ErrorCode::kUnknownServerError); });
  world_.host->RemoveHook(*hook_);
  SendBatch();
  EXPECT_EQ(Code(), ErrorCode::kNone);
}

TEST_F(ServeTest, WhatIsListedAndNotServedIsSaidLoudlyAndClosed) {
  SendHeader(ApiKey::kFetch, 12);
  EXPECT_NE(world_.transport.closed(connection_), std::nullopt);
  EXPECT_EQ(world_.notes.not_served,
            std::vector<std::string>{"Fetch v12 (key 1) from client \"test\" is not served here"});
}

TEST_F(ServeTest, WhatABrokerOfThisReleaseDoesNotListEndsTheConnection) {
  SendHeader(ApiKey::kLeaderAndIsr, 4);
  EXPECT_NE(world_.transport.closed(connection_), std::nullopt);
  SendHeader(ApiKey(999), 0);
  EXPECT_NE(world_.transport.closed(connection_), std::nullopt);
  SendHeader(ApiKey::kMetadata, 14);
  EXPECT_NE(world_.transport.closed(connection_), std::nullopt);
  EXPECT_EQ(world_.notes.malformed.size(), 3U);
  EXPECT_TRUE(world_.notes.not_served.empty());
}

// WP-21
TEST_F(ServeTest, ProduceBelowThreeIsListedByKafkaFourAndRefused) {
  SendHeader(ApiKey::kProduce, 2);
  EXPECT_NE(world_.transport.closed(connection_), std::nullopt);
  EXPECT_EQ(world_.notes.malformed.size(), 1U);
}

TEST_F(ServeTest, PipelinedRequestsAreNoticed) {
  BrokerWorld world(SpecOf(1), {.detect_pipelining = true});
  const ConnectionId connection = world.Connect(1);
  wire::GatherBytes frame;
  wire::EncodeRequestFrame(ProduceOf(batch_), kProduce, 1, "test", frame);
  world.transport.LimitReceives(frame.size());  // the second is still in the socket when the first is answered
  world.transport.Write(connection, frame.Flatten() + frame.Flatten());
  world.Settle();
  EXPECT_EQ(world.notes.responses, (std::vector{true, false}));
  EXPECT_EQ(world.orders().log().record_count(), 2);
}

}  // namespace
}  // namespace ktrial::sim
