#include "core/env/posix/config_providers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"

namespace ktrial {
namespace {

namespace fs = std::filesystem;
using Parameters = std::map<std::string, std::string>;

class ConfigProvidersTest : public ::testing::Test {
 protected:
  ConfigProvidersTest() {
    fs::create_directories(folder_ / "secrets" / "deeper");
    Write("secrets/orders.properties", "user = jo\npassword: s3cret\nempty =\n");
    Write("secrets/token", "line\n");
    Write("outside.properties", "a = 1\n");
  }
  ~ConfigProvidersTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, std::string_view content) { std::ofstream(folder_ / name) << content; }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  absl::StatusOr<std::unique_ptr<ConfigProvider>> Make(std::string name, const Parameters& parameters = {}) {
    return factory_->Make("org.apache.kafka.common.config.provider." + name, parameters);
  }
  std::string ErrorOf(std::string name, const Parameters& parameters) {
    return std::string(Make(std::move(name), parameters).status().message());
  }
  // "(none)" for a value that is not there.
  std::string Get(const std::string& provider, const std::string& path, const std::string& key,
                  const Parameters& parameters = {}) {
    auto made = Make(provider, parameters);
    if (!made.ok()) return std::string(made.status().message());
    const auto found = (*made)->Get(path, key);
    return found.ok() ? found->value_or("(none)") : "error: " + std::string(found.status().message());
  }

  const fs::path folder_ = fs::path(::testing::TempDir()) / "config_providers_test";
  const std::unique_ptr<ConfigProviderFactory> factory_ = MakePosixConfigProviders();
};

// The same calls were made with Kafka 4.4's own providers; where its answer is another one, the test says so.
TEST_F(ConfigProvidersTest, AFileHasTheValuesOfItsKeys) {
  const std::string file = Path("secrets/orders.properties");
  EXPECT_EQ(Get("FileConfigProvider", file, "user"), "jo");
  EXPECT_EQ(Get("FileConfigProvider", file, "password"), "s3cret");
  EXPECT_EQ(Get("FileConfigProvider", file, "empty"), "");
  EXPECT_EQ(Get("FileConfigProvider", file, "other"), "(none)");
}

TEST_F(ConfigProvidersTest, AFileThatIsNotThereIsAnError) {
  EXPECT_EQ(Get("FileConfigProvider", Path("none"), "user"), "error: the file cannot be read");
  // Java takes it for a variable that has no value.
  EXPECT_EQ(Get("FileConfigProvider", "", "user"), "error: it names no file, allowed: ${NAME:FILE:KEY}");
}

TEST_F(ConfigProvidersTest, AFolderHasItsFilesAsTheyAre) {
  EXPECT_EQ(Get("DirectoryConfigProvider", Path("secrets"), "token"), "line\n");
  EXPECT_EQ(Get("DirectoryConfigProvider", Path("secrets"), "none"), "(none)");
  EXPECT_EQ(Get("DirectoryConfigProvider", Path("none"), "token"), "(none)");
}

TEST_F(ConfigProvidersTest, AFolderHasNothingThatIsNotAFileRightInIt) {
  for (const char* key : {"deeper", "../outside.properties", "..", ".", "", "deeper/../token"}) {
    EXPECT_EQ(Get("DirectoryConfigProvider", Path("secrets"), key), "(none)") << key;
  }
}

TEST_F(ConfigProvidersTest, OnlyAllowedPathsAreRead) {
  const Parameters only_secrets = {{"allowed.paths", Path("secrets")}};
  EXPECT_EQ(Get("FileConfigProvider", Path("secrets/orders.properties"), "user", only_secrets), "jo");
  EXPECT_EQ(Get("FileConfigProvider", Path("outside.properties"), "a", only_secrets), "(none)");
  EXPECT_EQ(Get("FileConfigProvider", Path("secrets/../outside.properties"), "a", only_secrets), "(none)");
  EXPECT_EQ(Get("FileConfigProvider", Path("secrets/orders.properties"), "user",
                {{"allowed.paths", "/etc," + Path("secrets") + "/"}}),
            "jo");
  EXPECT_EQ(Get("DirectoryConfigProvider", Path("secrets"), "token", only_secrets), "line\n");
  EXPECT_EQ(Get("DirectoryConfigProvider", Path(""), "outside.properties", only_secrets), "(none)");
  // A longer name is another folder.
  fs::create_directories(folder_ / "secrets2");
  Write("secrets2/token", "x");
  EXPECT_EQ(Get("DirectoryConfigProvider", Path("secrets2"), "token", only_secrets), "(none)");
}

TEST_F(ConfigProvidersTest, AnAllowedPathIsAbsoluteAndExists) {
  EXPECT_EQ(ErrorOf("FileConfigProvider", {{"allowed.paths", "secrets"}}), "allowed.paths: secrets is not absolute");
  EXPECT_EQ(ErrorOf("DirectoryConfigProvider", {{"allowed.paths", "/no/such/folder"}}),
            "allowed.paths: /no/such/folder does not exist");
}

TEST_F(ConfigProvidersTest, TheEnvironmentHasItsVariables) {
  setenv("KTRIAL_TEST_SECRET", "from outside", 1);
  EXPECT_EQ(Get("EnvVarConfigProvider", "", "KTRIAL_TEST_SECRET"), "from outside");
  EXPECT_EQ(Get("EnvVarConfigProvider", "", "KTRIAL_TEST_OTHER"), "(none)");
  EXPECT_EQ(Get("EnvVarConfigProvider", "", ""), "(none)");
  EXPECT_EQ(Get("EnvVarConfigProvider", "box", "KTRIAL_TEST_SECRET"),
            "error: the environment has no paths, allowed: ${NAME:VARIABLE}");
}

TEST_F(ConfigProvidersTest, OnlyVariablesThatFitThePatternAsAWholeAreRead) {
  setenv("KTRIAL_TEST_SECRET", "from outside", 1);
  const auto get = [&](const char* pattern) {
    return Get("EnvVarConfigProvider", "", "KTRIAL_TEST_SECRET", {{"allowlist.pattern", pattern}});
  };
  EXPECT_EQ(get("KTRIAL_.*"), "from outside");
  EXPECT_EQ(get("KTRIAL_"), "(none)");
  EXPECT_EQ(get("OTHER|KTRIAL_TEST_[A-Z]+"), "from outside");
  EXPECT_EQ(get("(").substr(0, 50), "allowlist.pattern = \"(\" is no regular expression: ");
}

TEST_F(ConfigProvidersTest, OtherClassesAndParametersAreErrors) {
  EXPECT_TRUE(factory_->Make("EnvVarConfigProvider", {}).ok());
  EXPECT_EQ(std::string(factory_->Make("com.example.Vault", {}).status().message()),
            "\"com.example.Vault\" is not allowed: org.apache.kafka.common.config.provider.FileConfigProvider, "
            "DirectoryConfigProvider or EnvVarConfigProvider");
  EXPECT_EQ(ErrorOf("FileConfigProvider", {{"allowed.path", "/"}}),
            "FileConfigProvider has no parameter allowed.path, allowed: allowed.paths");
  EXPECT_EQ(ErrorOf("EnvVarConfigProvider", {{"allowed.paths", "/"}}),
            "EnvVarConfigProvider has no parameter allowed.paths, allowed: allowlist.pattern");
}

}  // namespace
}  // namespace ktrial
