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
  // Threads whose name matches ("app-1", or "producer*" with one star at the end) lose the CPU at their next scheduling
  // point until then. Returns how many there are.
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

// The request that an `on` trigger met.
struct RequestContext;

class Fault {
 public:
  virtual ~Fault() = default;
  // An episode begins: selectors are resolved, the world is changed. `request` is null unless a request triggered it.
  // `draws` is the fault's own. Returns false if there was nothing to do it to (no leader to pause, no other replica in
  // sync).
  virtual bool Begin(FaultWorld& world, Stream& draws, RequestContext* request, Instant until) = 0;
  // The episode is over: what it changed is undone. Returns true if, besides what Begin said, it touched something
  // meanwhile. Not called for instants.
  virtual bool End(FaultWorld& world) = 0;
};

std::unique_ptr<Fault> MakeFault(const FaultAction& action);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULT_H_
