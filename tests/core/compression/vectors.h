// What other programs made of one text: kafka-clients 4.4.0 (with snappy-java 1.1.10, lz4-java 1.11, zstd-jni 1.5.7), Python.
#ifndef TESTS_CORE_COMPRESSION_VECTORS_H_
#define TESTS_CORE_COMPRESSION_VECTORS_H_

#include <string>
#include <vector>

#include "core/compression/codec.h"
#include "core/compression/framing.h"
#include "tests/core/wire/hex.h"

namespace ktrial {

inline constexpr Codec kAllCodecs[] = {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};

// The text of all vectors: the ten digits, ten times.
inline std::string TenTimesTheDigits() {
  std::string text;
  for (int i = 0; i < 100; ++i) text += static_cast<char>('0' + i % 10);
  return text;
}

struct Vector {
  const char* writer;
  Codec codec;
  std::string bytes;
  Framing framing = Framing::kStandard;
};

inline std::vector<Vector> Vectors() {
  using wire::FromHex;
  return {
      {"Java gzip", Codec::kGzip, FromHex("1f8b08000000000000ff3330343236313533b7b034a0190b00bc4bfcb164000000")},
      {"Python zlib", Codec::kGzip, FromHex("1f8b08000000000002033330343236313533b7b034a0190b00bc4bfcb164000000")},
      {"Java snappy", Codec::kSnappy,
       FromHex("82534e4150505900 00000001 00000001 00000012 642430313233343536373839fe0a00660a00")},
      {"bare snappy", Codec::kSnappy, FromHex("642430313233343536373839fe0a00660a00")},
      {"Java lz4", Codec::kLz4, FromHex("04224d18604082 14000000af303132333435363738390a004250353637383900000000")},
      {"Java lz4 of message sets v0", Codec::kLz4,
       FromHex("04224d1860401a 14000000af303132333435363738390a004250353637383900000000"), Framing::kMessageSetV0},
      {"Java zstd", Codec::kZstd, FromHex("28b52ffd00588c000050303132333435363738390100d7a92001010000")},
  };
}

}  // namespace ktrial

#endif  // TESTS_CORE_COMPRESSION_VECTORS_H_
