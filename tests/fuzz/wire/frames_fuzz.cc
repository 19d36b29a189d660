// A stream gives the same frames, or the same error, however it is cut. The first byte of the input says how large the cuts are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire/frame_reader.h"

namespace ktrial::wire {
namespace {

struct Outcome {
  std::vector<std::string> frames;
  bool failed = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome FramesOf(std::string_view stream, std::size_t cut) {
  FrameReader reader(/*frame_bytes_max=*/1 << 20);
  Outcome outcome;
  while (!stream.empty() && !outcome.failed) {
    const std::span<char> space = reader.Space();
    const std::size_t part = std::min({space.size(), stream.size(), cut});
    std::copy_n(stream.data(), part, space.data());
    reader.Filled(part);
    stream.remove_prefix(part);
    for (;;) {
      const auto frame = reader.Next();
      outcome.failed = !frame.ok();
      if (!frame.ok() || !frame->has_value()) break;
      outcome.frames.emplace_back(**frame);
    }
  }
  return outcome;
}

}  // namespace
}  // namespace ktrial::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = std::size_t{1} + data[0];
  if (!(ktrial::wire::FramesOf(stream, cut) == ktrial::wire::FramesOf(stream, stream.size() + 1))) std::abort();
  return 0;
}
