// BrokerHost serves all brokers of a Cluster over one Transport, in one loop on one thread: it listens, cuts the
// streams into frames, hands each request to the code of its API (00_produce.cc, 03_metadata.cc, ...), keeps the order
// of answers on each connection, and drives the cluster's timers. It runs over any Transport: simulated as a daemon
// thread of the simulated world, over sockets for clients of other makes.
//
//   auto cluster = Cluster::Create(spec, env.clock(), std::move(draws));
//   BrokerHost host({}, **cluster, *transport, env.threads());
//   absl::Status status = host.Start();              // listens; ports that were 0 are known now
//   thread = env.threads().Spawn("brokers", [&] { host.Run(); });
//   ... host.Stop(); thread->Join(Instant::Never());
//
// One request at a time is in hand for a connection, as with a real broker: while it is, the connection is not read, so
// a client that sends on fills the buffers between. Answers never overtake each other.
//
// Threads. Stop and Post may be called from any thread. Everything else belongs to the loop's thread: call it before
// Run, from a timer, a hook or a posted function, or after Run has returned. (A simulator that runs everything on one
// OS thread may call it between turns.)
#ifndef SIM_BROKER_BROKER_HOST_H_
#define SIM_BROKER_BROKER_HOST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/env/clock.h"
#include "core/env/threads.h"
#include "core/env/transport.h"
#include "core/types.h"
#include "sim/broker/cluster.h"
#include "sim/broker/observer.h"
#include "sim/broker/request_hook.h"

namespace ktrial::sim {

class BrokerLoop;              // sim/broker/loop.h
class TransactionCoordinator;  // sim/broker/transaction_coordinator.h

struct BrokerHostOptions {
  // Before an answer goes out, look whether the client has sent more meanwhile, so that `pipelined` of OnResponse is
  // true whenever it can be known. Costs a read for each answer.
  bool detect_pipelining = false;
};

class BrokerHost {
 public:
  // All arguments outlive the host. `observer` is also given to the cluster.
  BrokerHost(BrokerHostOptions options, Cluster& cluster, Transport& transport, Threads& threads,
             BrokerObserver& observer = NoBrokerObserver());
  ~BrokerHost();
  BrokerHost(const BrokerHost&) = delete;
  BrokerHost& operator=(const BrokerHost&) = delete;

  // Listens for every broker that is up. Call it once, before Run.
  absl::Status Start();
  // Serves until Stop, then closes everything that is open.
  void Run();
  // One turn of the loop: due timers, posted functions, then events until `deadline` at the latest. For tests and for
  // loops of others.
  void Turn(Instant deadline);
  // Any thread. Run returns soon; calling it before Run is as good.
  void Stop();
  // Any thread: runs `function` on the loop's thread. What is posted after Stop may never run.
  void Post(absl::AnyInvocable<void()> function);
  // Runs `function` on the loop's thread at or after `moment`.
  TimerId At(Instant moment, absl::AnyInvocable<void()> function);

  // Hooks are asked in the order in which they were added. Not owned; remove one before it dies.
  void AddHook(RequestHook& hook);
  void RemoveHook(RequestHook& hook);

  // --- What can happen to a broker. All return whether anything changed ---
  // Ends every connection of the broker. Returns how many there were.
  int Disconnect(NodeId broker, Transport::CloseKind how);
  // New connections are refused.
  bool SetRefusing(NodeId broker, bool refusing);
  // Connections are accepted and nothing is read or answered, on old ones either; the rest of the cluster does not
  // notice.
  bool SetSilent(NodeId broker, bool silent);
  // The process stands still: as silent, and it copies nothing. After broker.session.timeout.ms the controller gives it
  // up and others lead; it is back in sync when it goes on.
  bool Pause(NodeId broker);
  bool Resume(NodeId broker);
  struct CrashOptions {
    Duration failover{0};  // until the controller notices and others lead (broker.session.timeout.ms for a real crash)
  };
  // Connections are reset, new ones refused, others lead.
  bool Crash(NodeId broker, CrashOptions options);
  struct RestartOptions {
    Duration catch_up{0};  // until it is in sync again
  };
  bool Restart(NodeId broker, RestartOptions options);

  // Where a broker listens (or did before it crashed).
  Address address(NodeId broker) const;
  int ConnectionCount(NodeId broker) const;

  Cluster& cluster();
  TransactionCoordinator& transactions();
  const Clock& clock() const;

 private:
  std::unique_ptr<BrokerLoop> loop_;
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_BROKER_HOST_H_
