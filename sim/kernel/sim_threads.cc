#include "sim/kernel/sim_threads.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "core/check.h"
#include "sim/kernel/fiber.h"

namespace ktrial::sim {
namespace {

class SimThread final : public Thread {
 public:
  SimThread(Kernel& kernel, std::shared_ptr<JoinState> state, bool daemon)
      : kernel_(kernel), state_(std::move(state)), joined_(daemon) {}
  ~SimThread() override {
    // An exception that leaves its owner ends the run; that is the finding then.
    KT_CHECK_MSG(joined_ || kernel_.abandoned() || std::uncaught_exceptions() > 0,
                 std::string("not joined: ").append(state_->name));
    UncheckedSection unchecked;
    state_.reset();
  }

  bool Join(Instant deadline) override {
    UncheckedSection unchecked;
    constexpr Site kSite("kernel.join");
    kernel_.Point(kSite);
    if (!state_->ended && kernel_.Now() < deadline) {
      Fiber* const self = kernel_.current();
      KT_CHECK_MSG(self != nullptr, std::string("would block outside of threads: join ").append(state_->name));
      KT_CHECK_MSG(self->id != state_->id, std::string("joins itself: ").append(state_->name));
      state_->joiner = self;
      kernel_.Park(deadline, kSite, {.what = "join", .object = state_->name});
      state_->joiner = nullptr;
    }
    if (!state_->ended) return false;
    DeclareAcquire(state_.get());
    joined_ = true;
    return true;
  }

  ThreadId id() const override {
    UncheckedSection unchecked;
    return state_->id;
  }

 private:
  Kernel& kernel_;
  std::shared_ptr<JoinState> state_;
  bool joined_;
};

}  // namespace

std::unique_ptr<Thread> SimThreads::Spawn(std::string_view name, absl::AnyInvocable<void()> function) {
  UncheckedSection unchecked;
  kernel_.Point(Site("kernel.spawn"));
  Fiber& fiber = kernel_.Start(name, std::move(function), false);
  return std::make_unique<SimThread>(kernel_, fiber.join, false);
}

std::unique_ptr<Thread> SimThreads::SpawnDaemon(std::string_view name, absl::AnyInvocable<void()> function) {
  Fiber& fiber = kernel_.Start(name, std::move(function), true);
  return std::make_unique<SimThread>(kernel_, fiber.join, true);
}

void SimThreads::SleepUntil(Instant deadline, Site site) {
  UncheckedSection unchecked;
  kernel_.Point(site);
  while (kernel_.Now() < deadline) kernel_.Park(deadline, site, {.what = "sleep"});
}

ThreadId SimThreads::Current() const { return kernel_.current() == nullptr ? ThreadId(1) : kernel_.current()->id; }

SimClock::SimClock(Kernel& kernel, std::string_view client, WallTime wall_start)
    : kernel_(kernel),
      subject_(kernel.trace().AddSubject(client)),
      offset_millis_(wall_start.millis() - kernel.Now().nanos() / 1'000'000) {}

WallTime SimClock::WallNow() const {
  UncheckedSection unchecked;
  const std::int64_t millis = kernel_.Now().nanos() / 1'000'000 + offset_millis_;
  return WallTime::FromMillis(millis - (millis % 4 + 4) % 4);
}

void SimClock::JumpWall(Duration by) {
  const std::int64_t millis = by.count() / 1'000'000;
  kernel_.trace().Note(TraceKind::kWallJump, subject_, static_cast<std::uint64_t>(millis));
  offset_millis_ += millis;
}

std::uint64_t SimEntropy::Next(DrawPurpose purpose) {
  UncheckedSection unchecked;
  auto found = streams_.find(purpose);
  if (found == streams_.end()) {
    const std::string name = "entropy-" + std::to_string(static_cast<std::uint32_t>(purpose));
    found = streams_.emplace(purpose, kernel_.NewStream(entity_, name)).first;
  }
  return found->second.Next();
}

void SimEntropy::Secret(std::span<char> bytes) {
  UncheckedSection unchecked;
  if (!secrets_.has_value()) secrets_ = kernel_.NewStream(entity_, "secrets");
  while (!bytes.empty()) {
    const std::uint64_t drawn = secrets_->Next();
    const std::size_t count = std::min(bytes.size(), sizeof drawn);
    std::memcpy(bytes.data(), &drawn, count);
    bytes = bytes.subspan(count);
  }
}

}  // namespace ktrial::sim
