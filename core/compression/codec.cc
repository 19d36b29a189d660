#include "core/compression/codec.h"

#include <lz4.h>
#include <snappy-stubs-public.h>
#include <zlib.h>
#include <zstd.h>

#include <array>

namespace ktrial {
namespace {

constexpr std::array<std::string_view, kCodecCount> kNames = {"none", "gzip", "snappy", "lz4", "zstd"};

// Kafka's, which are those of its own libraries. ZSTD_minCLevel() of ours is the same number, and a test compares them.
constexpr LevelRange kGzipLevels{.min = 1, .max = 9, .fallback = -1};
constexpr LevelRange kLz4Levels{.min = 1, .max = 17, .fallback = 9};
constexpr LevelRange kZstdLevels{.min = -131072, .max = 22, .fallback = 3};

}  // namespace

std::string_view CodecName(Codec codec) {
  return IsKnown(codec) ? kNames[static_cast<std::size_t>(codec)] : std::string_view("unknown");
}

std::optional<Codec> CodecFromName(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Codec>(i);
  }
  return std::nullopt;
}

std::optional<LevelRange> LevelRangeOf(Codec codec) {
  switch (codec) {
    case Codec::kGzip:
      return kGzipLevels;
    case Codec::kLz4:
      return kLz4Levels;
    case Codec::kZstd:
      return kZstdLevels;
    default:
      return std::nullopt;
  }
}

int DefaultLevel(Codec codec) {
  const std::optional<LevelRange> range = LevelRangeOf(codec);
  return range ? range->fallback : 0;
}

std::string CodecLibraryVersion(Codec codec) {
  switch (codec) {
    case Codec::kGzip:
      return zlibVersion();
    case Codec::kSnappy:
      return std::to_string(SNAPPY_MAJOR) + "." + std::to_string(SNAPPY_MINOR) + "." +
             std::to_string(SNAPPY_PATCHLEVEL);
    case Codec::kLz4:
      return LZ4_versionString();
    case Codec::kZstd:
      return ZSTD_versionString();
    default:
      return {};
  }
}

}  // namespace ktrial
