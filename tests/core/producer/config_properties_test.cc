#include "core/producer/config_properties.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/producer/config.h"

namespace ktrial {
namespace {

std::map<std::string, std::string> Values(std::string_view content) {
  const absl::StatusOr<PropertyFile> file = ParseProperties(content, "p");
  EXPECT_TRUE(file.ok()) << file.status().message();
  std::map<std::string, std::string> values;
  if (!file.ok()) return values;
  for (const auto& [key, value] : *file) values[key] = value.text;
  return values;
}

using Map = std::map<std::string, std::string>;

std::string ErrorOf(std::string_view content) {
  const absl::StatusOr<PropertyFile> file = ParseProperties(content, "p.properties");
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(file.status().message());
}

TEST(ConfigPropertiesTest, KeysEndAtAnEqualsSignAColonOrABlank) {
  EXPECT_EQ(
      Values("a=1\nb:2\nc 3\nd = 4\ne\t:\t5\nf==6\ng=h:9092\ni : = 7\n"),
      (Map{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}, {"f", "=6"}, {"g", "h:9092"}, {"i", "= 7"}}));
}

TEST(ConfigPropertiesTest, AKeyAloneHasAnEmptyValue) {
  EXPECT_EQ(Values("a\nb=\nc"), (Map{{"a", ""}, {"b", ""}, {"c", ""}}));
}

TEST(ConfigPropertiesTest, CommentsAndBlankLinesSayNothing) {
  EXPECT_EQ(Values("# a=1\n  ! b=2\n\n \t\nc=3 # not a comment\n"), (Map{{"c", "3 # not a comment"}}));
}

TEST(ConfigPropertiesTest, ABackslashAtTheEndJoinsTheNextLineWithoutItsLeadingBlanks) {
  EXPECT_EQ(Values("a=h:1,\\\n   h:2,\\\r\n\th:3\nb=2"), (Map{{"a", "h:1,h:2,h:3"}, {"b", "2"}}));
  EXPECT_EQ(Values("a=1\\\n# 2\n"), (Map{{"a", "1# 2"}}));
  EXPECT_EQ(Values("a=1\\"), (Map{{"a", "1"}}));
}

TEST(ConfigPropertiesTest, TwoBackslashesAtTheEndAreOneAndJoinNothing) {
  EXPECT_EQ(Values("a=1\\\\\nb=2"), (Map{{"a", "1\\"}, {"b", "2"}}));
}

TEST(ConfigPropertiesTest, ACommentDoesNotGoOn) { EXPECT_EQ(Values("# a \\\nb=2"), (Map{{"b", "2"}})); }

TEST(ConfigPropertiesTest, EscapesAreTakenInKeysAndValues) {
  EXPECT_EQ(Values("a\\=b\\ c\\:d = \\t\\n\\r\\f\\q\\\"\\\\"), (Map{{"a=b c:d", "\t\n\r\fq\"\\"}}));
  EXPECT_EQ(Values("\\#a=1"), (Map{{"#a", "1"}}));
}

TEST(ConfigPropertiesTest, UnicodeEscapesBecomeUtf8) {
  EXPECT_EQ(Values("a=\\u0041\\u00e4\\u20AC\\ud83d\\ude00"), (Map{{"a", "A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"}}));
  EXPECT_EQ(Values("a=\xC3\xA4"), (Map{{"a", "\xC3\xA4"}}));
}

TEST(ConfigPropertiesTest, BlanksAtTheEndBelongToTheValue) { EXPECT_EQ(Values("a = 1  \n"), (Map{{"a", "1  "}})); }

TEST(ConfigPropertiesTest, TheLastOfTwoCounts) { EXPECT_EQ(Values("a=1\na=2\n"), (Map{{"a", "2"}})); }

TEST(ConfigPropertiesTest, LinesEndWithLineFeedCarriageReturnOrBoth) {
  EXPECT_EQ(Values("a=1\rb=2\r\nc=3\nd=4"), (Map{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}));
}

TEST(ConfigPropertiesTest, AByteOrderMarkIsNoPartOfTheFirstKey) {
  EXPECT_EQ(Values("\xEF\xBB\xBF"
                   "a=1"),
            (Map{{"a", "1"}}));
}

TEST(ConfigPropertiesTest, EachValueKnowsTheLineOfItsKey) {
  const absl::StatusOr<PropertyFile> file = ParseProperties("# c\r\n\r\na=1,\\\r\n2\r\nb=3", "p");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->at("a"), (PropertyValue{"1,2", 3}));
  EXPECT_EQ(file->at("b"), (PropertyValue{"3", 5}));
}

TEST(ConfigPropertiesTest, AnErrorNamesFileAndLine) {
  EXPECT_EQ(ErrorOf("a=1\n=2\n"), "p.properties:2: there is no key, allowed: KEY=VALUE");
  EXPECT_EQ(ErrorOf("\n\\u00g0=1"),
            "p.properties:2: the key has a \\u without a character, allowed: four hexadecimal digits behind it");
}

// A path of Windows in a secret would look like this.
TEST(ConfigPropertiesTest, AnErrorInAValueDoesNotShowIt) {
  for (const char* value :
       {"hunter2\\u12", "hunter2\\user", "hunter2\\ud83d", "hunter2\\ude00", "hunter2\\ud83d\\u0041"}) {
    EXPECT_EQ(ErrorOf(std::string("ssl.key.password=") + value),
              "p.properties:1: the value of ssl.key.password has a \\u without a character, allowed: four hexadecimal "
              "digits behind it, "
              "\\\\ for a backslash");
  }
}

TEST(ConfigFromPropertiesTest, AFileBecomesAConfiguration) {
  const auto config = ProducerConfig::FromProperties("# ours\nbootstrap.servers: 127.0.0.1:9092\nlinger.ms = 7\n", "p");
  ASSERT_TRUE(config.ok()) << config.status().message();
  ASSERT_EQ(config->bootstrap_servers.size(), 1u);
  EXPECT_EQ(config->bootstrap_servers[0].port, 9092);
  EXPECT_EQ(config->linger, std::chrono::milliseconds(7));
}

TEST(ConfigFromPropertiesTest, AnErrorBeginsWithItsPlace) {
  std::vector<ConfigProblem> problems;
  const absl::Status status =
      ProducerConfig::FromProperties("bootstrap.servers=127.0.0.1:9092\n\nlinger.sm=7\n", "p", &problems).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].key, "linger.sm");
  EXPECT_EQ(std::string(status.message()), "p:3: " + problems[0].text);
}

TEST(ConfigFromPropertiesTest, WhatIsNotInTheFileHasNoLine) {
  std::vector<ConfigProblem> problems;
  const absl::Status status = ProducerConfig::FromProperties("acks=all\n", "p", &problems).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(std::string(status.message()), "p: " + problems[0].text);
}

TEST(ConfigFromPropertiesTest, WhatIsNoSuchFileIsAnErrorOfItsPlace) {
  const absl::Status broken = ProducerConfig::FromProperties("acks=\\u00\n", "p").status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(std::string(broken.message()).starts_with("p:1: ")) << broken.message();
}

}  // namespace
}  // namespace ktrial
