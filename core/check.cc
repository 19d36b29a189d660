#include "core/check.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace ktrial {
namespace {

// The one thread-local of core/: a check can fail where no object of a world is at hand.
thread_local CheckFailureHook failure_hook;  // tidy: thread-local

}  // namespace

CheckFailureHook ExchangeCheckFailureHook(CheckFailureHook hook) {
  const CheckFailureHook previous = failure_hook;
  failure_hook = hook;
  return previous;
}

void CheckFailed(const char* condition, const char* file, int line, std::string_view message) {
  std::string text = std::string("check failed: ") + condition + " at " + file + ":" + std::to_string(line);
  if (!message.empty()) {
    text += ": ";
    text += message;
  }
  const CheckFailureHook hook = failure_hook;
  if (hook.handler != nullptr) hook.handler(hook.context, text);
  std::fprintf(stderr, "%s\n", text.c_str());
  std::abort();
}

}  // namespace ktrial
