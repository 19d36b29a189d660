// What the simulated network costs: requests of a 16 KiB batch and their answers between two threads.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "sim/sandbox.h"

namespace ktrial::sim {
namespace {

// What Send does not take is offered again at once: the buffers are large enough.
void SendAll(Transport& transport, ConnectionId id, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::array<ConstBytes, 1> pieces = {bytes};
    bytes.remove_prefix(transport.Send(id, pieces).count);
  }
}

// Reads all that comes and answers every `request_bytes` with 50 bytes, until its peer has gone.
void Serve(Transport& transport, std::size_t request_bytes) {
  const std::string answer(50, 'a');
  std::vector<char> buffer(64 * 1024);
  std::vector<TransportEvent> events;
  std::size_t got = 0;
  for (;;) {
    events.clear();
    transport.Poll(Instant::Never(), events, Site("bench.network.serve"));
    for (const TransportEvent& event : events) {
      if (event.kind == TransportEvent::Kind::kAccepted) transport.Interest(event.connection, true, false);
      if (event.kind == TransportEvent::Kind::kEnded) return;
      if (event.kind != TransportEvent::Kind::kReadable) continue;
      const IoResult result = transport.Receive(event.connection, buffer);
      got += result.kind == IoResult::Kind::kBytes ? result.count : 0;
      for (; got >= request_bytes; got -= request_bytes) {
        SendAll(transport, event.connection, answer);
      }
    }
  }
}

// One request at a time.
void Ask(Transport& transport, ConnectionId id, std::size_t request_bytes, int requests) {
  const std::string request(request_bytes, 'r');
  std::array<char, 4096> buffer;
  std::vector<TransportEvent> events;
  transport.Interest(id, true, false);
  for (int i = 0; i < requests; ++i) {
    SendAll(transport, id, request);
    for (std::size_t got = 0; got < 50;) {
      events.clear();
      transport.Poll(Instant::Never(), events, Site("bench.network.ask"));
      const IoResult result = transport.Receive(id, buffer);
      if (result.kind == IoResult::Kind::kBytes) got += result.count;
    }
  }
}

void BM_RequestAndAnswer(benchmark::State& state) {
  constexpr int kRequests = 1000;
  const auto request_bytes = static_cast<std::size_t>(state.range(0));
  NetworkOptions options;
  options.latency = Distribution::LogNormal(std::chrono::microseconds(500), std::chrono::milliseconds(5));
  std::int64_t events = 0;
  for (auto _ : state) {
    Sandbox sandbox({}, options);
    const KernelResult result = sandbox.Run([&] {
      Env& env = sandbox.env();
      const auto server = sandbox.network().NewTransport("server", "10.0.0.1");
      server->Listen({.ip = "10.0.0.1", .port = 9092}, {}).IgnoreError();
      const auto serving = env.threads().Spawn("server", [&] { Serve(*server, request_bytes); });
      const auto client = env.NewTransport("client");
      const ConnectionId id = client->Open({.ip = "10.0.0.1", .port = 9092}, "", {});
      std::vector<TransportEvent> opened;
      while (opened.empty()) client->Poll(Instant::Never(), opened, Site("bench.network.open"));
      Ask(*client, id, request_bytes, kRequests);
      client->Close(id);
      serving->Join(Instant::Never());
    });
    if (result.end != KernelEnd::kIdle) state.SkipWithError(result.text.c_str());
    events += sandbox.kernel().counts().events;
  }
  state.SetItemsProcessed(state.iterations() * kRequests);
  state.SetBytesProcessed(state.iterations() * kRequests * state.range(0));
  state.counters["events/request"] =
      static_cast<double>(events) / (static_cast<double>(state.iterations()) * kRequests);
}
BENCHMARK(BM_RequestAndAnswer)->Arg(500)->Arg(16 * 1024)->Arg(96 * 1024);

}  // namespace
}  // namespace ktrial::sim

BENCHMARK_MAIN();
