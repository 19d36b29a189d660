// A configuration that stands in a file: its values, and where it is wrong.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/producer/config.h"

namespace ktrial {
namespace {

std::string FileWith(std::string_view content) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path = std::string(folder == nullptr ? "." : folder) + "/p.properties";
  std::ofstream(path) << content;
  return path;
}

TEST(ConfigFileTest, AFileBecomesAConfiguration) {
  const auto config = ProducerConfig::ParseFile(FileWith("# ours\nbootstrap.servers: 127.0.0.1:9092\nlinger.ms = 7\n"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  ASSERT_EQ(config->bootstrap_servers.size(), 1u);
  EXPECT_EQ(config->bootstrap_servers[0].port, 9092);
  EXPECT_EQ(config->linger, std::chrono::milliseconds(7));
}

TEST(ConfigFileTest, AnErrorBeginsWithItsPlace) {
  const std::string path = FileWith("bootstrap.servers=127.0.0.1:9092\n\nlinger.sm=7\n");
  std::vector<ConfigProblem> problems;
  const absl::Status status = ProducerConfig::ParseFile(path, &problems).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].key, "linger.sm");
  EXPECT_EQ(status.message(), path + ":3: " + problems[0].text);
}

TEST(ConfigFileTest, WhatIsNotInTheFileHasNoLine) {
  const std::string path = FileWith("acks=all\n");
  std::vector<ConfigProblem> problems;
  const absl::Status status = ProducerConfig::ParseFile(path, &problems).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(status.message(), path + ": " + problems[0].text);
}

TEST(ConfigFileTest, AFileThatIsNotOneIsAnErrorOfItsPlace) {
  const absl::Status broken = ProducerConfig::ParseFile(FileWith("acks=\\u00\n")).status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(broken.message()).find("p.properties:1: "), std::string::npos) << broken.message();
  const absl::Status missing = ProducerConfig::ParseFile("/nowhere/p.properties").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(missing.message(), "/nowhere/p.properties: cannot be read: No such file or directory");
  const absl::Status folder = ProducerConfig::ParseFile("/").status();
  EXPECT_EQ(folder.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(folder.message(), "/: cannot be read: Is a directory");
}

}  // namespace
}  // namespace ktrial
