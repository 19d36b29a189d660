#include "sim/broker/request.h"

namespace ktrial::sim {

wire::ErrorCode FencedAs(std::int16_t version, wire::ErrorCode code) {
  constexpr std::int16_t kFencedSince = 2;
  if (version >= kFencedSince || code != wire::ErrorCode::kProducerFenced) return code;
  return wire::ErrorCode::kInvalidProducerEpoch;
}

std::unique_ptr<Request> NewRequest(wire::ApiKey api) {
  switch (api) {
    case wire::ApiKey::kProduce:
      return NewProduce();
    case wire::ApiKey::kMetadata:
      return NewMetadata();
    case wire::ApiKey::kFindCoordinator:
      return NewFindCoordinator();
    case wire::ApiKey::kSaslHandshake:
      return NewSaslHandshake();
    case wire::ApiKey::kApiVersions:
      return NewApiVersions();
    case wire::ApiKey::kInitProducerId:
      return NewInitProducerId();
    case wire::ApiKey::kAddPartitionsToTxn:
      return NewAddPartitionsToTxn();
    case wire::ApiKey::kAddOffsetsToTxn:
      return NewAddOffsetsToTxn();
    case wire::ApiKey::kEndTxn:
      return NewEndTxn();
    case wire::ApiKey::kTxnOffsetCommit:
      return NewTxnOffsetCommit();
    case wire::ApiKey::kSaslAuthenticate:
      return NewSaslAuthenticate();
    default:
      return nullptr;
  }
}

}  // namespace ktrial::sim
