#include "tests/sim/network/network_world.h"

#include <algorithm>

#include "core/check.h"
#include "gtest/gtest.h"

namespace ktrial::sim {

NetworkOptions NetworkWorld::Quiet() {
  NetworkOptions options;
  options.latency = Distribution::Constant(std::chrono::milliseconds(1));
  options.split_one_in = 0;
  options.early_return_one_in = 0;
  return options;
}

NetworkWorld::NetworkWorld(const NetworkOptions& network, const KernelOptions& kernel) : sandbox_(kernel, network) {
  client_ = sandbox_.env().NewTransport("client");
  brokers_ = sandbox_.network().NewTransport("brokers", "10.0.0.100");
}

Address NetworkWorld::AddressOf(NodeId broker) const {
  return {.ip = "10.0.0." + std::to_string(broker.value()), .port = 9092};
}

void NetworkWorld::Run(absl::FunctionRef<void()> body) {
  const KernelResult result = sandbox_.Run([&] {
    for (const NodeId broker : {kOne, kTwo}) {
      network().MapBroker(broker, AddressOf(broker));
      const absl::StatusOr<Listening> listening = brokers().Listen(AddressOf(broker), {});
      KT_CHECK(listening.ok());
    }
    body();
  });
  EXPECT_EQ(result.end, KernelEnd::kIdle) << result.text;
  // Before the world: what is open is closed.
  client_.reset();
  brokers_.reset();
}

NetworkWorld::Pair NetworkWorld::Connect(NodeId broker) {
  Pair pair{.client = Open(broker), .broker = {}};
  const std::optional<TransportEvent> accepted = Await(brokers(), TransportEvent::Kind::kAccepted);
  KT_CHECK(accepted.has_value());
  pair.broker = accepted->connection;
  KT_CHECK(Await(client(), TransportEvent::Kind::kOpened).has_value());
  return pair;
}

std::optional<TransportEvent> NetworkWorld::Await(Transport& transport, TransportEvent::Kind kind, Duration patience) {
  std::vector<TransportEvent>& events = &transport == client_.get() ? of_client_ : of_brokers_;
  const Instant deadline = Now() + patience;
  for (;;) {
    const auto found =
        std::find_if(events.begin(), events.end(), [&](const auto& event) { return event.kind == kind; });
    if (found != events.end()) {
      TransportEvent event = std::move(*found);
      events.erase(found);
      return event;
    }
    if (Now() >= deadline) return std::nullopt;
    transport.Poll(deadline, events, Site("test.network.poll"));
  }
}

std::optional<EndReason> NetworkWorld::AwaitEnd(Transport& transport, Duration patience) {
  const std::optional<TransportEvent> end = Await(transport, TransportEvent::Kind::kEnded, patience);
  return end.has_value() ? std::optional(end->reason) : std::nullopt;
}

std::optional<EndReason> NetworkWorld::ReadEnd(Transport& transport, ConnectionId connection, Duration patience) {
  const Instant deadline = Now() + patience;
  EXPECT_EQ(Receive(transport, connection, 1, patience), "");
  return AwaitEnd(transport, deadline - Now());
}

std::size_t NetworkWorld::Send(Transport& transport, ConnectionId connection, std::string_view bytes) {
  const std::array<ConstBytes, 1> pieces = {bytes};
  return transport.Send(connection, pieces).count;
}

std::string NetworkWorld::ReceiveNow(Transport& transport, ConnectionId connection) {
  std::string all;
  std::array<char, 4096> buffer;
  for (;;) {
    const IoResult result = transport.Receive(connection, buffer);
    if (result.kind != IoResult::Kind::kBytes) return all;
    all.append(buffer.data(), result.count);
  }
}

std::string NetworkWorld::Receive(Transport& transport, ConnectionId connection, std::size_t size, Duration patience) {
  const Instant deadline = Now() + patience;
  std::string all = ReceiveNow(transport, connection);
  transport.Interest(connection, true, false);
  while (all.size() < size && Now() < deadline) {
    if (!Await(transport, TransportEvent::Kind::kReadable, deadline - Now()).has_value()) break;
    const std::string more = ReceiveNow(transport, connection);
    if (more.empty()) break;  // the end
    all += more;
  }
  transport.Interest(connection, false, false);
  return all;
}

void NetworkWorld::Sleep(Duration length) {
  sandbox_.env().threads().SleepUntil(Now() + length, Site("test.network.sleep"));
}

}  // namespace ktrial::sim
