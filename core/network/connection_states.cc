#include "core/network/connection_states.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "core/check.h"

namespace ktrial {
namespace {

constexpr Instant kDistantPast = Instant::FromNanos(std::numeric_limits<std::int64_t>::min());
// Limits that must be passed, not reached, are due this much later.
constexpr Duration kPassed = std::chrono::nanoseconds(1);

bool IsDown(ConnectionState state) {
  return state == ConnectionState::kDisconnected || state == ConnectionState::kAuthenticationFailed;
}

}  // namespace

const ConnectionStates::Record* ConnectionStates::Find(NodeId id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second;
}

ConnectionStates::Record& ConnectionStates::At(NodeId id) {
  const auto found = records_.find(id);
  KT_CHECK(found != records_.end());
  return found->second;
}

ConnectionState ConnectionStates::StateOf(NodeId id) const {
  const Record* record = Find(id);
  return record == nullptr ? ConnectionState::kDisconnected : record->state;
}

bool ConnectionStates::IsPreparing(NodeId id) const {
  const ConnectionState state = StateOf(id);
  return state == ConnectionState::kConnecting || state == ConnectionState::kCheckingVersions;
}

bool ConnectionStates::MaySend(NodeId id, Instant now) const {
  const Record* record = Find(id);
  return record != nullptr && record->state == ConnectionState::kReady && record->throttled_until <= now;
}

bool ConnectionStates::MayConnect(NodeId id, Instant now) const {
  const Record* record = Find(id);
  return record == nullptr || (IsDown(record->state) && now - record->last_attempt >= record->backoff);
}

bool ConnectionStates::HasFailed(NodeId id) const {
  const Record* record = Find(id);
  return record != nullptr && IsDown(record->state);
}

Instant ConnectionStates::LastAttempt(NodeId id) const {
  const Record* record = Find(id);
  return record == nullptr ? kDistantPast : record->last_attempt;
}

Instant ConnectionStates::LookAgainAt(NodeId id, Instant now) const {
  const Record* record = Find(id);
  if (record == nullptr) return kDistantPast;
  switch (record->state) {
    case ConnectionState::kConnecting:
      return record->last_attempt + record->setup_timeout + kPassed;
    case ConnectionState::kCheckingVersions:
    case ConnectionState::kReady:
      return record->throttled_until > now ? record->throttled_until : Instant::Never();
    case ConnectionState::kDisconnected:
    case ConnectionState::kAuthenticationFailed:
      return record->last_attempt + record->backoff;
  }
  return Instant::Never();
}

void ConnectionStates::Connecting(NodeId id, std::string_view host, Instant now) {
  KT_CHECK(MayConnect(id, now));
  auto found = records_.find(id);
  if (found != records_.end() && found->second.host != host) {
    records_.erase(found);
    found = records_.end();
  }
  if (found == records_.end()) {
    found = records_.emplace(id, Record{.host = std::string(host), .throttled_until = kDistantPast}).first;
  } else {
    MoveToNextAddress(found->second);
  }
  Record& record = found->second;
  record.state = ConnectionState::kConnecting;
  record.last_attempt = now;
  record.setup_timeout = setup_.Delay(record.setup_failures, entropy_, DrawPurpose::kConnectionSetupTimeout);
}

void ConnectionStates::MoveToNextAddress(Record& record) {
  if (record.addresses.empty()) return;
  ++record.address_index;
  // All were tried: what the name means now may be something else.
  if (record.address_index == record.addresses.size()) {
    record.addresses.clear();
    record.address_index = 0;
  }
}

std::string_view ConnectionStates::CurrentAddress(NodeId id) const {
  const Record* record = Find(id);
  if (record == nullptr || record->addresses.empty()) return {};
  return record->addresses[record->address_index];
}

void ConnectionStates::Resolved(NodeId id, std::vector<std::string> addresses) {
  Record& record = At(id);
  KT_CHECK(record.state == ConnectionState::kConnecting);
  KT_CHECK(!addresses.empty());
  record.addresses = std::move(addresses);
  // Not straight back to where it just broke, if there is somewhere else to go.
  record.address_index = record.addresses.size() > 1 && record.addresses.front() == record.last_address ? 1 : 0;
}

void ConnectionStates::CheckingVersions(NodeId id) {
  Record& record = At(id);
  KT_CHECK(record.state == ConnectionState::kConnecting || record.state == ConnectionState::kCheckingVersions);
  record.state = ConnectionState::kCheckingVersions;
  record.setup_failures = 0;
}

void ConnectionStates::Ready(NodeId id) {
  Record& record = At(id);
  KT_CHECK(record.state == ConnectionState::kConnecting || record.state == ConnectionState::kCheckingVersions);
  record.state = ConnectionState::kReady;
  record.setup_failures = 0;
  record.failures = 0;
}

void ConnectionStates::Fail(NodeId id, ConnectionState state, Instant now) {
  Record& record = At(id);
  if (record.state == ConnectionState::kConnecting) {
    ++record.setup_failures;
  } else {
    record.setup_failures = 0;
  }
  if (record.address_index < record.addresses.size()) record.last_address = record.addresses[record.address_index];
  if (record.state == ConnectionState::kCheckingVersions || record.state == ConnectionState::kReady) {
    record.addresses.clear();
  }
  record.last_attempt = now;
  record.backoff = reconnect_.Delay(record.failures, entropy_, DrawPurpose::kReconnectBackoff);
  ++record.failures;
  record.state = state;
}

void ConnectionStates::Disconnected(NodeId id, Instant now) { Fail(id, ConnectionState::kDisconnected, now); }

void ConnectionStates::AuthenticationFailed(NodeId id, Instant now) {
  Fail(id, ConnectionState::kAuthenticationFailed, now);
}

void ConnectionStates::Remove(NodeId id) { records_.erase(id); }

void ConnectionStates::Throttle(NodeId id, Instant until) {
  Record& record = At(id);
  record.throttled_until = std::max(record.throttled_until, until);
}

std::vector<NodeId> ConnectionStates::SetupsTimedOut(Instant now) const {
  std::vector<NodeId> late;
  for (const auto& [id, record] : records_) {
    if (record.state == ConnectionState::kConnecting && now - record.last_attempt > record.setup_timeout) {
      late.push_back(id);
    }
  }
  return late;
}

Instant ConnectionStates::NextSetupTimeout() const {
  Instant next = Instant::Never();
  for (const auto& [id, record] : records_) {
    if (record.state != ConnectionState::kConnecting) continue;
    next = std::min(next, record.last_attempt + record.setup_timeout + kPassed);
  }
  return next;
}

}  // namespace ktrial
