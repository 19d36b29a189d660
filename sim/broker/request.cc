#include "sim/broker/request.h"

namespace ktrial::sim {

std::unique_ptr<Request> NewRequest(wire::ApiKey api) {
  switch (api) {
    case wire::ApiKey::kProduce:
      return NewProduce();
    case wire::ApiKey::kMetadata:
      return NewMetadata();
    case wire::ApiKey::kApiVersions:
      return NewApiVersions();
    case wire::ApiKey::kInitProducerId:
      return NewInitProducerId();
    default:
      return nullptr;
  }
}

}  // namespace ktrial::sim
