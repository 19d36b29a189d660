// SwitchContext is ContextSwitcher::Switch for hot paths: in a build without sanitizers the switch stands at the place
// of its call, which halves its cost (a processor predicts where a function returns to, and after a switch it is always
// wrong). Never included by context.cc, which is compiled the same way in all builds.
#ifndef SIM_KERNEL_SWITCH_H_
#define SIM_KERNEL_SWITCH_H_

#include <boost/context/detail/fcontext.hpp>

#include "sim/kernel/context.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KTRIAL_SIM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KTRIAL_SIM_SANITIZED 1
#endif
#endif

namespace ktrial::sim {

inline void SwitchContext(ContextSwitcher& switcher, Context& from, Context& to) {
#ifdef KTRIAL_SIM_SANITIZED
  switcher.Switch(from, to);
#else
  switcher.ExchangeThreadState(from, to);
  void* const machine = boost::context::detail::jump_fcontext(to.machine, &switcher).fctx;
  switcher.previous_->machine = machine;
#endif
}

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_SWITCH_H_
