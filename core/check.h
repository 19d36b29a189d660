// KT_CHECK states what only our own code can make false. It is on in every build, and a failure ends the process unless
// the simulator has asked to be told (a failed check under simulation is a finding about one run, not about the process).
//
// What a peer, a user or the operating system can make false is never a KT_CHECK: that is an absl::Status.
//
//   KT_CHECK(in_flight_.front().first == first) << is not offered: the condition and its place say enough, and a message
//   that is built on a path that never fails costs code. Use KT_CHECK_MSG where one value decides.
#ifndef CORE_CHECK_H_
#define CORE_CHECK_H_

#include <string_view>

namespace ktrial {

// Called with the text of a failed check before the process ends. May throw; must not return normally if the caller of the
// check cannot go on, which it never can: after a return the process aborts. One handler per OS thread, so that a simulated
// world on one thread does not change what a real producer on another does. Returns the previous one. Null: none.
using CheckFailureHandler = void (*)(void* context, std::string_view text);
struct CheckFailureHook {
  CheckFailureHandler handler = nullptr;
  void* context = nullptr;
};
CheckFailureHook ExchangeCheckFailureHook(CheckFailureHook hook);

// Reports and ends; the macros' slow path. `condition` and `file` are literals.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line, std::string_view message = {});

}  // namespace ktrial

#define KT_CHECK(condition)                                                       \
  (static_cast<bool>(condition) ? static_cast<void>(0)                            \
                                : ::ktrial::CheckFailed(#condition, __FILE__, __LINE__))

#define KT_CHECK_MSG(condition, message)                                          \
  (static_cast<bool>(condition) ? static_cast<void>(0)                            \
                                : ::ktrial::CheckFailed(#condition, __FILE__, __LINE__, (message)))

#endif  // CORE_CHECK_H_
