// Plays a RefreshPlan in the simulator: the real Metadata and NetworkClient on a sender thread, application threads
// that wait, brokers that speak bytes.
#ifndef TESTS_PROPERTY_METADATA_REFRESH_WORLD_H_
#define TESTS_PROPERTY_METADATA_REFRESH_WORLD_H_

#include "tests/property/metadata_refresh_history.h"
#include "tests/property/metadata_refresh_plan.h"

namespace ktrial::property {

RefreshHistory PlayRefresh(const RefreshPlan& plan);

}  // namespace ktrial::property

#endif  // TESTS_PROPERTY_METADATA_REFRESH_WORLD_H_
