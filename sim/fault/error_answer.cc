// error: while it lasts, every request that fits is answered with an error; with `on`, that one request is. Before the
// append nothing is done, afterwards it was done and the answer lies.
#include <algorithm>

#include "sim/fault/faults.h"
#include "sim/fault/resolve.h"

namespace ktrial::sim {
namespace {

class ErrorFault final : public Fault {
 public:
  explicit ErrorFault(const ErrorAnswer& spec) : spec_(spec) {}
  bool is_state() const override { return true; }
  bool is_of_one_request() const override { return true; }

  bool Begin(FaultWorld& world, Stream& draws, const RequestPoint* point, Instant) override {
    touched_ = false;
    request_ = 0;
    phase_ = spec_.phase;
    if (point == nullptr) return false;
    request_ = point->request.id;
    phase_ = std::max(spec_.phase, point->phase);  // A point that has passed does not come again.
    OnRequest(world, draws, *point);
    return touched_;
  }

  bool End(FaultWorld&) override { return touched_; }

  void OnRequest(FaultWorld& world, Stream& draws, const RequestPoint& point) override {
    const RequestView& request = point.request;
    if (point.phase != phase_ || request.api != spec_.api) return;
    if (request_ != 0 && request.id != request_) return;
    if (!Selects(spec_.broker, request.broker, world.cluster, draws)) return;
    if (!IsAboutPartitions(spec_)) {
      point.control.Fail(spec_.code);
      touched_ = true;
      return;
    }
    for (const TopicPartition& place : ResolvePartitions(spec_.topic, spec_.partition, world.cluster, draws)) {
      if (!request.Names(place.topic, place.partition)) continue;
      point.control.Fail(spec_.code, place.topic, place.partition);
      touched_ = true;
    }
  }

 private:
  const ErrorAnswer spec_;
  RequestPhase phase_ = RequestPhase::kReceived;
  std::uint64_t request_ = 0;  // The one that is meant; 0: all.
  bool touched_ = false;
};

}  // namespace

std::unique_ptr<Fault> MakeErrorAnswer(const ErrorAnswer& spec) { return std::make_unique<ErrorFault>(spec); }

}  // namespace ktrial::sim
