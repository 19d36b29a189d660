// A producer of typed records: what its serializers see, what becomes of their errors, and how they end.
#include "core/producer/serializing_producer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/core/producer/producer_world.h"

namespace ktrial::testing {
namespace {

using ::testing::ElementsAre;
using Calls = std::vector<std::string>;
using Typed = SerializingProducer<std::int32_t, std::string_view>;

constexpr PartitionIndex kFirst{0};

void ExpectIdle(const sim::KernelResult& result) { EXPECT_EQ(result.end, sim::KernelEnd::kIdle) << result.text; }

// Writes down what it is asked, adds a header, and fails as it is told: "refuses", "throws", "close".
template <class T>
class Noting : public Serializer<T> {
 public:
  Noting(std::string name, Calls& calls, std::string fails = "")
      : name_(std::move(name)), calls_(calls), fails_(std::move(fails)) {}

  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers, const T* data) override {
    calls_.push_back(name_ + " for " + std::string(topic) + (data == nullptr ? ": null" : ""));
    headers.Add(name_, "was here");
    if (fails_ == "refuses") return absl::OutOfRangeError("no luck");
    if (fails_ == "throws") throw std::runtime_error("no luck");
    return standard_.Serialize(topic, headers, data);
  }
  absl::Status Close() override {
    calls_.push_back(name_ + " closed");
    return fails_ == "close" ? absl::UnavailableError("not now") : absl::OkStatus();
  }

 private:
  const std::string name_;
  Calls& calls_;
  const std::string fails_;
  StandardSerializer<T> standard_;
};

class SerializingProducerTest : public ::testing::Test {
 protected:
  std::unique_ptr<Typed> Make(std::string key_fails = "", std::string value_fails = "") {
    auto made = Typed::Create(world.ParseConfig({{"linger.ms", "0"}}), world.env(),
                              std::make_shared<Noting<std::int32_t>>("key", calls, std::move(key_fails)),
                              std::make_shared<Noting<std::string_view>>("value", calls, std::move(value_fails)));
    EXPECT_TRUE(made.ok());
    return *std::move(made);
  }

  Calls calls;
  ProducerWorld world;
};

// PR-01, PR-08
TEST_F(SerializingProducerTest, KeyThenValueBecomeBytesAndHeadersAreAdded) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make();
    const std::vector<Header> headers = {{.key = "own", .value = "1"}};
    const auto future =
        producer->Send({.topic = "t", .partition = kFirst, .key = 258, .value = "paid", .headers = headers});
    ASSERT_EQ(future.status().code(), absl::StatusCode::kOk);
    EXPECT_EQ(future->Get().status().code(), absl::StatusCode::kOk);
  }));
  EXPECT_THAT(calls, ElementsAre("key for t", "value for t", "key closed", "value closed"));
  const auto log = world.Log("t", 0);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].key, std::string("\0\0\1\2", 4));
  EXPECT_EQ(log[0].value, "paid");
  EXPECT_THAT(log[0].headers, ElementsAre("own=1", "key=was here", "value=was here"));
}

// PR-08
TEST_F(SerializingProducerTest, NullsArePassedToTheSerializers) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make();
    const auto future = producer->Send({.topic = "t", .partition = kFirst});
    ASSERT_EQ(future.status().code(), absl::StatusCode::kOk);
    EXPECT_EQ(future->Get().status().code(), absl::StatusCode::kOk);
  }));
  EXPECT_THAT(calls, ElementsAre("key for t: null", "value for t: null", "key closed", "value closed"));
  EXPECT_EQ(world.Log("t", 0).at(0).key, "(null)");
}

// PR-04, PR-08
TEST_F(SerializingProducerTest, AKeyThatCannotBeSerializedIsAnErrorOfTheCall) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make("refuses");
    const auto future =
        producer->Send({.topic = "t", .key = 1, .value = "x"},
                       [](const RecordMetadata&, const absl::Status&) { FAIL() << "no callback runs"; });
    EXPECT_EQ(future.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(future.status().message(), "the key of a record for topic t cannot be serialized: no luck");
  }));
  EXPECT_THAT(calls, ElementsAre("key for t", "key closed", "value closed"));
  EXPECT_EQ(world.RecordCount("t"), 0u);
}

// PR-08
TEST_F(SerializingProducerTest, WhatASerializerThrowsIsAnErrorOfTheCall) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make("", "throws");
    const absl::Status status = producer->Send({.topic = "t", .key = 1, .value = "x"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "the value of a record for topic t cannot be serialized: no luck");
  }));
}

// PR-17
TEST_F(SerializingProducerTest, CloseClosesEachOnceAndTellsTheFirstError) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make("close", "close");
    const absl::Status status = producer->Close();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(status.message(), "key.serializer did not close: not now");
    EXPECT_EQ(producer->Close().code(), absl::StatusCode::kOk);
  }));
  EXPECT_THAT(calls, ElementsAre("key closed", "value closed"));
}

// PR-17
TEST_F(SerializingProducerTest, AfterCloseNothingIsSerialized) {
  ExpectIdle(world.Run([&] {
    const auto producer = Make();
    ASSERT_EQ(producer->Close().code(), absl::StatusCode::kOk);
    absl::Status told;
    const auto future = producer->Send({.topic = "t", .key = 1, .value = "x"},
                                       [&](const RecordMetadata&, const absl::Status& status) { told = status; });
    ASSERT_EQ(future.status().code(), absl::StatusCode::kOk);
    EXPECT_EQ(future->Get().status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(told.code(), absl::StatusCode::kFailedPrecondition);
  }));
  EXPECT_THAT(calls, ElementsAre("key closed", "value closed"));
}

// PR-17
TEST_F(SerializingProducerTest, OneObjectThatServesBothIsClosedOnce) {
  using SameType = SerializingProducer<std::string_view, std::string_view>;
  using TwoFaces = SerializingProducer<std::string, std::string_view>;
  class Both : public Serializer<std::string>, public Serializer<std::string_view> {
   public:
    explicit Both(Calls& calls) : calls_(calls) {}
    absl::StatusOr<SerializedBytes> Serialize(std::string_view, RecordHeaders&, const std::string*) override {
      return std::nullopt;
    }
    absl::StatusOr<SerializedBytes> Serialize(std::string_view, RecordHeaders&, const std::string_view*) override {
      return std::nullopt;
    }
    absl::Status Close() override { return calls_.emplace_back("both closed"), absl::OkStatus(); }

   private:
    Calls& calls_;
  };
  ExpectIdle(world.Run([&] {
    const auto noting = std::make_shared<Noting<std::string_view>>("one", calls);
    EXPECT_TRUE(SameType::Create(world.ParseConfig({}), world.env(), noting, noting).ok());
    const auto both = std::make_shared<Both>(calls);
    EXPECT_TRUE(TwoFaces::Create(world.ParseConfig({}), world.env(), both, both).ok());
  }));
  EXPECT_THAT(calls, ElementsAre("one closed", "both closed"));
}

TEST_F(SerializingProducerTest, OwnedStringsAreSentAsTheyAre) {
  ExpectIdle(world.Run([&] {
    const auto serializer = std::make_shared<StringSerializer>();
    const auto producer = SerializingProducer<std::string, std::string>::Create(world.ParseConfig({{"linger.ms", "0"}}),
                                                                                world.env(), serializer, serializer);
    ASSERT_TRUE(producer.ok());
    const auto future = (*producer)->Send({.topic = "t", .partition = kFirst, .key = "42", .value = "paid"});
    ASSERT_EQ(future.status().code(), absl::StatusCode::kOk);
    EXPECT_EQ(future->Get().status().code(), absl::StatusCode::kOk);
  }));
  const auto log = world.Log("t", 0);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].key, "42");
  EXPECT_EQ(log[0].value, "paid");
}

// PR-17
TEST_F(SerializingProducerTest, AProducerThatCannotBeMadeClosesThem) {
  ExpectIdle(world.Run([&] {
    EXPECT_EQ(Typed::Create(ProducerConfig(), world.env(), std::make_shared<Noting<std::int32_t>>("key", calls),
                            std::make_shared<Noting<std::string_view>>("value", calls))
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }));
  EXPECT_THAT(calls, ElementsAre("key closed", "value closed"));
}

// PR-20
TEST_F(SerializingProducerTest, BothSerializersAreRequired) {
  ExpectIdle(world.Run([&] {
    const absl::Status status =
        Typed::Create(world.ParseConfig({}), world.env(), std::make_shared<Noting<std::int32_t>>("key", calls), nullptr)
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), "value.serializer is required (PR-20)");
  }));
  EXPECT_THAT(calls, ElementsAre("key closed"));
}

}  // namespace
}  // namespace ktrial::testing
