#include "core/wire/gather_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ktrial::wire {
namespace {

std::vector<std::string> Pieces(const GatherBytes& gather) { return {gather.pieces().begin(), gather.pieces().end()}; }

TEST(GatherBytesTest, PiecesAlternateInOrder) {
  const std::string batch = "BATCH";
  GatherBytes gather;
  gather.owned() += "head";
  gather.Refer(batch);
  gather.owned() += "mid";
  gather.Refer(batch);
  gather.owned() += "tail";
  gather.Seal();
  EXPECT_EQ(Pieces(gather), (std::vector<std::string>{"head", "BATCH", "mid", "BATCH", "tail"}));
  EXPECT_EQ(gather.Flatten(), "headBATCHmidBATCHtail");
  EXPECT_EQ(gather.size(), gather.Flatten().size());
}

TEST(GatherBytesTest, WhatIsReferredToIsNotCopied) {
  const std::string batch = "BATCH";
  GatherBytes gather;
  gather.Refer(batch);
  gather.Seal();
  EXPECT_EQ(gather.pieces()[0].data(), batch.data());
}

TEST(GatherBytesTest, NoPieceIsEmpty) {
  const std::string batch = "BATCH";
  GatherBytes gather;
  gather.Refer(batch);
  gather.Refer("");
  gather.Refer(batch);
  gather.Seal();
  EXPECT_EQ(Pieces(gather), (std::vector<std::string>{"BATCH", "BATCH"}));
}

// A short string has its bytes inside the object: pieces that were merely copied would point at the old one.
TEST(GatherBytesTest, PiecesSurviveAMove) {
  const std::string batch = "BATCH";
  auto first = std::make_unique<GatherBytes>();
  first->owned() += "hd";
  first->Refer(batch);
  first->Seal();
  const GatherBytes second = std::move(*first);
  first.reset();
  EXPECT_EQ(Pieces(second), (std::vector<std::string>{"hd", "BATCH"}));
}

TEST(GatherBytesTest, ClearForgetsEverything) {
  GatherBytes gather;
  gather.owned() += "head";
  gather.Refer("x");
  gather.Seal();
  gather.Clear();
  EXPECT_EQ(gather.size(), 0U);
  EXPECT_TRUE(gather.pieces().empty());
  EXPECT_EQ(gather.Flatten(), "");
}

}  // namespace
}  // namespace ktrial::wire
