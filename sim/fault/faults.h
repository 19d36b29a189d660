// The kinds of faults, one file each. fault_spec.h says what each does.
#ifndef SIM_FAULT_FAULTS_H_
#define SIM_FAULT_FAULTS_H_

#include <memory>

#include "sim/fault/fault.h"

namespace ktrial::sim {

std::unique_ptr<Fault> MakeMoveLeader(const MoveLeader& spec);
std::unique_ptr<Fault> MakeNoLeader(const NoLeader& spec);
std::unique_ptr<Fault> MakeCrash(const Crash& spec);
std::unique_ptr<Fault> MakeDisconnect(const Disconnect& spec);
std::unique_ptr<Fault> MakeRefuseConnect(const RefuseConnect& spec);
std::unique_ptr<Fault> MakeDropConnect(const DropConnect& spec);
std::unique_ptr<Fault> MakeBlackhole(const Blackhole& spec);
std::unique_ptr<Fault> MakeNetworkPartition(const NetworkPartition& spec);
std::unique_ptr<Fault> MakeLatency(const Latency& spec);
std::unique_ptr<Fault> MakeMisroute(const Misroute& spec);
std::unique_ptr<Fault> MakeDowngradeApi(const DowngradeApi& spec);
std::unique_ptr<Fault> MakePauseBroker(const PauseBroker& spec);
std::unique_ptr<Fault> MakeErrorAnswer(const ErrorAnswer& spec);
std::unique_ptr<Fault> MakeDropResponse(const DropResponse& spec);
std::unique_ptr<Fault> MakeStallThread(const StallThread& spec);
std::unique_ptr<Fault> MakeDeleteTopic(const DeleteTopic& spec);
std::unique_ptr<Fault> MakeCreateTopic(const CreateTopic& spec);
std::unique_ptr<Fault> MakeLoseAckedAppend(const LoseAckedAppend& spec);
std::unique_ptr<Fault> MakeSwapAckedAppends(const SwapAckedAppends& spec);

}  // namespace ktrial::sim

#endif  // SIM_FAULT_FAULTS_H_
