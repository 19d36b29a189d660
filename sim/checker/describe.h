// How findings name a record: "record 17 of app-1 to orders/3 (offset 118)".
#ifndef SIM_CHECKER_DESCRIBE_H_
#define SIM_CHECKER_DESCRIBE_H_

#include <cstdint>
#include <string>

#include "sim/checker/history.h"

namespace ktrial::sim {

std::string Describe(const History& history, const RecordStream& stream, std::int64_t index);

}  // namespace ktrial::sim

#endif  // SIM_CHECKER_DESCRIBE_H_
