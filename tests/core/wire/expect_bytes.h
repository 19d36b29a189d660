// Golden bytes of messages.
#ifndef TESTS_CORE_WIRE_EXPECT_BYTES_H_
#define TESTS_CORE_WIRE_EXPECT_BYTES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/wire/codec.h"
#include "tests/core/wire/hex.h"

namespace ktrial::wire {

// The message is encoded as these bytes, in hexadecimal, and read back from them.
template <class Message>
void ExpectBytes(const Message& message, std::int16_t version, std::string_view hex) {
  std::string out;
  Encode(message, version, out);
  EXPECT_EQ(ToHex(out), ToHex(FromHex(hex))) << "v" << version;
  const absl::StatusOr<Message> back = Decode<Message>(out, version);
  ASSERT_EQ(back.status(), absl::OkStatus()) << "v" << version;
  EXPECT_EQ(*back, message) << "v" << version;
}

}  // namespace ktrial::wire

#endif  // TESTS_CORE_WIRE_EXPECT_BYTES_H_
