// Sends records with librdkafka, as produce_ktrial.cc does with ours, and prints what came of them. See compare.py.
//
//   produce_librdkafka HOST:PORT RECORDS BYTES [KEY=VALUE...]
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kPartitions = 12;

std::int64_t delivered = 0;
std::int64_t errors = 0;

void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  ++(message->err == RD_KAFKA_RESP_ERR_NO_ERROR ? delivered : errors);
}

void Set(rd_kafka_conf_t* conf, const std::string& key, const std::string& value) {
  char error[512];
  if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), error, sizeof error) == RD_KAFKA_CONF_OK) return;
  std::fprintf(stderr, "%s=%s: %s\n", key.c_str(), value.c_str(), error);
  std::exit(2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "produce_librdkafka HOST:PORT RECORDS BYTES [KEY=VALUE...]\n");
    return 2;
  }
  const std::int64_t records = std::atoll(argv[2]);
  const std::string payload(static_cast<std::size_t>(std::atoll(argv[3])), 'x');
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Set(conf, "bootstrap.servers", argv[1]);
  Set(conf, "acks", "1");
  Set(conf, "linger.ms", "5");
  Set(conf, "batch.size", "16384");
  Set(conf, "queue.buffering.max.kbytes", "32768");
  Set(conf, "queue.buffering.max.messages", "10000000");
  Set(conf, "enable.idempotence", "false");
  for (int i = 4; i < argc; ++i) {
    const char* equals = std::strchr(argv[i], '=');
    if (equals == nullptr) return 2;
    Set(conf, std::string(argv[i], static_cast<std::size_t>(equals - argv[i])), equals + 1);
  }
  rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
  char error[512];
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (producer == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  rd_kafka_topic_t* topic = rd_kafka_topic_new(producer, "bench", nullptr);
  for (std::int64_t i = 0; i < records; ++i) {
    while (rd_kafka_produce(topic, static_cast<std::int32_t>(i % kPartitions), RD_KAFKA_MSG_F_COPY,
                            const_cast<char*>(payload.data()), payload.size(), nullptr, 0, nullptr) != 0) {
      rd_kafka_poll(producer, 1);  // The queue is full.
    }
    if (i % 1000 == 0) rd_kafka_poll(producer, 0);
  }
  rd_kafka_flush(producer, 60'000);
  std::printf("%lld delivered, %lld errors\n", static_cast<long long>(delivered), static_cast<long long>(errors));
  const bool good = delivered == records;
  rd_kafka_topic_destroy(topic);
  rd_kafka_destroy(producer);
  return good ? 0 : 1;
}
