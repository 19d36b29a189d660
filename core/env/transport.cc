#include "core/env/transport.h"

#include "core/check.h"

namespace ktrial {

std::string AddressText(const Address& address) {
  const bool six = address.ip.find(':') != std::string::npos;
  return (six ? "[" + address.ip + "]" : address.ip) + ":" + std::to_string(address.port);
}

std::string_view EndReasonName(EndReason reason) {
  switch (reason) {
    case EndReason::kRefused:
      return "refused";
    case EndReason::kUnreachable:
      return "unreachable";
    case EndReason::kReset:
      return "reset";
    case EndReason::kEnd:
      return "end";
    case EndReason::kLocal:
      return "local";
    case EndReason::kHandshake:
      return "handshake";
  }
  KT_CHECK(!"a reason outside the enumeration");
}

}  // namespace ktrial
