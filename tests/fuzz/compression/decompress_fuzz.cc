// Any bytes give a text or an error, within the bound, and the same whether they are read as a whole or in pieces. What was
// read can be compressed and comes back. The first byte of the input chooses bound, size of the pieces and framing. KT_FUZZ_CODEC
// is a Codec.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/decompressor.h"

namespace ktrial {
namespace {

constexpr Codec kCodec = Codec::KT_FUZZ_CODEC;

void Require(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::string text;
  absl::StatusCode code = absl::StatusCode::kOk;
};

Outcome InPieces(Decompressor& decompressor, std::string_view stream, std::size_t bytes_max, Framing framing,
                 std::size_t piece_bytes) {
  Outcome outcome;
  Require(decompressor.Open(kCodec, stream, bytes_max, framing).ok());
  std::vector<char> piece(piece_bytes);
  for (;;) {
    const absl::StatusOr<std::size_t> count = decompressor.Read(piece);
    outcome.code = count.status().code();
    if (!count.ok() || *count == 0) return outcome;
    outcome.text.append(piece.data(), *count);
  }
}

void TryOne(std::string_view input) {
  const auto choice = static_cast<unsigned char>(input[0]);
  const std::string_view stream = input.substr(1);
  const std::size_t bytes_max = std::size_t{1} << (choice % 4 * 6);  // 1 byte to 256 KiB
  const std::size_t piece_bytes = std::size_t{1} + choice / 16 * 1000;
  const Framing framing = (choice & 4) != 0 ? Framing::kMessageSetV0 : Framing::kStandard;
  Decompressor decompressor;
  Outcome whole;
  whole.code = decompressor.Decompress(kCodec, stream, bytes_max, whole.text, framing).code();
  Require(whole.text.size() <= bytes_max);
  Require(whole.code == absl::StatusCode::kOk || whole.code == absl::StatusCode::kDataLoss ||
          whole.code == absl::StatusCode::kResourceExhausted);
  const Outcome pieces = InPieces(decompressor, stream, bytes_max, framing, piece_bytes);
  // How much of a damaged stream comes out before the damage is seen depends on the pieces.
  Require(pieces.code == whole.code);
  if (whole.code != absl::StatusCode::kOk) return;
  Require(pieces.text == whole.text);
  Compressor compressor(kCodec);
  std::string again;
  Require(decompressor.Decompress(kCodec, compressor.Compress(whole.text, framing), bytes_max, again, framing).ok());
  Require(again == whole.text);
}

}  // namespace
}  // namespace ktrial

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0) ktrial::TryOne({reinterpret_cast<const char*>(data), size});
  return 0;
}
