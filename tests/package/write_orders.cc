// write_orders BOOTSTRAP COUNT: writes so many orders to a real cluster.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "order_writer.h"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: write_orders BOOTSTRAP COUNT\n");
    return 2;
  }
  const auto config = ktrial::ProducerConfig::Parse({{"bootstrap.servers", arguments[1]}, {"linger.ms", "5"}});
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return 2;
  }
  const std::unique_ptr<ktrial::Env> env = ktrial::MakePosixEnv();
  const auto producer = ktrial::Producer::Create(*config, *env);
  if (!producer.ok()) {
    std::fprintf(stderr, "%s\n", std::string(producer.status().message()).c_str());
    return 1;
  }
  OrderWriter writer(*env, **producer, 100);
  const int orders = std::atoi(arguments[2]);
  for (int number = 0; number < orders; ++number) {
    writer.Write("customer-" + std::to_string(number % 7), "order-" + std::to_string(number));
  }
  const OrderWriter::Tally tally = writer.Finish();
  const absl::Status closed = (*producer)->Close(std::chrono::seconds(30));
  std::printf("%d written, %d failed\n", tally.written, tally.failed);
  return tally.failed == 0 && closed.ok() ? 0 : 1;
}
