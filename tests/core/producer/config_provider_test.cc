#include "core/producer/config_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "core/producer/profile.h"

namespace ktrial {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Values = std::map<std::string, std::string>;

// Has "PATH/KEY" for what it was given as parameters; `broken` as a path is an error.
class MapProvider : public ConfigProvider {
 public:
  explicit MapProvider(Values known) : known_(std::move(known)) {}
  absl::StatusOr<std::optional<std::string>> Get(std::string_view path, std::string_view key) override {
    if (path == "broken") return absl::InvalidArgumentError("it cannot be read");
    const auto found = known_.find(std::string(path) + "/" + std::string(key));
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }

 private:
  const Values known_;
};

class MapFactory : public ConfigProviderFactory {
 public:
  absl::StatusOr<std::unique_ptr<ConfigProvider>> Make(std::string_view class_name, const Values& parameters) override {
    if (class_name != "Map")
      return absl::InvalidArgumentError("\"" + std::string(class_name) + "\" is not allowed: Map");
    if (parameters.contains("wrong")) return absl::InvalidArgumentError("Map has no parameter wrong");
    return std::make_unique<MapProvider>(parameters);
  }
};

class ConfigProviderTest : public ::testing::Test {
 protected:
  // With the provider m, which has a value at "/top", "box/inner" and "box/a:b".
  Values With(Values values) {
    values.insert({{"config.providers", " m "},
                   {"config.providers.m.class", "Map"},
                   {"config.providers.m.param./top", "looked up"},
                   {"config.providers.m.param.box/inner", "${m:top}"},
                   {"config.providers.m.param.box/a:b", "colons"}});
    return values;
  }
  std::string ValueOf(std::string value) {
    const LookedUpValues result = LookUpVariables(With({{"k", std::move(value)}}), &factory_);
    EXPECT_TRUE(result.problems.empty()) << result.problems[0].text;
    return result.values.at("k");
  }
  std::string ErrorOf(Values values) {
    const LookedUpValues result = LookUpVariables(values, &factory_);
    std::string text;
    for (const ConfigProblem& problem : result.problems) text += problem.key + " | " + problem.text + "\n";
    return text;
  }

  MapFactory factory_;
};

// KIP-297, as Kafka 4.4 does it.
TEST_F(ConfigProviderTest, AVariableIsReplacedWhereverItStands) {
  EXPECT_EQ(ValueOf("${m:top}"), "looked up");
  EXPECT_EQ(ValueOf("a ${m:top}, b ${m:top}."), "a looked up, b looked up.");
  EXPECT_EQ(ValueOf("$${m:top}}"), "$looked up}");
  EXPECT_EQ(ValueOf("${m::top}"), "looked up");
}

TEST_F(ConfigProviderTest, AVariableMayHaveAPathAndAKeyMayHaveColons) { EXPECT_EQ(ValueOf("${m:box:a:b}"), "colons"); }

TEST_F(ConfigProviderTest, WhatWasLookedUpIsNotLookedAtAgain) { EXPECT_EQ(ValueOf("${m:box:inner}"), "${m:top}"); }

TEST_F(ConfigProviderTest, WhatIsNoVariableOfAProviderStays) {
  for (const char* text : {"${other:top}", "${top}", "${m:top", "$m:top", "${}", "plain"})
    EXPECT_EQ(ValueOf(text), text);
}

TEST_F(ConfigProviderTest, TheKeysOfProvidersAreNotPassedOn) {
  const LookedUpValues result = LookUpVariables(With({{"a", "${m:top}"}, {"b", "plain"}}), &factory_);
  EXPECT_EQ(result.values, (Values{{"a", "looked up"}, {"b", "plain"}}));
  EXPECT_THAT(result.secret, ElementsAre("a"));
}

TEST_F(ConfigProviderTest, AVariableWithoutAValueIsAnError) {
  EXPECT_EQ(ErrorOf(With({{"k", "${m:nothing}"}})), "k | k: ${m:nothing} has no value there, or it may not be read\n");
  EXPECT_EQ(ErrorOf(With({{"k", "${m:broken:x}"}})), "k | k: ${m:broken:x}: it cannot be read\n");
}

TEST_F(ConfigProviderTest, AProviderNeedsAClassThatTheProgramKnows) {
  EXPECT_EQ(ErrorOf({{"config.providers", "m"}, {"k", "${m:x}"}}),
            "config.providers.m.class | config.providers.m.class is required, as config.providers has m\n");
  EXPECT_EQ(ErrorOf({{"config.providers", "m"}, {"config.providers.m.class", "Vault"}, {"k", "${m:x}"}}),
            "config.providers.m.class | config.providers.m.class: \"Vault\" is not allowed: Map\n");
}

TEST_F(ConfigProviderTest, AParameterThatIsWrongIsNamed) {
  EXPECT_EQ(ErrorOf(With({{"config.providers.m.param.wrong", "x"}})),
            "config.providers.m.param.wrong | config.providers.m.param.wrong: Map has no parameter wrong\n");
}

TEST_F(ConfigProviderTest, KeysOfAProviderThatIsNotListedAreAnError) {
  const std::string allowed =
      ", allowed: config.providers.NAME.class and config.providers.NAME.param.KEY for each NAME of config.providers\n";
  EXPECT_EQ(ErrorOf({{"config.providers.x.class", "Map"}}),
            "config.providers.x.class | config.providers.x.class belongs to no provider" + allowed);
  EXPECT_EQ(ErrorOf(With({{"config.providers.m.klass", "Map"}})),
            "config.providers.m.klass | config.providers.m.klass belongs to no provider" + allowed);
}

TEST_F(ConfigProviderTest, WithoutAFactoryThereMustBeNoProvider) {
  EXPECT_EQ(LookUpVariables({{"k", "${m:top}"}}, nullptr).values, (Values{{"k", "${m:top}"}}));
  EXPECT_TRUE(LookUpVariables({{"config.providers", ""}}, nullptr).problems.empty());
  const LookedUpValues refused = LookUpVariables(With({}), nullptr);
  ASSERT_EQ(refused.problems.size(), 1u);
  EXPECT_EQ(refused.problems[0].key, "config.providers");
  EXPECT_TRUE(refused.problems[0].unsupported);
}

// --- In a configuration ---

TEST_F(ConfigProviderTest, AConfigurationIsParsedAfterItsVariablesWereLookedUp) {
  Values values = With({{"bootstrap.servers", "a:1"}, {"client.id", "${m:top}"}});
  const auto config = ProducerConfig::Parse(values, nullptr, nullptr, &factory_);
  ASSERT_EQ(config.status(), absl::OkStatus());
  EXPECT_EQ(config->client_id, "looked up");
}

TEST_F(ConfigProviderTest, WhatWasLookedUpIsNeverShown) {
  Values values = With({{"bootstrap.servers", "a:1"}, {"acks", "${m:top}"}, {"linger.ms", "${m:top}"}});
  std::vector<ConfigProblem> problems;
  const auto config = ProducerConfig::Parse(values, &problems, nullptr, &factory_);
  EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(config.status().message()),
            "acks = what was looked up is not allowed: all, -1, 0 or 1 (PR-20)\n"
            "linger.ms = what was looked up is not allowed: 0 ... 9223372036854775807 (AC-12)");
}

TEST_F(ConfigProviderTest, UnderTheNameOfAnotherClientItIsNotShownEither) {
  Values values = With({{"bootstrap.servers", "a:1"}, {"queue.buffering.max.ms", "${m:top}"}});
  const auto config = ProducerConfig::Parse(values, nullptr, FindProfile("librdkafka-2"), &factory_);
  EXPECT_THAT(std::string(config.status().message()), HasSubstr("queue.buffering.max.ms"));
  EXPECT_THAT(std::string(config.status().message()), Not(HasSubstr("looked up\"")));
}

TEST_F(ConfigProviderTest, ALineOfAFileIsNamedForAVariableWithoutAValue) {
  const std::string file =
      "bootstrap.servers = a:1\nconfig.providers = m\nconfig.providers.m.class = Map\nclient.id = ${m:nothing}\n";
  EXPECT_EQ(std::string(ProducerConfig::FromProperties(file, "f", nullptr, nullptr, &factory_).status().message()),
            "f:4: client.id: ${m:nothing} has no value there, or it may not be read");
}

TEST_F(ConfigProviderTest, WithoutAFactoryAConfigurationSaysSo) {
  const auto config = ProducerConfig::Parse(With({{"bootstrap.servers", "a:1"}}));
  EXPECT_EQ(config.status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace ktrial
