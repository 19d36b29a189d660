// The properties of the metadata refresh rules, each a function of what happened. Empty text: it holds; else what broke
// it.
#ifndef TESTS_PROPERTY_METADATA_REFRESH_RULES_H_
#define TESTS_PROPERTY_METADATA_REFRESH_RULES_H_

#include <string>

#include "tests/property/metadata_refresh_history.h"

namespace ktrial::property {

// Never two refreshes closer than the backoff allows: a fifth below retry.backoff after any attempt, growing with
// failures and with answers that taught nothing. Except for a topic that is new (MD-05 to MD-07, MD-10, MD-45). Judged
// without stalls.
std::string RefreshesKeepTheirDistance(const RefreshHistory& history);

// While a broker is reachable, the age of the metadata stays below max age + largest refresh backoff + (largest setup
// timeout + request timeout) x unusable nodes. Judged without stalls.
std::string AgeIsBounded(const RefreshHistory& history);

// After a full update was asked for, and until one came, the next is due within the largest backoff; and one comes,
// within the same bound as for the age, less max age (MD-03, MD-09, MD-15). The second half is judged without stalls.
std::string ForcedRefreshIsNotLost(const RefreshHistory& history);

// The version grows by one on bootstrap, re-bootstrap and each successful update, never otherwise (MD-08 to MD-10,
// MD-20, MD-22).
std::string VersionCountsUpdates(const RefreshHistory& history);

// A waiter ends by a newer version, a fatal error (each taken once), close, or its deadline; without stalls at that
// very moment (MD-24, MD-33, MD-34).
std::string WaitsEndForAReason(const RefreshHistory& history);

// One refresh in flight (NC-33).
std::string OneRefreshInFlight(const RefreshHistory& history);

// Whoever looks sees one snapshot, whole (MD-02).
std::string SnapshotsAreWhole(const RefreshHistory& history);

// The sender does not turn in circles: what it waits for is really due (NC-18). Judged without stalls.
std::string SenderDoesNotSpin(const RefreshHistory& history);

// The simulator found nothing wrong: no deadlock, no failed check.
std::string NothingWasFound(const RefreshHistory& history);

}  // namespace ktrial::property

#endif  // TESTS_PROPERTY_METADATA_REFRESH_RULES_H_
