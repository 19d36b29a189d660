// A Fault is one entry of a fault plan at work: it is begun and ended again and again by the FaultScheduler, and keeps
// count of how often it had an effect. One file for each kind; make them with MakeFault.
//
// Faults reach the world only through FaultWorld: the cluster, its host and the network control. So the same objects
// work in the simulator and in `ktrial serve`, where time is real. Everything runs on the host's thread (or fiber);
// nothing here blocks.
#ifndef SIM_FAULT_FAULT_H_
#define SIM_FAULT_FAULT_H_

#include <memory>
#include <string_view>

#include "core/env/clock.h"
#include "sim/fault/fault_spec.h"

namespace ktrial::sim {

class BrokerHost;
class Cluster;
class NetworkControl;
class Stream;
class Trace;

// Takes the CPU from threads of the client. Only a simulated scheduler can.
class ThreadStaller {
 public:
  virtual ~ThreadStaller() = default;
  // The threads of that name lose the CPU at their next scheduling point until then: an application's thread, a
  // producer's sender thread (by the producer's name), or "*" for all of them. Returns how many there are.
  virtual int StallUntil(std::string_view name, Instant until) = 0;
};

// What faults may touch. All of it outlives them.
struct FaultWorld {
  Cluster& cluster;
  BrokerHost& host;
  NetworkControl& network;
  Trace& trace;
  ThreadStaller* threads = nullptr;  // Null: stall_thread never fires.
};

// A request in the hands of a broker, at one of the four points where faults can meet it.
struct RequestPoint {
  RequestPhase phase;
  const RequestView& request;
  RequestControl& control;
};

class Fault {
 public:
  virtual ~Fault() = default;
  // An episode begins: selectors are resolved, the world is changed. Returns whether that had an effect at once.
  // `point`: the request that triggered it, null for a moment in time. `until`: when it will end at the latest.
  // `draws`: the fault's own.
  virtual bool Begin(FaultWorld& world, Stream& draws, const RequestPoint* point, Instant until) = 0;
  // The episode is over: what it changed is undone. Returns whether it had an effect since Begin.
  virtual bool End(FaultWorld& world) = 0;
  // Every request, while an episode lasts.
  virtual void OnRequest(FaultWorld& /*world*/, Stream& /*draws*/, const RequestPoint& /*point*/) {}
  // What becomes of an episode without a length: true, it lasts until everything heals; false, it is an instant, and
  // End is not called.
  virtual bool is_state() const = 0;
  // The same for an episode that a request triggered: it lasts until that request is answered.
  virtual bool is_of_one_request() const { return false; }
};

std::unique_ptr<Fault> MakeFault(const FaultAction& action);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULT_H_
