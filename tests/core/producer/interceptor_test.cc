// Interceptors: what they may do to a record, when they learn of its end, and how they end themselves.
#include "core/producer/interceptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/producer/producer.h"
#include "core/wire/status.h"
#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using Calls = std::vector<std::string>;

constexpr PartitionIndex kFirst{0};

void ExpectIdle(const sim::KernelResult& result) { EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text; }

class KeptLog : public LogSink {
 public:
  void Write(LogLevel, std::string_view, std::string_view text) override { lines.emplace_back(text); }
  Calls lines;
};

// Puts its name behind the value, and writes down what it is told. The text of a method that is to throw is in
// `throws`.
class Noting : public ProducerInterceptor {
 public:
  Noting(std::string name, Calls& calls, std::string throws = "")
      : name_(std::move(name)), calls_(calls), throws_(std::move(throws)) {}

  void OnSend(InterceptedRecord& intercepted) override {
    Record& record = intercepted.record;
    record.value = intercepted.Keep(std::string(record.value.value_or("")) + name_);
    if (throws_ == "OnSend") throw std::runtime_error("no luck");
  }
  void OnAcknowledgement(const RecordMetadata& metadata, const absl::Status& status) override {
    const std::string place = std::string(metadata.topic) + "-" + std::to_string(metadata.partition.value());
    calls_.push_back(name_ + (status.ok() ? " ok " + std::to_string(metadata.offset.value()) : " failed in " + place));
    if (throws_ == "OnAcknowledgement") throw 7;
  }
  absl::Status Close() override {
    calls_.push_back(name_ + " closed");
    if (throws_ == "Close") throw std::runtime_error("no luck");
    return throws_ == "refuse to close" ? absl::UnavailableError("not now") : absl::OkStatus();
  }

 private:
  const std::string name_;
  Calls& calls_;
  const std::string throws_;
};

// A producer with interceptors a, b, ..., of which each may throw somewhere; they write to `calls`, the log to `log`.
std::unique_ptr<Producer> Start(ProducerWorld& world, Calls& calls, const std::vector<std::string>& throws,
                                std::shared_ptr<KeptLog> log = nullptr, BatchCallback on_batch = {}) {
  ProducerConfig config = world.ParseConfig({{"linger.ms", "0"}, {"max.request.size", "1000"}});
  for (std::size_t i = 0; i < throws.size(); ++i) {
    config.interceptors.push_back(
        std::make_shared<Noting>(std::string(1, static_cast<char>('a' + i)), calls, throws[i]));
  }
  config.log = std::move(log);
  config.log_level = LogLevel::kWarning;
  return world.StartProducer(std::move(config), on_batch);
}

Producer::Callback NoteCallback(Calls& calls) {
  return [&calls](const RecordMetadata&, const absl::Status& status) {
    calls.push_back(status.ok() ? "callback ok" : "callback failed");
  };
}

// PR-13
TEST(InterceptorTest, EachGetsTheRecordAsTheOneBeforeHasLeftIt) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", "", ""});
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}).Get().ok());
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_THAT(world.Values("t", 0), ElementsAre("xabc"));
}

// PR-13
TEST(InterceptorTest, AfterOneThatThrowsTheNextGetsTheRecordAsItWasBefore) {
  ProducerWorld world;
  Calls calls;
  const auto log = std::make_shared<KeptLog>();
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", "OnSend", ""}, log);
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}).Get().ok());
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_THAT(world.Values("t", 0), ElementsAre("xac"));
  EXPECT_THAT(log->lines, ElementsAre("interceptor 2 threw in OnSend: no luck"));
}

// PR-13. On the sender thread interceptors come first.
TEST(InterceptorTest, AnAcknowledgementReachesInterceptorsInOrderAndThenTheCallback) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", ""});
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}, NoteCallback(calls)).Get().ok());
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "y"}).Get().ok());
    EXPECT_THAT(calls, ElementsAre("a ok 0", "b ok 0", "callback ok", "a ok 1", "b ok 1"));
    EXPECT_TRUE(producer->Close().ok());
  }));
}

// PR-13
TEST(InterceptorTest, OneThatThrowsKeepsAnAcknowledgementFromNobody) {
  ProducerWorld world;
  Calls calls;
  const auto log = std::make_shared<KeptLog>();
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"OnAcknowledgement", ""}, log);
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}, NoteCallback(calls)).Get().ok());
    EXPECT_THAT(calls, ElementsAre("a ok 0", "b ok 0", "callback ok"));
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_THAT(log->lines, ElementsAre("interceptor 1 threw in OnAcknowledgement: something that is no exception"));
}

// PR-13. Where Send refuses a record they come last.
TEST(InterceptorTest, ARefusalReachesTheCallbackAndThenInterceptors) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", ""});
    const std::string large(2000, 'x');
    const Future refused = producer->Send({.topic = "t", .partition = kFirst, .value = large}, NoteCallback(calls));
    EXPECT_EQ(wire::KafkaCode(refused.Get(Duration::zero()).status()), wire::ErrorCode::kMessageTooLarge);
    EXPECT_THAT(calls, ElementsAre("callback failed", "a failed in t-0", "b failed in t-0"));
    EXPECT_EQ(producer->Send({.topic = "", .value = "x"}).Get(Duration::zero()).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(calls.size(), 5u);
    EXPECT_TRUE(producer->Close().ok());
  }));
}

// PR-06, PR-13
TEST(InterceptorTest, ACallbackThatThrowsOnARefusalKeepsItFromNoInterceptor) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {""});
    EXPECT_THROW(producer->Send({.topic = ""}, [](const RecordMetadata&, const absl::Status&) { throw 1; }), int);
    EXPECT_THAT(calls, ElementsAre("a failed in --1"));
    EXPECT_TRUE(producer->Close().ok());
  }));
}

// PR-13
TEST(InterceptorTest, AFailedBatchReachesInterceptorsAndThenTheCallback) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", ""});
    EXPECT_TRUE(producer->PartitionsFor("t").ok());
    world.At(Duration::zero(), [&] { world.host().SetSilent(NodeId(1), true); });
    world.Sleep(milliseconds(10));
    producer->Send({.topic = "t", .partition = kFirst, .value = "x"}, NoteCallback(calls));
    EXPECT_EQ(producer->Close(milliseconds(100)).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_THAT(calls, ElementsAre("a failed in t-0", "b failed in t-0", "callback failed", "a closed", "b closed"));
  }));
}

TEST(InterceptorTest, ABatchIsReportedWithTheContextsThatSendersGave) {
  ProducerWorld world;
  Calls calls;
  std::vector<const void*> contexts;
  int word = 0;
  ExpectIdle(world.Run([&] {
    const BatchCallback on_batch{
        .function =
            [](void* context, const BatchReport& batch) {
              for (const RecordSlot& slot : batch.records) {
                static_cast<std::vector<const void*>*>(context)->push_back(slot.callback.context);
              }
            },
        .context = &contexts};
    auto producer = Start(world, calls, {""}, nullptr, on_batch);
    const RecordCallback silent{.function = nullptr, .context = &word};
    EXPECT_TRUE(producer->Send({.topic = "t", .partition = kFirst, .value = "x"}, silent).Get().ok());
    EXPECT_TRUE(producer->Close().ok());
  }));
  EXPECT_THAT(contexts, ElementsAre(&word));
  EXPECT_THAT(calls, ElementsAre("a ok 0", "a closed"));
}

// PR-17
TEST(InterceptorTest, CloseClosesEachOnceWhenNothingIsSentAnyMore) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", ""});
    producer->Send({.topic = "t", .partition = kFirst, .value = "x"});
    EXPECT_TRUE(producer->Close().ok());
    EXPECT_THAT(calls, ElementsAre("a ok 0", "b ok 0", "a closed", "b closed"));
    EXPECT_TRUE(producer->Close().ok());
    producer.reset();
  }));
  EXPECT_EQ(calls.size(), 4u);
}

// PR-17
TEST(InterceptorTest, TheFirstThatDoesNotCloseIsReportedAndTheOthersCloseAllTheSame) {
  ProducerWorld world;
  Calls calls;
  const auto log = std::make_shared<KeptLog>();
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {"", "refuse to close", "Close", ""}, log);
    const absl::Status closed = producer->Close();
    EXPECT_EQ(closed.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(closed.message(), "interceptor 2 did not close: not now");
    EXPECT_EQ(producer->Close().message(), closed.message());
  }));
  EXPECT_THAT(calls, ElementsAre("a closed", "b closed", "c closed", "d closed"));
  EXPECT_THAT(log->lines, ElementsAre("interceptor 2 did not close: not now", "interceptor 3 threw in Close: no luck"));
}

// PR-17
TEST(InterceptorTest, AProducerThatCannotBeMadeClosesThem) {
  ProducerWorld world;
  Calls calls;
  ProducerConfig config;
  config.interceptors = {std::make_shared<Noting>("a", calls), std::make_shared<Noting>("b", calls, "Close")};
  ExpectIdle(world.Run([&] {
    EXPECT_EQ(Producer::Create(std::move(config), world.env()).status().code(), absl::StatusCode::kInvalidArgument);
  }));
  EXPECT_THAT(calls, ElementsAre("a closed", "b closed"));
}

// PR-09, PR-13. What the chain has made of a record is what has to fit.
TEST(InterceptorTest, ARecordIsCheckedAsTheChainHasLeftIt) {
  ProducerWorld world;
  Calls calls;
  ExpectIdle(world.Run([&] {
    auto producer = Start(world, calls, {""});
    const Future sent = producer->Send({.topic = "t", .partition = kFirst, .value = std::string_view("x")});
    ASSERT_TRUE(sent.Get().ok());
    EXPECT_EQ(sent.Get()->value_bytes, 2);
    EXPECT_TRUE(producer->Close().ok());
  }));
}

}  // namespace
}  // namespace ktrial::testing
