#include "order_writer.h"

#include <algorithm>

OrderWriter::OrderWriter(ktrial::Env& env, ktrial::Producer& producer, int window)
    : producer_(producer),
      window_(window),
      mutex_(env.threads(), ktrial::Site("order_writer")),
      changed_(env.threads()) {}

void OrderWriter::Write(std::string_view customer, std::string_view order) {
  {
    const ktrial::MutexLock lock(mutex_);
    const auto has_room = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return on_the_way_ < window_; };
    changed_.Wait(mutex_, ktrial::Instant::Never(), has_room, ktrial::Site("order_writer.room"));
    ++on_the_way_;
    tally_.most_at_once = std::max(tally_.most_at_once, on_the_way_);
  }
  producer_.Send({.topic = "orders", .key = customer, .value = order},
                 [this](const ktrial::RecordMetadata&, const absl::Status& status) { OnDone(status.ok()); });
}

OrderWriter::Tally OrderWriter::Finish() {
  const ktrial::MutexLock lock(mutex_);
  const auto is_done = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return on_the_way_ == 0; };
  changed_.Wait(mutex_, ktrial::Instant::Never(), is_done, ktrial::Site("order_writer.finish"));
  return tally_;
}

void OrderWriter::OnDone(bool ok) {
  // Under the lock: after it the writer may be gone.
  const ktrial::MutexLock lock(mutex_);
  --on_the_way_;
  ++(ok ? tally_.written : tally_.failed);
  changed_.NotifyAll();
}
