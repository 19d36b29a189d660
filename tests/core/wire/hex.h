// Bytes as readable hexadecimal and back, for golden values.
#ifndef TESTS_CORE_WIRE_HEX_H_
#define TESTS_CORE_WIRE_HEX_H_

#include <string>
#include <string_view>

namespace ktrial::wire {

// "00ff"
inline std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    hex += kDigits[static_cast<unsigned char>(c) >> 4];
    hex += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

// Spaces are skipped, so that fields can be set apart; all else must be lower-case hexadecimal.
inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  int digits = 0;
  unsigned value = 0;
  for (const char c : hex) {
    if (c == ' ') continue;
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (++digits % 2 == 0) {
      bytes += static_cast<char>(value);
      value = 0;
    }
  }
  return bytes;
}

}  // namespace ktrial::wire

#endif  // TESTS_CORE_WIRE_HEX_H_
