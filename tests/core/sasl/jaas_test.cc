#include "core/sasl/jaas.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(JaasTest, ModuleAndOptionsAreRead) {
  const auto login = ParseJaas(
      "org.apache.kafka.common.security.plain.PlainLoginModule required\n  username=\"alice\"\n  password=\"a;b='c' "
      "d\";\n");
  ASSERT_TRUE(login.has_value());
  EXPECT_EQ(login->module, "org.apache.kafka.common.security.plain.PlainLoginModule");
  EXPECT_THAT(login->options, ElementsAre(Pair("password", "a;b='c' d"), Pair("username", "alice")));
}

TEST(JaasTest, QuotesAndBackslashesAreTaken) {
  const auto login = ParseJaas(R"(M optional a='x"y' b="q\"\\\t" c=word;)");
  ASSERT_TRUE(login.has_value());
  EXPECT_THAT(login->options, ElementsAre(Pair("a", "x\"y"), Pair("b", "q\"\\\t"), Pair("c", "word")));
}

TEST(JaasTest, WhatIsNotOfTheFormIsNotRead) {
  for (const char* text :
       {"", "M", "M required", "M required a", "M required a=", "M required a=\"b;", "M perhaps a=b;", "M required a=b",
        "M required a=b; N required;", "M required =b;", "\"M\" required;"}) {
    EXPECT_FALSE(ParseJaas(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace ktrial
