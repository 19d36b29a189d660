// stall_thread: threads of the client lose the CPU until its end. Where no scheduler is ours it never fires.
#include "sim/fault/faults.h"

namespace ktrial::sim {
namespace {

class StallThreadFault final : public Fault {
 public:
  explicit StallThreadFault(const StallThread& spec) : spec_(spec) {}
  bool is_state() const override { return true; }
  bool Begin(FaultWorld& world, Stream&, const RequestPoint*, Instant until) override {
    return world.threads != nullptr && world.threads->StallUntil(spec_.thread, until) > 0;
  }
  bool End(FaultWorld&) override { return false; }  // The scheduler gives the CPU back by itself.

 private:
  const StallThread spec_;
};

}  // namespace

std::unique_ptr<Fault> MakeStallThread(const StallThread& spec) { return std::make_unique<StallThreadFault>(spec); }

}  // namespace ktrial::sim
