// drop_response: an instant, of the request that triggered it. Its connection sends nothing more until it is closed.
#include "sim/fault/faults.h"

namespace ktrial::sim {
namespace {

class DropResponseFault final : public Fault {
 public:
  bool is_state() const override { return false; }
  bool Begin(FaultWorld&, Stream&, const RequestPoint* point, Instant) override {
    if (point == nullptr) return false;
    point->control.DropResponse();
    return true;
  }
  bool End(FaultWorld&) override { return false; }
};

}  // namespace

std::unique_ptr<Fault> MakeDropResponse(const DropResponse&) { return std::make_unique<DropResponseFault>(); }

}  // namespace ktrial::sim
