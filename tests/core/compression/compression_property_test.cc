// Whatever is compressed comes back, in pieces of any size; and any bytes are a stream or an error.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"

namespace ktrial {
namespace {

Codec AnyCodec() { return *rc::gen::element(Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd); }

int AnyLevel(Codec codec) {
  const std::optional<LevelRange> range = LevelRangeOf(codec);
  if (!range) return 0;
  return *rc::gen::oneOf(rc::gen::just(range->fallback), rc::gen::inRange(std::max(range->min, -20), range->max + 1));
}

// Some noise, some repeats, sometimes over the borders of blocks.
std::string AnyText() {
  std::string text = *rc::gen::arbitrary<std::string>();
  const std::string unit = *rc::gen::arbitrary<std::string>();
  const int repeats = *rc::gen::weightedOneOf<int>({{9, rc::gen::inRange(0, 50)}, {1, rc::gen::inRange(0, 5000)}});
  for (int i = 0; i < repeats; ++i) text += unit;
  return text;
}

// Reads in pieces of the sizes given, again and again.
std::string ReadInPieces(Decompressor& decompressor, const std::vector<std::size_t>& sizes) {
  std::string text;
  for (std::size_t i = 0;; ++i) {
    std::vector<char> piece(sizes[i % sizes.size()]);
    const absl::StatusOr<std::size_t> count = decompressor.Read(piece);
    RC_ASSERT(count.ok());
    if (*count == 0) return text;
    text.append(piece.data(), *count);
  }
}

RC_GTEST_PROP(CompressionPropertyTest, AnyTextComesBackInAnyPieces, ()) {
  const Codec codec = AnyCodec();
  Compressor compressor(codec, AnyLevel(codec));
  Decompressor decompressor;
  const Framing framing = *rc::gen::element(Framing::kStandard, Framing::kMessageSetV0);
  for (int turn = 0; turn < 3; ++turn) {
    const std::string text = AnyText();
    const std::string stream(compressor.Compress(text, framing));
    RC_ASSERT(stream.size() <= compressor.BytesMax(text.size()));
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 3000)));
    RC_ASSERT(decompressor.Open(codec, stream, text.size(), framing).ok());
    RC_ASSERT(ReadInPieces(decompressor, sizes) == text);
    std::string whole;
    RC_ASSERT(decompressor.Decompress(codec, stream, text.size(), whole, framing).ok());
    RC_ASSERT(whole == text);
    if (text.empty()) continue;
    RC_ASSERT(decompressor.Decompress(codec, stream, text.size() - 1, whole, framing).code() ==
              absl::StatusCode::kResourceExhausted);
  }
}

RC_GTEST_PROP(CompressionPropertyTest, ADamagedStreamIsReadToAnEnd, ()) {
  const Codec codec = AnyCodec();
  std::string stream(Compressor(codec).Compress(AnyText()));
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    stream[*rc::gen::inRange<std::size_t>(0, stream.size())] = *rc::gen::arbitrary<char>();
  }
  constexpr std::size_t kBytesMax = 100'000;
  std::string output;
  const absl::Status status = Decompressor().Decompress(codec, stream, kBytesMax, output);
  RC_ASSERT(output.size() <= kBytesMax);
  RC_ASSERT(status.ok() || status.code() == absl::StatusCode::kDataLoss ||
            status.code() == absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace ktrial
