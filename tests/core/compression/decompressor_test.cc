#include "core/compression/decompressor.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/compression/compressor.h"
#include "core/wire/big_endian.h"
#include "tests/core/compression/vectors.h"
#include "tests/core/wire/hex.h"

namespace ktrial {
namespace {

using wire::FromHex;

constexpr std::size_t kPlenty = 1 << 20;

absl::Status Try(Codec codec, std::string_view input, std::size_t bytes_max = kPlenty, std::string* output = nullptr) {
  std::string text;
  return Decompressor().Decompress(codec, input, bytes_max, output != nullptr ? *output : text);
}
std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

// WP-15
TEST(DecompressorTest, StreamsOfOtherWritersAreRead) {
  Decompressor decompressor;
  for (const Vector& vector : Vectors()) {
    std::string text;
    EXPECT_EQ(decompressor.Decompress(vector.codec, vector.bytes, kPlenty, text, vector.framing), absl::OkStatus())
        << vector.writer;
    EXPECT_EQ(text, TenTimesTheDigits()) << vector.writer;
  }
}

// WP-15: only readers of message sets v0 overlook the checksum, and they take both.
TEST(DecompressorTest, TheWrongHeaderChecksumOfLz4IsReadInMessageSetsV0Only) {
  const Vector right = Vectors()[4];
  const Vector wrong = Vectors()[5];
  std::string text;
  EXPECT_EQ(TextOf(Try(Codec::kLz4, wrong.bytes)), "lz4: byte 0: ERROR_headerChecksum_invalid");
  EXPECT_EQ(Decompressor().Decompress(Codec::kLz4, right.bytes, kPlenty, text, Framing::kMessageSetV0),
            absl::OkStatus());
  EXPECT_EQ(text, TenTimesTheDigits());
}

TEST(DecompressorTest, SeveralGzipMembersAreOneStream) {
  const std::string member = Vectors()[0].bytes;
  std::string text;
  EXPECT_EQ(Try(Codec::kGzip, member + member, kPlenty, &text), absl::OkStatus());
  EXPECT_EQ(text, TenTimesTheDigits() + TenTimesTheDigits());
}

TEST(DecompressorTest, SeveralSnappyStreamsAreOne) {
  const std::string stream = Vectors()[2].bytes;
  std::string text;
  EXPECT_EQ(Try(Codec::kSnappy, stream + stream, kPlenty, &text), absl::OkStatus());
  EXPECT_EQ(text, TenTimesTheDigits() + TenTimesTheDigits());
}

TEST(DecompressorTest, SeveralZstdFramesAreOneStream) {
  const std::string frame = Vectors()[6].bytes;
  std::string text;
  EXPECT_EQ(Try(Codec::kZstd, frame + frame, kPlenty, &text), absl::OkStatus());
  EXPECT_EQ(text, TenTimesTheDigits() + TenTimesTheDigits());
}

TEST(DecompressorTest, EveryTruncationIsDataLoss) {
  for (const Vector& vector : Vectors()) {
    for (std::size_t size = 0; size < vector.bytes.size(); ++size) {
      // What is left of the snappy stream is its header, a stream without blocks.
      if (vector.codec == Codec::kSnappy && vector.bytes[1] == 'S' && size == 16) continue;
      std::string text;
      const absl::Status status = Decompressor().Decompress(
          vector.codec, std::string_view(vector.bytes).substr(0, size), kPlenty, text, vector.framing);
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << vector.writer << " " << size;
    }
  }
}

TEST(DecompressorTest, DamageNamesTheCodecAndTheByte) {
  const auto damaged = [](const Vector& vector, std::size_t at, int bits) {
    std::string bytes = vector.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ bits);
    return TextOf(Try(vector.codec, bytes));
  };
  const std::vector<Vector> vectors = Vectors();
  EXPECT_EQ(damaged(vectors[0], 0, 1), "gzip: byte 2: incorrect header check");
  EXPECT_EQ(damaged(vectors[0], 26, 1), "gzip: byte 29: incorrect data check");
  EXPECT_EQ(damaged(vectors[2], 16, 0x80), "snappy: byte 16: negative length of a block");
  EXPECT_EQ(damaged(vectors[2], 19, 0x20), "snappy: byte 16: the stream is cut short");
  EXPECT_EQ(damaged(vectors[2], 11, 1), "snappy: byte 0: version below 1");
  EXPECT_EQ(damaged(vectors[2], 21, 0xff), "snappy: byte 20: damaged block");
  EXPECT_EQ(damaged(vectors[4], 0, 1), "lz4: byte 0: not a frame");
  EXPECT_EQ(damaged(vectors[4], 4, 0x20), "lz4: byte 0: blocks depend on each other");
  EXPECT_EQ(damaged(vectors[4], 4, 0x01), "lz4: byte 0: flags that are reserved");
  EXPECT_EQ(damaged(vectors[4], 5, 0x10), "lz4: byte 0: ERROR_headerChecksum_invalid");
  EXPECT_EQ(damaged(vectors[6], 0, 1), "zstd: byte 0: not a frame");
}

TEST(DecompressorTest, BytesAfterTheEndAreDataLoss) {
  EXPECT_EQ(TextOf(Try(Codec::kLz4, Vectors()[4].bytes + "x")), "lz4: byte 35: bytes after the end");
  EXPECT_EQ(Try(Codec::kGzip, Vectors()[0].bytes + "xyz").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Try(Codec::kSnappy, Vectors()[2].bytes + "x").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Try(Codec::kSnappy, Vectors()[3].bytes + "x").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Try(Codec::kZstd, Vectors()[6].bytes + "xyzuvw").code(), absl::StatusCode::kDataLoss);
}

TEST(DecompressorTest, TheBoundIsExact) {
  const std::string text = TenTimesTheDigits();
  for (const Vector& vector : Vectors()) {
    std::string output;
    EXPECT_EQ(Decompressor().Decompress(vector.codec, vector.bytes, 100, output, vector.framing), absl::OkStatus())
        << vector.writer;
    EXPECT_EQ(output, text) << vector.writer;
    EXPECT_EQ(Decompressor().Decompress(vector.codec, vector.bytes, 99, output, vector.framing).code(),
              absl::StatusCode::kResourceExhausted)
        << vector.writer;
    EXPECT_LE(output.size(), 99U) << vector.writer;
  }
}

// A bomb: 64 MiB of zeros in a few hundred bytes (gzip and lz4: some ten thousand).
TEST(DecompressorTest, ABombEndsAtTheBound) {
  const std::string zeros(64 << 20, '\0');
  for (const Codec codec : kAllCodecs) {
    const std::string bomb(Compressor(codec).Compress(zeros));
    std::string output;
    const absl::Status status = Try(codec, bomb, kPlenty, &output);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << CodecName(codec);
    EXPECT_NE(TextOf(status).find("at most 1048576 bytes are allowed"), std::string::npos) << TextOf(status);
    EXPECT_LE(output.size(), kPlenty) << CodecName(codec);
    EXPECT_LE(output.capacity(), 2 * kPlenty) << CodecName(codec);
  }
}

// A claim alone must not find memory.
TEST(DecompressorTest, ASnappyBlockThatClaimsMoreThanItCanHoldIsDataLoss) {
  // 4 GiB - 1 in five bytes of length and three more.
  EXPECT_EQ(TextOf(Try(Codec::kSnappy, FromHex("ffffffff0f 000000"), std::size_t{1} << 40)),
            "snappy: byte 0: a block claims more than its bytes can hold");
}

TEST(DecompressorTest, ASnappyBlockBeyondTheBoundIsNotTried) {
  const std::string zeros(1 << 16, '\0');
  const std::string stream(Compressor(Codec::kSnappy).Compress(zeros));
  std::string output;
  EXPECT_EQ(TextOf(Try(Codec::kSnappy, stream, 40'000, &output)).substr(0, 13), "snappy: byte ");
  EXPECT_EQ(output, std::string(32768, '\0'));
}

// WP-15: a frame that would keep 128 MiB to look back into.
TEST(DecompressorTest, AZstdWindowBeyondTheBoundIsRefused) {
  // Magic, no content size, window 2^27, one raw block of 1 byte, the last.
  const std::string frame = FromHex("28b52ffd 00 88 090000 78");
  std::string output;
  EXPECT_EQ(TextOf(Try(Codec::kZstd, frame, kPlenty)),
            "zstd: byte 1: a frame wants to look back too far; at most 1048576 bytes are allowed");
  EXPECT_EQ(Try(Codec::kZstd, frame, std::size_t{1} << 27, &output), absl::OkStatus());
  EXPECT_EQ(output, "x");
}

absl::StatusCode CodeInPieces(std::string_view stream, std::size_t piece_bytes) {
  Decompressor decompressor;
  std::vector<char> piece(piece_bytes);
  absl::StatusOr<std::size_t> count = 1;
  if (!decompressor.Open(Codec::kZstd, stream, kPlenty).ok()) return absl::StatusCode::kUnknown;
  while (count.ok() && *count > 0) count = decompressor.Read(piece);
  return count.status().code();
}

// The library sees none of these, or only when it may read the frame as a whole.
TEST(DecompressorTest, AZstdFrameOfAnotherSizeThanItSaysIsDataLossWhateverThePieces) {
  // Magic, content size 3, raw blocks of 2 bytes and of none, the last.
  const std::string less = FromHex("28b52ffd 20 03 100000 7878 010000");
  // The same, and a frame without content behind it.
  const std::string less_and_a_frame = less + FromHex("28b52ffd 20 00 010000");
  // Content size 3, two raw blocks of 2 bytes, the last empty.
  const std::string more = FromHex("28b52ffd 20 03 100000 7878 100000 7878 010000");
  for (const std::string& stream : {less, less_and_a_frame, more}) {
    for (const std::size_t piece_bytes : {1, 2, 3, 100}) {
      EXPECT_EQ(CodeInPieces(stream, piece_bytes), absl::StatusCode::kDataLoss) << piece_bytes;
    }
  }
}

// WP-15: the library of Debian reads what zstd 0.6 wrote, and reserves 128 MiB for these bytes.
TEST(DecompressorTest, AZstdFrameOfBeforeTheFormatIsRefused) {
  EXPECT_EQ(TextOf(Try(Codec::kZstd, FromHex("26b52ffd 1f d2010040500000005800"))), "zstd: byte 0: not a frame");
}

TEST(DecompressorTest, AZstdFrameToSkipIsSkipped) {
  std::string text;
  EXPECT_EQ(Try(Codec::kZstd, FromHex("5f2a4d18 02000000 abcd") + Vectors()[6].bytes, kPlenty, &text),
            absl::OkStatus());
  EXPECT_EQ(text, TenTimesTheDigits());
}

// The library's way to read a whole frame does not look at the window.
TEST(DecompressorTest, AZstdWindowIsBoundedWhateverThePieces) {
  // Magic, content size 1 in 4 bytes, window 2^27, one raw block of 1 byte, the last.
  const std::string frame = FromHex("28b52ffd 80 88 01000000 090000 78");
  for (const std::size_t piece_bytes : {1, 100}) {
    EXPECT_EQ(CodeInPieces(frame, piece_bytes), absl::StatusCode::kResourceExhausted) << piece_bytes;
  }
}

TEST(DecompressorTest, UndefinedCodecsAreUnimplemented) {
  for (const int number : {5, 6, 7}) {
    const absl::Status status = Try(Codec(number), "x");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
    EXPECT_EQ(TextOf(status), "codec " + std::to_string(number) + " is not defined");
  }
}

TEST(DecompressorTest, WhatCameBeforeTheDamageIsGivenFirst) {
  std::string stream(Compressor(Codec::kSnappy).Compress(std::string(32768, 'x')));
  stream += FromHex("00000001 05");
  Decompressor decompressor;
  ASSERT_EQ(decompressor.Open(Codec::kSnappy, stream, kPlenty), absl::OkStatus());
  std::vector<char> piece(40'000);
  EXPECT_EQ(*decompressor.Read(piece), 32768U);
  EXPECT_EQ(decompressor.Read(piece).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(decompressor.Read(piece).status().code(), absl::StatusCode::kDataLoss);
}

TEST(DecompressorTest, OneIsUsedAgainAfterAnError) {
  Decompressor decompressor;
  for (const Vector& vector : Vectors()) {
    std::string text;
    EXPECT_EQ(
        decompressor
            .Decompress(vector.codec, vector.bytes.substr(0, vector.bytes.size() - 1), kPlenty, text, vector.framing)
            .code(),
        absl::StatusCode::kDataLoss)
        << vector.writer;
    EXPECT_EQ(decompressor.Decompress(vector.codec, vector.bytes, kPlenty, text, vector.framing), absl::OkStatus())
        << vector.writer;
    EXPECT_EQ(text, TenTimesTheDigits()) << vector.writer;
  }
}

TEST(DecompressorDeathTest, UncompressedBytesAreNotItsBusiness) {
  Decompressor decompressor;
  EXPECT_DEATH((void)decompressor.Open(Codec::kNone, "x", 1), "check failed");
}

}  // namespace
}  // namespace ktrial
