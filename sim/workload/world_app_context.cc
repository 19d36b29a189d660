#include "sim/workload/world_app_context.h"

#include <tuple>
#include <utility>

#include "core/check.h"
#include "core/env/site.h"

namespace ktrial::sim {

ClientProducer& WorldAppContext::Client(std::string_view name) {
  if (name.empty()) {
    KT_CHECK_MSG(world_.producers.size() == 1, "name the producer: there are several");
    return *world_.producers.front();
  }
  for (const auto& client : world_.producers) {
    if (client->name == name) return *client;
  }
  KT_CHECK_MSG(false, "there is no producer of that name");
}

void WorldAppContext::SleepUntil(Duration since_start) {
  world_.env.threads().SleepUntil(world_.start + since_start, Site("workload.app_sleeps"));
}

void WorldAppContext::SendTracked(std::string_view topic, std::int32_t value_bytes, std::string_view producer) {
  ClientProducer& client = Client(producer);
  auto sender = senders_.find(client.index);
  if (sender == senders_.end()) {
    sender = senders_
                 .emplace(std::piecewise_construct, std::forward_as_tuple(client.index),
                          std::forward_as_tuple(world_, client, RecordSender::Options{.workload = thread_}))
                 .first;
  }
  sender->second.Send({.topic = topic, .value_bytes = value_bytes, .scheduled = world_.Now()});
}

}  // namespace ktrial::sim
