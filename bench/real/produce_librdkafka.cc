// Sends records with librdkafka, as produce_ktrial.cc does with ours, and prints what came of them. See load.h and compare.py.
#include <librdkafka/rdkafka.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/real/load.h"

namespace ktrial::bench {
namespace {

void OnDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* context) {
  auto& tally = *static_cast<Tally*>(context);
  if (message->_private != nullptr) {
    tally.nanos.push_back(NowNanos() - *static_cast<const std::int64_t*>(message->_private));
  }
  ++(message->err == RD_KAFKA_RESP_ERR_NO_ERROR ? tally.delivered : tally.errors);
}

void Set(rd_kafka_conf_t* conf, const std::string& key, const std::string& value) {
  char error[512];
  if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), error, sizeof error) == RD_KAFKA_CONF_OK) return;
  std::fprintf(stderr, "%s=%s: %s\n", key.c_str(), value.c_str(), error);
  std::exit(2);
}

// `sent`: when, with --rate; lives as long as the producer.
void SendAll(rd_kafka_t* producer, rd_kafka_topic_t* topic, const Load& load, std::vector<std::int64_t>& sent) {
  const Values values(load);
  const Pace pace(load);
  for (std::int64_t i = 0; i < load.records; ++i) {
    const std::string_view value = values.Of(i);
    void* opaque = nullptr;
    if (load.rate > 0) {
      pace.Await(i);
      sent[static_cast<std::size_t>(i)] = NowNanos();
      opaque = &sent[static_cast<std::size_t>(i)];
    }
    while (rd_kafka_produce(topic, static_cast<std::int32_t>(i % kPartitions), RD_KAFKA_MSG_F_COPY,
                            const_cast<char*>(value.data()), value.size(), nullptr, 0, opaque) != 0) {
      rd_kafka_poll(producer, 1);  // The queue is full.
    }
    if (load.rate == 0 && i % 1000 == 0) rd_kafka_poll(producer, 0);
  }
}

// Runs the callbacks at once, and not when whoever sends comes to it: for what is timed.
void PollUntilAllAreDone(rd_kafka_t* producer, const std::atomic<bool>& all_sent) {
  while (!all_sent.load() || rd_kafka_outq_len(producer) > 0) rd_kafka_poll(producer, 100);
}

int Run(const Load& load) {
  Tally tally;
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  Set(conf, "bootstrap.servers", load.bootstrap);
  Set(conf, "batch.size", "16384");
  Set(conf, "queue.buffering.max.kbytes", "32768");
  Set(conf, "queue.buffering.max.messages", "10000000");
  Set(conf, "socket.nagle.disable", "true");
  for (const auto& [key, value] : load.settings) Set(conf, key, value);
  rd_kafka_conf_set_dr_msg_cb(conf, OnDelivery);
  rd_kafka_conf_set_opaque(conf, &tally);
  char error[512];
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error, sizeof error);
  if (producer == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  rd_kafka_topic_t* topic = rd_kafka_topic_new(producer, "bench", nullptr);
  std::vector<std::int64_t> sent(load.rate > 0 ? static_cast<std::size_t>(load.records) : 0);
  std::atomic<bool> all_sent = false;
  std::thread poller;
  if (load.rate > 0) poller = std::thread([&] { PollUntilAllAreDone(producer, all_sent); });
  SendAll(producer, topic, load, sent);
  all_sent.store(true);
  if (poller.joinable()) poller.join();
  rd_kafka_flush(producer, 60'000);
  rd_kafka_topic_destroy(topic);
  rd_kafka_destroy(producer);
  return Report(load, std::move(tally));
}

}  // namespace
}  // namespace ktrial::bench

int main(int argc, char** argv) {
  const ktrial::bench::Load load = ktrial::bench::ParseLoad(argc, argv);
  if (load.threads != 1) {
    std::fprintf(stderr, "librdkafka is compared with one thread that sends\n");
    return 2;
  }
  return ktrial::bench::Run(load);
}
