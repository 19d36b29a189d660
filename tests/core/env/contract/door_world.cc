#include "tests/core/env/contract/door_world.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

constexpr Site kPollSite("test.contract.poll");
constexpr Duration kTurn = std::chrono::milliseconds(1);

}  // namespace

void EventPump::PollOnce(Instant deadline) {
  if (peer_ == nullptr) return transport_.Poll(deadline, seen_, kPollSite);
  transport_.Poll(std::min(deadline, env_.clock().Now() + kTurn), seen_, kPollSite);
  std::vector<TransportEvent> dropped;
  peer_->Poll(Instant(), dropped, kPollSite);
}

std::optional<TransportEvent> EventPump::Await(TransportEvent::Kind kind, std::optional<ConnectionId> connection,
                                               Duration patience) {
  const Instant deadline = env_.clock().Now() + patience;
  while (true) {
    for (auto event = seen_.begin(); event != seen_.end(); ++event) {
      if (event->kind != kind || (connection.has_value() && event->connection != *connection)) continue;
      TransportEvent found = std::move(*event);
      seen_.erase(event);
      return found;
    }
    if (env_.clock().Now() >= deadline) return std::nullopt;
    PollOnce(deadline);
  }
}

std::vector<TransportEvent> EventPump::Drain(Duration patience) {
  const Instant deadline = env_.clock().Now() + patience;
  do {
    PollOnce(deadline);
  } while (env_.clock().Now() < deadline);
  return std::exchange(seen_, {});
}

ConnectedPair Connect(Env& env, DoorWorld& world, SocketBuffers buffers) {
  ConnectedPair pair{env.NewTransport("client"), env.NewTransport("server"), {}, {}, {}};
  absl::StatusOr<Listening> listening = pair.server->Listen(world.ListenAddress(), buffers);
  KT_CHECK_MSG(listening.ok(), std::string(listening.status().message()));
  pair.listening = *listening;
  pair.client_side = pair.client->Open(pair.listening.address, "", buffers);
  const auto accepted = EventPump(env, *pair.server).Await(TransportEvent::Kind::kAccepted);
  KT_CHECK(accepted.has_value() && accepted->listener == pair.listening.id);
  pair.server_side = accepted->connection;
  EventPump client(env, *pair.client, pair.server.get());
  KT_CHECK(client.Await(TransportEvent::Kind::kOpened, pair.client_side).has_value());
  pair.server->Interest(pair.server_side, false, true);
  KT_CHECK(EventPump(env, *pair.server).Await(TransportEvent::Kind::kWritable, pair.server_side).has_value());
  pair.server->Interest(pair.server_side, false, false);
  return pair;
}

bool SendAll(Env& env, Transport& transport, ConnectionId connection, std::string_view bytes, Duration patience) {
  const Instant deadline = env.clock().Now() + patience;
  EventPump pump(env, transport);
  while (!bytes.empty()) {
    const std::array<ConstBytes, 1> pieces = {bytes};
    const IoResult result = transport.Send(connection, pieces);
    if (result.kind == IoResult::Kind::kEnded) return false;
    if (result.kind == IoResult::Kind::kBytes) {
      bytes.remove_prefix(result.count);
      continue;
    }
    if (env.clock().Now() >= deadline) return false;
    transport.Interest(connection, false, true);
    pump.Await(TransportEvent::Kind::kWritable, connection, deadline - env.clock().Now());
    transport.Interest(connection, false, false);
  }
  return true;
}

std::string ReceiveAll(Env& env, Transport& transport, ConnectionId connection, std::size_t size, Duration patience) {
  const Instant deadline = env.clock().Now() + patience;
  EventPump pump(env, transport);
  std::string all;
  std::array<char, 4096> buffer;
  transport.Interest(connection, true, false);
  while (all.size() < size) {
    const std::size_t want = std::min(buffer.size(), size - all.size());
    const IoResult result = transport.Receive(connection, std::span<char>(buffer.data(), want));
    if (result.kind == IoResult::Kind::kEnded) break;
    if (result.kind == IoResult::Kind::kBytes) {
      all.append(buffer.data(), result.count);
      continue;
    }
    if (env.clock().Now() >= deadline) break;
    pump.Await(TransportEvent::Kind::kReadable, connection, deadline - env.clock().Now());
  }
  transport.Interest(connection, false, false);
  return all;
}

}  // namespace ktrial
