// BrokerLoop is the inside of a BrokerHost: connections, the requests in hand and the steps that these go through.
//
// A request moves through Step in order. Before each step hooks may be asked, and time may have to pass; then the
// request waits for a timer, or for replication, and is found again by the number of its connection and its own.
// Whatever closes the connection ends the request, so nothing that waits holds a pointer. A client that is gone does
// not: its connection stays until the request in hand is done.
//
// Functions that call out (to hooks, observers, requests) may find the connection dead when they come back: dead
// connections are kept until the next turn, marked as such.
#ifndef SIM_BROKER_LOOP_H_
#define SIM_BROKER_LOOP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "core/env/sync.h"
#include "core/wire/codec.h"
#include "core/wire/frame_reader.h"
#include "sim/broker/broker_host.h"
#include "sim/broker/request.h"

namespace ktrial::sim {

class BrokerLoop {
 public:
  BrokerLoop(BrokerHostOptions options, Cluster& cluster, Transport& transport, Threads& threads,
             BrokerObserver& observer);
  ~BrokerLoop();

  absl::Status Start();
  void Run();
  void Turn(Instant deadline);
  void Stop();
  void Post(absl::AnyInvocable<void()> function);

  int Disconnect(NodeId broker, Transport::CloseKind how);
  bool SetRefusing(NodeId broker, bool refusing);
  bool SetSilent(NodeId broker, bool silent);
  bool Pause(NodeId broker);
  bool Resume(NodeId broker);
  bool Crash(NodeId broker, BrokerHost::CrashOptions options);
  bool Restart(NodeId broker, BrokerHost::RestartOptions options);

  Address address(NodeId broker) const;
  int ConnectionCount(NodeId broker) const;
  Cluster& cluster() { return cluster_; }
  TransactionCoordinator& transactions() { return transactions_; }
  std::vector<RequestHook*>& hooks() { return hooks_; }

 private:
  // What a request does next.
  enum class Step : std::uint8_t { kReceive, kBegin, kAct, kAwait, kReply, kSend };

  struct Connection {
    Connection(ConnectionId number, NodeId owner, std::size_t frame_bytes_max)
        : id(number), broker(owner), reader(frame_bytes_max) {}

    const ConnectionId id;
    const NodeId broker;
    wire::FrameReader reader;
    std::string out;  // answers on their way: [sent, end)
    std::size_t sent = 0;
    std::unique_ptr<Request> request;  // in hand
    Step step = Step::kReceive;
    bool waits = false;           // the request waits for a timer or for replication
    bool came_too_early = false;  // what it waited for has come while the broker stood still
    bool mute = false;            // a hook dropped an answer: nothing more is read or sent
    bool ended = false;           // the client is gone; the request in hand is still served,
    bool lost = false;            // and what it sent behind that, unless it went by a reset
    bool dead = false;            // over; kept for those who still hold it
    bool reads = false;           // interests as the transport knows them
    bool writes = false;
    Instant last_active;
    const std::unique_ptr<SaslLogin> login = std::make_unique<SaslLogin>();

    bool has_output() const { return sent < out.size(); }
  };
  // What BrokerHost knows about a broker beyond the cluster.
  struct Listener {
    ListenerId id;
    bool open = false;
    bool refusing = false;
    bool silent = false;
    std::uint64_t life = 0;  // counts pauses and crashes, so that a timer can tell whether it still means this one
  };

  // --- loop.cc: the turn, connections ---
  void Handle(const TransportEvent& event);
  void Accept(const TransportEvent& event);
  void Receive(Connection& connection);
  void Ended(Connection& connection, const TransportEvent& event);
  void Flush(Connection& connection);
  void UpdateInterest(Connection& connection);
  void Close(Connection& connection, Transport::CloseKind how, std::string_view why);
  // Takes a connection, whose transport side is over, out of the books.
  void Bury(Connection& connection, std::string_view why);
  void WatchIdle(ConnectionId id, Instant moment);
  Connection* Find(ConnectionId id);
  void RunPosted();
  absl::Status OpenListener(NodeId broker);
  void CloseListener(NodeId broker);
  // Listens iff the broker is up and not refusing.
  void ApplyListening(NodeId broker);
  // Neither reads nor answers.
  bool StandsStill(NodeId broker) const;
  void WakeConnections(NodeId broker);

  // --- serve.cc: requests ---
  // Serves as many requests as can be served now.
  void Pump(Connection& connection);
  // Starts the next request if a whole one has come and may be started. False if not.
  bool TakeNext(Connection& connection);
  void Begin(Connection& connection, std::string_view frame);
  std::unique_ptr<Request> Admit(Connection& connection, const wire::RequestHeader& header);
  enum class Standing : std::uint8_t { kWelcome, kUnknown, kExpired };
  Standing StandingOf(const Connection& connection, wire::ApiKey api) const;
  void Advance(Connection& connection);
  bool AskHooks(Connection& connection, RequestPhase phase);
  // True if the request now waits.
  bool Wait(Connection& connection, Duration by);
  void StartAwait(Connection& connection);
  void ComeBack(ConnectionId id, std::uint64_t request);
  void Answer(Connection& connection);
  bool HasSentMore(Connection& connection);
  void RefuseFrame(Connection& connection, std::string_view what);
  BrokerContext ContextOf(const Connection& connection);

  const BrokerHostOptions options_;
  Cluster& cluster_;
  Transport& transport_;
  BrokerObserver& observer_;
  TransactionCoordinator transactions_;
  std::vector<RequestHook*> hooks_;

  std::map<NodeId, Listener> listeners_;
  std::map<ListenerId, NodeId> brokers_by_listener_;
  std::map<ConnectionId, std::unique_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<Connection>> graveyard_;  // emptied at the start of each turn
  std::vector<TransportEvent> events_;
  PlainRecordsBuffer plain_;
  std::vector<RecordIdentity> scratch_;
  std::uint64_t last_request_ = 0;
  std::uint64_t awaiting_ = 0;  // the request whose Await is running
  bool polling_ = false;

  // Shared with other threads. `signalled_` says that one of them has something for the loop; they wake the transport
  // after setting it.
  Mutex mutex_;
  std::vector<absl::AnyInvocable<void()>> posted_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  Atomic<bool> signalled_;
  bool stopping_ = false;  // the loop's copy of stop_
};

}  // namespace ktrial::sim

#endif  // SIM_BROKER_LOOP_H_
