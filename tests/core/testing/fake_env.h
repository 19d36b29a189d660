// Doors that a test moves by hand: a clock, draws and threads that do nothing by themselves, and a transport with a
// world behind it that the test plays.
//
// Use the simulator for what has several threads or a network with a will of its own; this is for one component and one
// exact sequence. Thread safety: none, WakeUp included.
#ifndef TESTS_CORE_TESTING_FAKE_ENV_H_
#define TESTS_CORE_TESTING_FAKE_ENV_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/env/clock.h"
#include "core/env/entropy.h"
#include "core/env/threads.h"
#include "core/env/transport.h"

namespace ktrial::testing {

// Starts far from zero, so that a moment that nobody set shows.
class ManualClock : public Clock {
 public:
  Instant Now() const override { return now_; }
  WallTime WallNow() const override { return WallTime::FromMillis(1'700'000'000'000); }
  void Advance(Duration length) { now_ = now_ + length; }
  void AdvanceTo(Instant moment) {
    if (moment > now_) now_ = moment;
  }

 private:
  Instant now_ = Instant::FromNanos(1'000'000'000'000);
};

// The middle of every range unless told otherwise: a jitter of exactly 1, the middle node of a scan. Counts what was
// drawn.
class FakeEntropy : public Entropy {
 public:
  std::uint64_t Next(DrawPurpose purpose) override {
    ++draws_[purpose];
    const auto found = fixed_.find(purpose);
    return found == fixed_.end() ? std::uint64_t{1} << 63 : found->second;
  }
  void Secret(std::span<char> bytes) override { std::ranges::fill(bytes, 's'); }
  // `thousandths` of the range: 0 is its lower end, 1000 just below its upper.
  void Fix(DrawPurpose purpose, std::uint64_t thousandths) {
    fixed_[purpose] = thousandths >= 1000 ? ~std::uint64_t{0} : (~std::uint64_t{0} / 1000) * thousandths;
  }
  int draws(DrawPurpose purpose) const {
    const auto found = draws_.find(purpose);
    return found == draws_.end() ? 0 : found->second;
  }

 private:
  std::map<DrawPurpose, std::uint64_t> fixed_;
  std::map<DrawPurpose, int> draws_;
};

// Native locks; no threads. A wait with a deadline in the past is a plain test, and there is nobody to wait for
// otherwise.
class NoThreads : public Threads {
 public:
  NoThreads() : Threads(nullptr) {}
  std::unique_ptr<Thread> Spawn(std::string_view, absl::AnyInvocable<void()>) override {
    CheckFailed("no threads here", __FILE__, __LINE__);
  }
  void SleepUntil(Instant, Site) override { CheckFailed("no threads here", __FILE__, __LINE__); }
  ThreadId Current() const override { return ThreadId(1); }
};

// What a test plays: the other ends of the connections, and time. Poll delivers what is pending; with nothing pending
// it runs the earliest event that is due before its deadline, moving the clock there, else moves the clock to the
// deadline.
class FakeTransport : public Transport {
 public:
  explicit FakeTransport(ManualClock& clock) : clock_(clock) {}

  struct Stream {
    Address address;
    std::string host;
    bool opened = false;
    bool ended = false;   // Its end was reported, or will be once everything was read.
    bool closed = false;  // By our side.
    CloseKind close_kind = CloseKind::kGraceful;
    bool wants_read = false;
    bool wants_write = false;
    std::string sent;                                            // All that our side wrote.
    std::string incoming;                                        // What our side has not read yet.
    std::optional<TransportEvent> pending_end;                   // Reported when `incoming` is empty.
    std::size_t room = std::numeric_limits<std::size_t>::max();  // Bytes that Send takes before it would block.
    int send_calls = 0;
  };

  // --- The test's side ---
  // Called for each open, each look-up, and each time that bytes were taken from our side.
  std::function<void(ConnectionId)> on_open;
  std::function<void(ConnectionId)> on_sent;
  // What a host name means; a host that is not here never gets an answer, one without addresses is not found.
  std::map<std::string, std::vector<std::string>> hosts;

  // What an address is called; one that is not here has no name.
  std::map<std::string, std::string> names_of_ips;

  const std::vector<ConnectionId>& opens() const { return opens_; }
  ConnectionId last_open() const { return opens_.back(); }
  Stream& stream(ConnectionId id) { return streams_.at(id); }
  int resolve_count(const std::string& host) const {
    const auto found = resolve_counts_.find(host);
    return found == resolve_counts_.end() ? 0 : found->second;
  }
  std::size_t open_streams() const {
    std::size_t count = 0;
    for (const auto& [id, stream] : streams_) count += !stream.closed && !stream.ended;
    return count;
  }

  void Accept(ConnectionId id) {
    Stream& stream = streams_.at(id);
    if (stream.closed || stream.ended) return;
    stream.opened = true;
    pending_.push_back({.kind = TransportEvent::Kind::kOpened, .connection = id});
  }
  // What was delivered before is read before the end shows, unless it is a reset.
  void EndConnection(ConnectionId id, EndReason reason, std::string text = {}) {
    Stream& stream = streams_.at(id);
    if (stream.closed || stream.ended) return;
    if (reason == EndReason::kReset) stream.incoming.clear();
    stream.pending_end = TransportEvent{
        .kind = TransportEvent::Kind::kEnded, .reason = reason, .connection = id, .text = std::move(text)};
  }
  void Deliver(ConnectionId id, std::string_view bytes) {
    Stream& stream = streams_.at(id);
    if (!stream.closed && !stream.ended) stream.incoming += bytes;
  }
  // Runs at that moment, within the Poll that passes it.
  void At(Instant moment, std::function<void()> action) { timers_.emplace(moment, std::move(action)); }
  void AnswerResolve(const std::string& host, std::vector<std::string> addresses);

  // --- What the last Poll was asked for ---
  Instant last_deadline() const { return last_deadline_; }
  int poll_count() const { return poll_count_; }

  // --- Transport ---
  ResolveId Resolve(std::string_view host) override;
  ResolveId ResolveName(std::string_view ip) override;
  ConnectionId Open(const Address& address, std::string_view host, SocketBuffers) override;
  absl::StatusOr<Listening> Listen(const Address&, SocketBuffers) override {
    return absl::UnimplementedError("a client's transport");
  }
  void StopListening(ListenerId) override {}
  IoResult Send(ConnectionId connection, std::span<const ConstBytes> pieces) override;
  IoResult Receive(ConnectionId connection, std::span<char> buffer) override;
  void Interest(ConnectionId connection, bool read, bool write) override;
  void Close(ConnectionId connection, CloseKind kind) override;
  void Poll(Instant deadline, std::vector<TransportEvent>& events, Site site) override;
  void WakeUp() override { woken_ = true; }

 private:
  void Collect(std::vector<TransportEvent>& events);

  ManualClock& clock_;
  std::map<ConnectionId, Stream> streams_;
  std::vector<ConnectionId> opens_;
  std::vector<TransportEvent> pending_;
  std::map<ResolveId, std::string> resolves_;  // Without an answer.
  std::map<std::string, int> resolve_counts_;
  std::multimap<Instant, std::function<void()>> timers_;
  Instant last_deadline_;
  int poll_count_ = 0;
  bool woken_ = false;
  std::uint64_t next_id_ = 1;
};

}  // namespace ktrial::testing

#endif  // TESTS_CORE_TESTING_FAKE_ENV_H_
