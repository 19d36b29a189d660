#include "core/wire/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/core/wire/hex.h"

namespace ktrial::wire {
namespace {

void Feed(FrameReader& reader, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> space = reader.Space();
    const std::size_t part = std::min(space.size(), bytes.size());
    std::copy_n(bytes.data(), part, space.data());
    reader.Filled(part);
    bytes.remove_prefix(part);
  }
}

std::vector<std::string> Frames(FrameReader& reader) {
  std::vector<std::string> frames;
  for (;;) {
    const auto frame = reader.Next();
    EXPECT_EQ(frame.status(), absl::OkStatus());
    if (!frame.ok() || !frame->has_value()) return frames;
    frames.emplace_back(**frame);
  }
}

// WP-01
TEST(FrameReaderTest, FramesComeOutWholeHoweverTheStreamIsCut) {
  const std::string stream = FromHex("00000002 6162 00000000 00000003 636465");
  const std::vector<std::string> expected = {"ab", "", "cde"};
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader;
    Feed(reader, std::string_view(stream).substr(0, cut));
    std::vector<std::string> frames = Frames(reader);
    Feed(reader, std::string_view(stream).substr(cut));
    for (std::string& frame : Frames(reader)) frames.push_back(std::move(frame));
    EXPECT_EQ(frames, expected) << cut;
    EXPECT_EQ(reader.pending_bytes(), 0U);
  }
}

// WP-01
TEST(FrameReaderTest, NegativeLengthIsAnErrorForEver) {
  FrameReader reader;
  Feed(reader, FromHex("ffffffff"));
  EXPECT_EQ(reader.Next().status().code(), absl::StatusCode::kDataLoss);
  Feed(reader, FromHex("00000000"));
  EXPECT_EQ(reader.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(FrameReaderTest, LengthAboveTheLimitIsAnError) {
  FrameReader reader(/*frame_bytes_max=*/10);
  Feed(reader, FromHex("0000000a"));
  EXPECT_EQ(reader.Next().status(), absl::OkStatus());
  FrameReader stricter(/*frame_bytes_max=*/9);
  Feed(stricter, FromHex("0000000a"));
  EXPECT_EQ(stricter.Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(FrameReaderTest, APromiseReservesNothing) {
  FrameReader reader;
  Feed(reader, FromHex("7fffffff 00"));
  EXPECT_EQ(Frames(reader).size(), 0U);
  EXPECT_LT(reader.Space().size(), 1U << 20);
}

TEST(FrameReaderTest, LargeFramesGrowTheBuffer) {
  const std::string body(1'000'000, 'x');
  FrameReader reader;
  for (int i = 0; i < 3; ++i) {
    Feed(reader, FromHex("000f4240"));
    Feed(reader, body);
    EXPECT_EQ(Frames(reader), std::vector<std::string>{body});
  }
}

}  // namespace
}  // namespace ktrial::wire
