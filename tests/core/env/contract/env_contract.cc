// What every Env promises of files and of secrets (core/env/env.h, core/env/entropy.h).
#include <array>
#include <string>

#include "gtest/gtest.h"
#include "tests/core/env/contract/door_world.h"

namespace ktrial {
namespace {

TEST(EnvContract, AFileThatIsNotThereIsAnErrorThatSaysSo) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const absl::StatusOr<std::string> content = env.ReadFile("/nowhere/ca.pem");
    EXPECT_EQ(content.status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(std::string(content.status().message()), "No such file or directory");
  });
}

std::string Secret(Entropy& entropy) {
  std::array<char, 33> bytes = {};
  entropy.Secret(bytes);
  return std::string(bytes.data(), bytes.size());
}

TEST(EnvContract, NoSecretIsLikeAnother) {
  auto world = NewDoorWorld();
  world->Run([&](Env& env) {
    const auto one = env.NewEntropy("one");
    const auto two = env.NewEntropy("two");
    const std::string first = Secret(*one);
    EXPECT_NE(first.find_last_not_of('\0'), std::string::npos);
    EXPECT_NE(Secret(*one), first);
    EXPECT_NE(Secret(*two), first);
  });
}

}  // namespace
}  // namespace ktrial
