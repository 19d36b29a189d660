#include "sim/broker/record_identity.h"

#include <gtest/gtest.h>

#include <string>

namespace ktrial::sim {
namespace {

TEST(RecordIdentityTest, IdentityThatWasWrittenIsReadBack) {
  std::string value(20, 'x');
  WriteIdentity(0x0102030405060708U, value);
  EXPECT_EQ(value.substr(0, 8), "\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_EQ(IdentityOf(IdentityRule::kValuePrefix, "key", value), 0x0102030405060708U);
}

TEST(RecordIdentityTest, ShortAndAbsentValuesAreHashed) {
  const RecordIdentity absent = IdentityOf(IdentityRule::kValuePrefix, std::nullopt, std::nullopt);
  const RecordIdentity empty = IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "");
  const RecordIdentity shorter = IdentityOf(IdentityRule::kValuePrefix, std::nullopt, "1234567");
  EXPECT_NE(absent, empty);
  EXPECT_NE(empty, shorter);
  EXPECT_EQ(shorter, HashIdentity(std::nullopt, "1234567"));
}

TEST(RecordIdentityTest, WholeRecordTellsEqualPrefixesApart) {
  EXPECT_NE(IdentityOf(IdentityRule::kWholeRecord, std::nullopt, "message-1"),
            IdentityOf(IdentityRule::kWholeRecord, std::nullopt, "message-2"));
  EXPECT_NE(IdentityOf(IdentityRule::kWholeRecord, "a", "bc"), IdentityOf(IdentityRule::kWholeRecord, "ab", "c"));
}

TEST(RecordIdentityTest, AbsentAndEmptyValuesDiffer) {
  EXPECT_NE(HashIdentity("key", std::nullopt), HashIdentity("key", ""));
}

}  // namespace
}  // namespace ktrial::sim
