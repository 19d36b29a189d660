#include "core/observer.h"

#include "core/check.h"

namespace ktrial {

std::string_view RefreshReasonName(RefreshReason reason) {
  switch (reason) {
    case RefreshReason::kInitial: return "initial";
    case RefreshReason::kPeriodic: return "periodic";
    case RefreshReason::kNewTopic: return "new_topic";
    case RefreshReason::kMetadataWait: return "metadata_wait";
    case RefreshReason::kConnectFailed: return "connect_failed";
    case RefreshReason::kConnectionLost: return "connection_lost";
    case RefreshReason::kRequestTimeout: return "request_timeout";
    case RefreshReason::kConnectionSetupTimeout: return "connection_setup_timeout";
    case RefreshReason::kUnknownLeader: return "unknown_leader";
    case RefreshReason::kProduceError: return "produce_error";
    case RefreshReason::kMetadataError: return "metadata_error";
    case RefreshReason::kNewerEpoch: return "newer_epoch";
    case RefreshReason::kRebootstrap: return "rebootstrap";
  }
  KT_CHECK(!"a reason outside the enumeration");
}

ProducerObserver& NoObserver() {
  static ProducerObserver none;  // without state: every function does nothing
  return none;
}

}  // namespace ktrial
