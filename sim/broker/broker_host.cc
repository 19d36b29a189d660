#include "sim/broker/broker_host.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "sim/broker/loop.h"

namespace ktrial::sim {

BrokerHost::BrokerHost(BrokerHostOptions options, Cluster& cluster, Transport& transport, Threads& threads,
                       BrokerObserver& observer)
    : loop_(std::make_unique<BrokerLoop>(options, cluster, transport, threads, observer)) {}
BrokerHost::~BrokerHost() = default;

absl::Status BrokerHost::Start() { return loop_->Start(); }
void BrokerHost::Run() { loop_->Run(); }
void BrokerHost::Turn(Instant deadline) { loop_->Turn(deadline); }
void BrokerHost::Stop() { loop_->Stop(); }
void BrokerHost::Post(absl::AnyInvocable<void()> function) { loop_->Post(std::move(function)); }
TimerId BrokerHost::At(Instant moment, absl::AnyInvocable<void()> function) {
  return loop_->cluster().timers().At(moment, std::move(function));
}
void BrokerHost::AddHook(RequestHook& hook) { loop_->hooks().push_back(&hook); }
void BrokerHost::RemoveHook(RequestHook& hook) { std::erase(loop_->hooks(), &hook); }
int BrokerHost::Disconnect(NodeId broker, Transport::CloseKind how) { return loop_->Disconnect(broker, how); }
bool BrokerHost::SetRefusing(NodeId broker, bool refusing) { return loop_->SetRefusing(broker, refusing); }
bool BrokerHost::SetSilent(NodeId broker, bool silent) { return loop_->SetSilent(broker, silent); }
bool BrokerHost::Pause(NodeId broker) { return loop_->Pause(broker); }
bool BrokerHost::Resume(NodeId broker) { return loop_->Resume(broker); }
bool BrokerHost::Crash(NodeId broker, CrashOptions options) { return loop_->Crash(broker, options); }
bool BrokerHost::Restart(NodeId broker, RestartOptions options) { return loop_->Restart(broker, options); }
Address BrokerHost::address(NodeId broker) const { return loop_->address(broker); }
int BrokerHost::ConnectionCount(NodeId broker) const { return loop_->ConnectionCount(broker); }
Cluster& BrokerHost::cluster() { return loop_->cluster(); }
TransactionCoordinator& BrokerHost::transactions() { return loop_->transactions(); }
const Clock& BrokerHost::clock() const { return loop_->cluster().clock(); }

}  // namespace ktrial::sim
