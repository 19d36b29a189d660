#include "sim/trace/trace.h"

#include <algorithm>
#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.h"

namespace ktrial::sim {

std::string_view TraceKindName(TraceKind kind) {
  switch (kind) {
    case TraceKind::kDecision:
      return "decision";
    case TraceKind::kStall:
      return "stall";
    case TraceKind::kSpawn:
      return "spawn";
    case TraceKind::kExit:
      return "exit";
    case TraceKind::kWait:
      return "wait";
    case TraceKind::kTimer:
      return "timer";
    case TraceKind::kDraw:
      return "draw";
    case TraceKind::kWallJump:
      return "wall_jump";
    case TraceKind::kOpen:
      return "open";
    case TraceKind::kAccept:
      return "accept";
    case TraceKind::kOpened:
      return "opened";
    case TraceKind::kSend:
      return "send";
    case TraceKind::kReceive:
      return "receive";
    case TraceKind::kClose:
      return "close";
    case TraceKind::kEnded:
      return "ended";
    case TraceKind::kResolve:
      return "resolve";
    case TraceKind::kNetworkRule:
      return "network_rule";
    case TraceKind::kRequest:
      return "request";
    case TraceKind::kResponse:
      return "response";
    case TraceKind::kAppend:
      return "append";
    case TraceKind::kCluster:
      return "cluster";
    case TraceKind::kFault:
      return "fault";
    case TraceKind::kClient:
      return "client";
    case TraceKind::kCompletion:
      return "completion";
    case TraceKind::kViolation:
      return "violation";
    case TraceKind::kText:
      return "text";
  }
  KT_CHECK(!"a kind outside the enumeration");
}

std::uint64_t TraceHash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

Trace::Trace() : names_(1) {}

Subject Trace::AddSubject(std::string_view name) {
  UncheckedSection unchecked;
  const auto subject = static_cast<Subject>(names_.size());
  names_.emplace_back(name);
  NoteText(TraceKind::kText, subject, 0, name);
  return subject;
}

void Trace::NoteText(TraceKind kind, Subject subject, std::uint64_t a, std::string_view text) {
  UncheckedSection unchecked;
  const std::uint64_t b = TraceHash(text);
  if (sink_ != nullptr) [[unlikely]]
    Tell(kind, subject, a, b, text);
  Put(kind, subject, a, b);
}

std::uint64_t Trace::hash() const {
  if (used_ == 0) return hash_;
  return XXH3_64bits_withSeed(words_.data(), used_ * sizeof(std::uint64_t), hash_);
}

void Trace::Fold() {
  hash_ = hash();
  used_ = 0;
  if (std::has_single_bit(count_)) checkpoints_.push_back({count_, hash_});
}

void Trace::Tell(TraceKind kind, Subject subject, std::uint64_t a, std::uint64_t b, std::string_view text) {
  sink_->OnTraceEvent(
      {.index = count_, .at = now_, .kind = kind, .subject = name(subject), .a = a, .b = b, .text = text});
}

TraceWindow FirstDifference(std::span<const Trace::Checkpoint> one, std::span<const Trace::Checkpoint> other) {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    if (one[i] != other[i]) return {.first = first, .last = one[i].count};
    first = one[i].count;
  }
  return {};
}

}  // namespace ktrial::sim
