#include "sim/fault/faults.h"

namespace ktrial::sim {
namespace {

struct Maker {
  std::unique_ptr<Fault> operator()(const MoveLeader& spec) const { return MakeMoveLeader(spec); }
  std::unique_ptr<Fault> operator()(const NoLeader& spec) const { return MakeNoLeader(spec); }
  std::unique_ptr<Fault> operator()(const Crash& spec) const { return MakeCrash(spec); }
  std::unique_ptr<Fault> operator()(const Disconnect& spec) const { return MakeDisconnect(spec); }
  std::unique_ptr<Fault> operator()(const RefuseConnect& spec) const { return MakeRefuseConnect(spec); }
  std::unique_ptr<Fault> operator()(const DropConnect& spec) const { return MakeDropConnect(spec); }
  std::unique_ptr<Fault> operator()(const Blackhole& spec) const { return MakeBlackhole(spec); }
  std::unique_ptr<Fault> operator()(const NetworkPartition& spec) const { return MakeNetworkPartition(spec); }
  std::unique_ptr<Fault> operator()(const Latency& spec) const { return MakeLatency(spec); }
  std::unique_ptr<Fault> operator()(const Misroute& spec) const { return MakeMisroute(spec); }
  std::unique_ptr<Fault> operator()(const DowngradeApi& spec) const { return MakeDowngradeApi(spec); }
  std::unique_ptr<Fault> operator()(const PauseBroker& spec) const { return MakePauseBroker(spec); }
  std::unique_ptr<Fault> operator()(const ErrorAnswer& spec) const { return MakeErrorAnswer(spec); }
  std::unique_ptr<Fault> operator()(const DropResponse& spec) const { return MakeDropResponse(spec); }
  std::unique_ptr<Fault> operator()(const StallThread& spec) const { return MakeStallThread(spec); }
  std::unique_ptr<Fault> operator()(const DeleteTopic& spec) const { return MakeDeleteTopic(spec); }
  std::unique_ptr<Fault> operator()(const CreateTopic& spec) const { return MakeCreateTopic(spec); }
  std::unique_ptr<Fault> operator()(const LoseAckedAppend& spec) const { return MakeLoseAckedAppend(spec); }
  std::unique_ptr<Fault> operator()(const SwapAckedAppends& spec) const { return MakeSwapAckedAppends(spec); }
};

}  // namespace

std::unique_ptr<Fault> MakeFault(const FaultAction& action) { return std::visit(Maker(), action); }

}  // namespace ktrial::sim
