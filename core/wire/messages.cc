#include "core/wire/messages.h"

#include <algorithm>

namespace ktrial::wire {
namespace {

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

}  // namespace

bool IsValidClientSoftware(std::string_view text) {
  if (text.empty() || !IsAlphanumeric(text.front()) || !IsAlphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsAlphanumeric(c) || c == '.' || c == '-'; });
}

}  // namespace ktrial::wire
