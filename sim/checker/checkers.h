// The checkers, one file each. checker.h says what each judges; checker.cc lists them.
#ifndef SIM_CHECKER_CHECKERS_H_
#define SIM_CHECKER_CHECKERS_H_

#include <memory>

#include "sim/checker/checker.h"

namespace ktrial::sim {

std::unique_ptr<Checker> MakeLossChecker();
std::unique_ptr<Checker> MakeDuplicateChecker();
std::unique_ptr<Checker> MakeOrderChecker();
std::unique_ptr<Checker> MakeCompletionChecker();
std::unique_ptr<Checker> MakeAtomicityChecker();
std::unique_ptr<Checker> MakeDeliveryTimeoutChecker();
std::unique_ptr<Checker> MakeMemoryChecker();
std::unique_ptr<Checker> MakeRequestRateChecker();

}  // namespace ktrial::sim

#endif  // SIM_CHECKER_CHECKERS_H_
