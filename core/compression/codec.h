// The codecs of Kafka's batches: their numbers on the wire, their names and levels in the configuration (WP-15).
#ifndef CORE_COMPRESSION_CODEC_H_
#define CORE_COMPRESSION_CODEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ktrial {

// What `compression.type` chooses. From the wire may come 5, 6 and 7, which nobody has defined: IsKnown tells.
enum class Codec : std::uint8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };
inline constexpr int kCodecCount = 5;
constexpr bool IsKnown(Codec codec) { return static_cast<int>(codec) < kCodecCount; }

// "none", "gzip", "snappy", "lz4", "zstd", as Kafka spells them; "unknown" for the others.
std::string_view CodecName(Codec codec);
std::optional<Codec> CodecFromName(std::string_view name);

// What `compression.<codec>.level` may be: min to max, or the default, which may lie outside (gzip: -1, the library's
// own choice). Nothing for codecs without levels.
struct LevelRange {
  int min = 0;
  int max = 0;
  int fallback = 0;  // when the configuration says nothing
  constexpr bool Contains(int level) const { return level == fallback || (level >= min && level <= max); }
  friend constexpr bool operator==(LevelRange, LevelRange) = default;
};
std::optional<LevelRange> LevelRangeOf(Codec codec);
// The default level; 0 for codecs without levels.
int DefaultLevel(Codec codec);

// Of the library that does the work, "1.2.13": compressed bytes are the same only for equal versions. Empty for kNone.
std::string CodecLibraryVersion(Codec codec);

}  // namespace ktrial

#endif  // CORE_COMPRESSION_CODEC_H_
