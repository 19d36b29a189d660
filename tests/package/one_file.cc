// What pkg-config alone must suffice for: prints what a configuration has to say.
#include <ktrial/producer.h>

#include <cstdio>
#include <string>

int main() {
  const auto config = ktrial::ProducerConfig::Parse({{"linger.sm", "5"}});
  if (config.ok()) return 1;
  std::puts(std::string(config.status().message()).c_str());
  return 0;
}
