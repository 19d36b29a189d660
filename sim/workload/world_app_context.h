// The AppContext of one application thread.
#ifndef SIM_WORKLOAD_WORLD_APP_CONTEXT_H_
#define SIM_WORKLOAD_WORLD_APP_CONTEXT_H_

#include <map>
#include <memory>
#include <string>

#include "sim/workload/app_context.h"
#include "sim/workload/app_world.h"
#include "sim/workload/record_sender.h"

namespace ktrial::sim {

class WorldAppContext final : public AppContext {
 public:
  // Outlives the callbacks of what is sent through it. The world outlives it.
  WorldAppContext(AppWorld& world, std::string thread) : world_(world), thread_(std::move(thread)) {}

  Producer& producer(std::string_view name) override { return *Client(name).producer; }
  Env& env() override { return world_.env; }
  Instant start() const override { return world_.start; }
  void SleepUntil(Duration since_start) override;
  void SendTracked(std::string_view topic, std::int32_t value_bytes, std::string_view producer) override;

 private:
  ClientProducer& Client(std::string_view name);

  AppWorld& world_;
  const std::string thread_;
  std::map<std::int32_t, RecordSender> senders_;  // By producer.
};

}  // namespace ktrial::sim

#endif  // SIM_WORKLOAD_WORLD_APP_CONTEXT_H_
