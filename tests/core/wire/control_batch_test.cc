#include "core/wire/control_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/wire/status.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

constexpr TransactionMarker kCommit{.type = MarkerType::kCommit,
                                    .producer_id = ProducerId(258),
                                    .producer_epoch = ProducerEpoch(3),
                                    .coordinator_epoch = 7,
                                    .timestamp_ms = 1000};

std::string Batch(std::optional<std::string_view> key, std::optional<std::string_view> value,
                  const BatchProducer& producer) {
  std::vector<char> buffer(200);
  RecordBatchBuilder builder(buffer);
  builder.Append(1000, key, value, {});
  return std::string(builder.Close(producer));
}

constexpr BatchProducer kCoordinator{ProducerId(1), ProducerEpoch(0), kNoSequence, true, true};

std::string ErrorOf(const std::string& bytes) {
  const auto marker = DecodeTransactionMarker(*RecordBatchView::Parse(bytes));
  EXPECT_EQ(KafkaCode(marker.status()), ErrorCode::kInvalidRecord);
  return std::string(marker.status().message());
}

// WP-13, WP-15
TEST(ControlBatchTest, BytesAreTheseAndNoOthers) {
  const std::string bytes = EncodeTransactionMarker(kCommit);
  EXPECT_EQ(ToHex(bytes.substr(0, 17)), ToHex(FromHex("0000000000000000 00000042 ffffffff 02")));
  EXPECT_EQ(ToHex(bytes.substr(21)),
            ToHex(FromHex("0030 00000000 00000000000003e8 00000000000003e8 0000000000000102 0003 ffffffff 00000001"
                          "20 00 00 00 08 00000001 0c 0000 00000007 00")));
}

TEST(ControlBatchTest, MarkersAreReadBack) {
  for (const MarkerType type : {MarkerType::kAbort, MarkerType::kCommit}) {
    TransactionMarker marker = kCommit;
    marker.type = type;
    const std::string bytes = EncodeTransactionMarker(marker);
    const auto batch = RecordBatchView::Parse(bytes);
    ASSERT_EQ(batch.status(), absl::OkStatus());
    EXPECT_TRUE(batch->is_control());
    EXPECT_TRUE(batch->is_transactional());
    EXPECT_EQ(batch->base_sequence(), kNoSequence);
    EXPECT_EQ(batch->ValidateRecords(), absl::OkStatus());
    const auto back = DecodeTransactionMarker(*batch);
    ASSERT_EQ(back.status(), absl::OkStatus());
    EXPECT_EQ(*back, marker);
  }
}

TEST(ControlBatchTest, LaterVersionsMayHaveMoreBehind) {
  const std::string bytes = Batch(FromHex("0001 0000 ff"), FromHex("0001 00000009 ffff"), kCoordinator);
  const auto marker = DecodeTransactionMarker(*RecordBatchView::Parse(bytes));
  ASSERT_EQ(marker.status(), absl::OkStatus());
  EXPECT_EQ(marker->type, MarkerType::kAbort);
  EXPECT_EQ(marker->coordinator_epoch, 9);
}

TEST(ControlBatchTest, OtherBatchesAreNoMarkers) {
  const std::string key = FromHex("0000 0001");
  const std::string value = FromHex("0000 00000007");
  BatchProducer client = kCoordinator;
  client.control = false;
  EXPECT_EQ(ErrorOf(Batch(key, value, client)), "control batch: not a control batch");
  BatchProducer plain = kCoordinator;
  plain.transactional = false;
  EXPECT_EQ(ErrorOf(Batch(key, value, plain)), "control batch: not one uncompressed record of a transaction");
  EXPECT_EQ(ErrorOf(Batch(std::nullopt, value, kCoordinator)), "control batch: the key is no type of a control record");
  EXPECT_EQ(ErrorOf(Batch(FromHex("ffff 0001"), value, kCoordinator)),
            "control batch: the key is no type of a control record");
  EXPECT_EQ(ErrorOf(Batch(FromHex("0000 0002"), value, kCoordinator)), "control batch: not the end of a transaction");
  EXPECT_EQ(ErrorOf(Batch(key, FromHex("0000 0000"), kCoordinator)),
            "control batch: the value is no end of a transaction");
  EXPECT_EQ(ErrorOf(Batch(key, FromHex("8000 00000007"), kCoordinator)),
            "control batch: the value is no end of a transaction");
}

}  // namespace
}  // namespace ktrial::wire
