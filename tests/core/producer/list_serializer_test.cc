// Lists, byte for byte as Kafka's own serializer writes them (clients 4.4).
#include "core/producer/list_serializer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/wire/hex.h"

namespace ktrial {
namespace {

template <class T, class List>
absl::StatusOr<SerializedBytes> BytesOf(std::shared_ptr<Serializer<T>> elements, const List& list) {
  RecordHeaders headers({});
  return ListSerializer<T>(std::move(elements)).Serialize("t", headers, &list);
}

template <class T, class List>
std::string HexOf(std::shared_ptr<Serializer<T>> elements, const List& list) {
  const absl::StatusOr<SerializedBytes> bytes = BytesOf<T>(std::move(elements), list);
  return bytes.ok() && bytes->has_value() ? wire::ToHex(**bytes) : "nothing";
}

template <class T>
std::shared_ptr<Serializer<T>> Standard() {
  return std::make_shared<StandardSerializer<T>>();
}

// One of the application's own.
class MarkSerializer final : public Serializer<std::int32_t> {
 public:
  absl::StatusOr<SerializedBytes> Serialize(std::string_view topic, RecordHeaders& headers,
                                            const std::int32_t* data) override {
    if (*data == 0) return std::nullopt;
    if (*data < 0) return absl::OutOfRangeError("below zero");
    headers.Add("mark", topic);
    return std::string(static_cast<std::size_t>(*data), '!');
  }
  absl::Status Close() override {
    ++closed;
    return absl::DataLossError("not closed");
  }
  int closed = 0;
};

TEST(ListSerializerTest, NumbersAndUuidsHaveNoLengths) {
  EXPECT_EQ(HexOf(Standard<std::int16_t>(), std::vector<std::int16_t>{258, -1}), "0000000000000000020102ffff");
  EXPECT_EQ(HexOf(Standard<std::int64_t>(), std::vector<std::int64_t>{1}), "0000000000000000010000000000000001");
  EXPECT_EQ(HexOf(Standard<float>(), std::vector<float>{1.5F}), "0000000000000000013fc00000");
  EXPECT_EQ(HexOf(Standard<double>(), std::vector<double>{1.5}), "0000000000000000013ff8000000000000");
}

TEST(ListSerializerTest, TheirNullsAreToldByTheirIndices) {
  EXPECT_EQ(HexOf(Standard<std::int32_t>(), std::vector<std::optional<std::int32_t>>{1, std::nullopt, 2}),
            "000000000100000001000000030000000100000002");
  EXPECT_EQ(HexOf(Standard<std::int32_t>(), std::vector<std::optional<std::int32_t>>(2)),
            "0000000002000000000000000100000002");
  const Uuid uuid = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  EXPECT_EQ(HexOf(Standard<Uuid>(), std::vector<std::optional<Uuid>>{uuid, std::nullopt}),
            "0000000001000000010000000230313233343536372d383961622d636465662d666564632d626139383736353433323130");
}

TEST(ListSerializerTest, AnythingElseHasALengthThatIsMinusOneForNull) {
  const std::vector<std::optional<std::string>> texts = {"a", std::nullopt, "", "bc"};
  EXPECT_EQ(HexOf<std::string>(std::make_shared<StringSerializer>(), texts),
            "01000000040000000161ffffffff00000000000000026263");
  EXPECT_EQ(HexOf(Standard<bool>(), std::vector<std::optional<bool>>{true, std::nullopt, false}),
            "01000000030000000101ffffffff0000000100");
  EXPECT_EQ(HexOf(Standard<bool>(), std::vector<bool>{true, false}), "010000000200000001010000000100");
}

TEST(ListSerializerTest, AnEmptyListIsNotNull) {
  EXPECT_EQ(HexOf(Standard<std::int32_t>(), std::vector<std::int32_t>()), "000000000000000000");
  EXPECT_EQ(HexOf(Standard<std::string>(), std::vector<std::string>()), "0100000000");
}

TEST(ListSerializerTest, ListsMayBeNested) {
  using Inner = std::vector<std::int32_t>;
  const std::vector<std::optional<Inner>> lists = {Inner{1}, std::nullopt, Inner{}};
  EXPECT_EQ(HexOf<Inner>(std::make_shared<ListSerializer<std::int32_t>>(Standard<std::int32_t>()), lists),
            "01000000030000000d00000000000000000100000001ffffffff00000009000000000000000000");
}

TEST(ListSerializerTest, NumbersThatTheApplicationSerializesHaveLengths) {
  EXPECT_EQ(HexOf<std::int32_t>(std::make_shared<MarkSerializer>(), std::vector<std::int32_t>{1, 2}),
            "01000000020000000121000000022121");
}

// PR-08
TEST(ListSerializerTest, ANullListIsNull) {
  RecordHeaders headers({});
  ListSerializer<std::int32_t> serializer(Standard<std::int32_t>());
  const std::vector<std::int32_t>* const list = nullptr;
  const std::vector<std::optional<std::int32_t>>* const with_nulls = nullptr;
  EXPECT_EQ(serializer.Serialize("t", headers, list).value(), std::nullopt);
  EXPECT_EQ(serializer.Serialize("t", headers, with_nulls).value(), std::nullopt);
}

// PR-08
TEST(ListSerializerTest, ElementsSeeTheTopicAndMayAddHeaders) {
  RecordHeaders headers({});
  const std::vector<std::int32_t> list = {1, 2};
  ListSerializer<std::int32_t> serializer(std::make_shared<MarkSerializer>());
  ASSERT_EQ(serializer.Serialize("orders", headers, &list).status(), absl::OkStatus());
  ASSERT_EQ(headers.all().size(), 2u);
  EXPECT_EQ(headers.all()[1], (Header{.key = "mark", .value = "orders"}));
}

TEST(ListSerializerTest, AnErrorSaysWhichElement) {
  const auto error = [](const std::vector<std::int32_t>& list) {
    return BytesOf<std::int32_t>(std::make_shared<MarkSerializer>(), list).status();
  };
  EXPECT_EQ(error({1, -1}), absl::OutOfRangeError("element 1: below zero"));
  EXPECT_EQ(error({0}), absl::InvalidArgumentError("element 0: its serializer makes a null of it"));
}

TEST(ListSerializerTest, WithoutASerializerForElementsNothingIsSerialized) {
  EXPECT_EQ(BytesOf<std::int32_t>(nullptr, std::vector<std::int32_t>{1}).status(),
            absl::InvalidArgumentError("a list has no serializer for its elements"));
}

// PR-17
TEST(ListSerializerTest, CloseClosesThatOfTheElements) {
  const auto elements = std::make_shared<MarkSerializer>();
  EXPECT_EQ(ListSerializer<std::int32_t>(elements).Close(), absl::DataLossError("not closed"));
  EXPECT_EQ(elements->closed, 1);
}

}  // namespace
}  // namespace ktrial
