// What docs/HOWTO.md shows and the other programs here do not: typed records, an interceptor, a configuration in a file, threads
// and waits of one's own in a simulated world, and what a body throws. Needs no broker.
#include <ktrial/testing.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace std::chrono_literals;
namespace sim = ktrial::sim;

namespace {

int failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
}

class CountFailures : public ktrial::ProducerInterceptor {
 public:
  int failed() const { return failed_; }
  void OnSend(ktrial::InterceptedRecord&) override {}
  void OnAcknowledgement(const ktrial::RecordMetadata&, const absl::Status& status) override {
    failed_ += !status.ok();
  }

 private:
  std::atomic<int> failed_ = 0;
};

struct Order {
  int number = 0;
};
class OrderSerializer : public ktrial::Serializer<Order> {
  absl::StatusOr<ktrial::SerializedBytes> Serialize(std::string_view, ktrial::RecordHeaders& headers,
                                                    const Order* order) override {
    if (order == nullptr) return std::nullopt;
    headers.Add("format", "2");
    return std::to_string(order->number);
  }
};

// Nobody listens there, and nobody waits: the record fails at once, and the interceptor counts it.
void ATypedRecordOfAConfigurationInAFile() {
  std::ofstream("snippets.properties") << "bootstrap.servers: 127.0.0.1:1\nmax.block.ms: 0\n";
  std::ifstream file("snippets.properties");
  const std::string content(std::istreambuf_iterator<char>(file), {});
  auto config = ktrial::ProducerConfig::FromProperties(content, "snippets.properties");
  if (!config.ok()) return Expect(false, std::string(config.status().message()));
  const auto counter = std::make_shared<CountFailures>();
  config->interceptors = {counter};
  const std::unique_ptr<ktrial::Env> env = ktrial::MakePosixEnv();
  auto producer = ktrial::SerializingProducer<std::string, Order>::Create(
      *config, *env, std::make_shared<ktrial::StringSerializer>(), std::make_shared<OrderSerializer>());
  if (!producer.ok()) return Expect(false, std::string(producer.status().message()));
  const absl::StatusOr<ktrial::Future> future =
      (*producer)->Send({.topic = "orders", .key = "customer-1", .value = Order{1}});
  Expect(future.ok() && !future->Get().ok(), "a record without a broker fails");
  Expect(counter->failed() == 1, "the interceptor counts it");
}

// Three workers send; the caller waits until all have done so.
int StoreWithWorkers(ktrial::Env& env, ktrial::Producer& producer) {
  ktrial::Mutex mutex(env.threads(), ktrial::Site("store.mutex"));
  ktrial::CondVar changed(env.threads());
  int ended = 0;  // Guarded by mutex, as stored.
  int stored = 0;
  std::vector<std::unique_ptr<ktrial::Thread>> workers;
  for (int number = 1; number <= 3; ++number) {
    workers.push_back(env.threads().Spawn("worker-" + std::to_string(number), [&] {
      const bool ok = producer.Send({.topic = "orders", .value = "paid"}).Get().ok();
      const ktrial::MutexLock lock(mutex);
      stored += ok;
      ++ended;
      changed.NotifyAll();
    }));
  }
  {
    const ktrial::MutexLock lock(mutex);
    changed.Wait(mutex, ktrial::Instant::Never(), [&] { return ended == 3; }, ktrial::Site("store.all"));
  }
  for (const auto& worker : workers) worker->Join(ktrial::Instant::Never());  // Before it is destroyed.
  return stored;
}

sim::WorldSpec AWorld(std::function<void(sim::AppContext&)> body) {
  sim::WorldSpec spec;
  spec.duration = 10s;
  spec.topics = {{.name = "orders"}};
  spec.producers = {{}};
  spec.threads = {{.name = "app", .body = std::move(body), .starts = {"worker-1"}}};
  return spec;
}

void WorkersOfOnesOwnRunInAWorld() {
  sim::WorldSpec spec = AWorld([](sim::AppContext& app) {
    if (StoreWithWorkers(app.env(), app.producer()) != 3) throw std::runtime_error("not all are stored");
  });
  spec.faults = {{.action = sim::StallThread{"worker-1"}, .trigger = {.at = 0s, .lasting = 1s}, .may_not_fire = true}};
  const absl::StatusOr<sim::RunResult> result = sim::RunWorld(spec);
  Expect(result.ok() && result->Passed() && *result->Metric("log.records") == 3, "three workers store a record each");
}

void WhatABodyThrowsComesOutOfRunWorld() {
  bool thrown = false;
  try {
    sim::RunWorld(AWorld([](sim::AppContext&) { throw std::runtime_error("no"); })).status().IgnoreError();
  } catch (const std::runtime_error& error) {
    thrown = error.what() == std::string("no");
  }
  Expect(thrown, "what a body throws comes out of RunWorld");
}

}  // namespace

int main() {
  ATypedRecordOfAConfigurationInAFile();
  WorkersOfOnesOwnRunInAWorld();
  WhatABodyThrowsComesOutOfRunWorld();
  return failures == 0 ? 0 : 1;
}
