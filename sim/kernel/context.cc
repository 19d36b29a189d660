#include "sim/kernel/context.h"

#include <cxxabi.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <boost/context/detail/fcontext.hpp>
#include <boost/version.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/check.h"

#if BOOST_VERSION >= 108800
#error "this Boost.Context saves the exception state itself; the swap in Switch would undo it"
#endif

// The sanitizers' run-times, if the program has them. Weak: this file is compiled alike for all builds.
extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);
__attribute__((weak)) void __lsan_ignore_object(const void* object);
__attribute__((weak)) void __lsan_register_root_region(const void* address, std::size_t size);
__attribute__((weak)) void* __tsan_get_current_fiber();
__attribute__((weak)) void* __tsan_create_fiber(unsigned int flags);
__attribute__((weak)) void __tsan_destroy_fiber(void* fiber);
__attribute__((weak)) void __tsan_switch_to_fiber(void* fiber, unsigned int flags);
__attribute__((weak)) void __tsan_set_fiber_name(void* fiber, const char* name);
__attribute__((weak)) void __tsan_acquire(void* address);
__attribute__((weak)) void __tsan_release(void* address);
}

namespace ktrial::sim {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr unsigned int kNoSync = 1;  // __tsan_switch_to_fiber_no_sync
constexpr std::size_t kGuardBytes = 4096;

bool HasAsan() { return __sanitizer_start_switch_fiber != nullptr; }
bool HasTsan() { return __tsan_switch_to_fiber != nullptr; }

void Acquire(const void* tag) {
  if (HasTsan()) __tsan_acquire(const_cast<void*>(tag));
}
void Release(const void* tag) {
  if (HasTsan()) __tsan_release(const_cast<void*>(tag));
}

// Not inlined and not const: the address belongs to an OS thread, and a compiler that sees no switch would keep an old
// one.
__attribute__((noinline)) void* ExceptionGlobals() { return abi::__cxa_get_globals(); }

// Whose stacks the handler of SIGSEGV looks at: a signal brings no object along.
thread_local ContextSwitcher* entered = nullptr;  // tidy: thread-local (see above)

}  // namespace

// Names the thread whose stack overflowed. A guard page alone would end the process without a word.
struct OverflowHandler {
  static void Say(const char* text) {
    const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(written);
  }
  static void Handle(int signal, siginfo_t* info, void*) {
    const auto* const address = static_cast<const char*>(info->si_addr);
    if (entered != nullptr && entered->running_ != nullptr) {
      const Context& context = *entered->running_;
      if (address < context.stack.low && address >= context.stack.low - kGuardBytes) {
        Say("stack overflow in the simulated thread \"");
        Say(context.name);
        Say("\"\n");
      }
    }
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(signal, &by_default, nullptr);
    ::raise(signal);
  }
  static bool Install() {
    // The sanitizers have handlers of their own, which say more.
    if (HasAsan() || HasTsan()) return false;
    struct sigaction old = {};
    if (::sigaction(SIGSEGV, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return false;
    struct sigaction action = {};
    action.sa_sigaction = &Handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return ::sigaction(SIGSEGV, &action, nullptr) == 0;
  }
  // The handler cannot run on the stack that is full. One for each OS thread, kept until the process ends.
  static void GiveStack() {
    stack_t old = {};
    if (::sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
    stack_t stack = {};
    stack.ss_size = 64 * 1024;
    stack.ss_sp = ::mmap(nullptr, stack.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack.ss_sp != MAP_FAILED) ::sigaltstack(&stack, nullptr);
  }
};

namespace {

void Unmap(const Stack& stack) { ::munmap(stack.low - kGuardBytes, stack.bytes + kGuardBytes); }

}  // namespace

StackPool::~StackPool() {
  for (const Stack& stack : free_) Unmap(stack);
}

Stack StackPool::Take() {
  if (!free_.empty()) {
    const Stack stack = free_.back();
    free_.pop_back();
    return stack;
  }
  void* const memory = ::mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  KT_CHECK_MSG(memory != MAP_FAILED, "no memory for the stack of a simulated thread");
  KT_CHECK(::mprotect(memory, kGuardBytes, PROT_NONE) == 0);
  return {.low = static_cast<char*>(memory) + kGuardBytes, .bytes = kStackBytes};
}

void StackPool::Give(Stack stack) {
  // Two threads that follow each other on a stack need not be ordered by anything that the program does. To ThreadSanitizer their
  // frames would be a race, unless it learns that the memory is another.
  if (HasTsan()) return Unmap(stack);
  // A frame that was left without returning keeps its marks.
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(stack.low, stack.bytes);
  free_.push_back(stack);
}

ContextSwitcher::ContextSwitcher() : sanitized_(HasAsan() || HasTsan()) { main_.of_simulator = true; }

void ContextSwitcher::Enter() {
  static const bool installed = OverflowHandler::Install();  // tidy: thread-local (see above)
  if (installed) OverflowHandler::GiveStack();
  exceptions_ = static_cast<Context::Exceptions*>(ExceptionGlobals());
  errno_ = &errno;
  outer_ = entered;
  entered = this;
  running_ = &main_;
  if (HasTsan()) {
    main_.tsan_fiber = __tsan_get_current_fiber();
    // Or else counts of shared pointers are not atomic, because the process has one thread; here contexts are threads.
    __libc_single_threaded = 0;
  }
  Release(&enter_tag_);
}

void ContextSwitcher::Leave() {
  KT_CHECK(running_ == &main_ && entered == this);
  running_ = nullptr;
  entered = outer_;
}

struct ContextEntry {
  static void Start(transfer_t transfer);
};

void ContextSwitcher::Prepare(Context& context) {
  context.machine = make_fcontext(context.stack.low + context.stack.bytes, context.stack.bytes, &ContextEntry::Start);
  if (!HasTsan()) return;
  context.tsan_fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(context.tsan_fiber, context.name);
  // What the creator did so far happened before what the thread does.
  Release(&context);
}

void ContextSwitcher::Forget(Context& context) {
  KT_CHECK(running_ != &context);
  if (HasTsan()) __tsan_destroy_fiber(context.tsan_fiber);
}

void ContextSwitcher::Abandon(const Context& context) {
  KT_CHECK(running_ != &context);
  if (__lsan_register_root_region == nullptr) return;
  __lsan_register_root_region(context.stack.low, context.stack.bytes);
  // Where AddressSanitizer looks for uses after return, variables stand in memory of its own: eleven times the stack,
  // and marks.
  if (context.fake_stack != nullptr) __lsan_register_root_region(context.fake_stack, 12 * context.stack.bytes);
}

void KeepForGood(const void* object) {
  if (__lsan_ignore_object != nullptr) __lsan_ignore_object(object);
}

void ContextSwitcher::Observe(const Context& context) { Acquire(&context.machine); }

void ContextEntry::Start(transfer_t transfer) {
  auto* const switcher = static_cast<ContextSwitcher*>(transfer.data);
  switcher->previous_->machine = transfer.fctx;
  Context& self = *switcher->running_;
  if (switcher->sanitized_) {
    switcher->TellOfArrival(self);
    Acquire(&self);
  }
  Context* const next = self.entry(self.argument);
  switcher->ExchangeThreadState(self, *next);
  if (switcher->sanitized_) switcher->TellOfDeparture(self, *next, nullptr);
  jump_fcontext(next->machine, switcher);
}

// `fake_stack` is null when the departing context will never run again: AddressSanitizer then frees what it keeps for
// it.
void ContextSwitcher::TellOfDeparture(Context& from, const Context& to, void** fake_stack) {
  if (HasAsan()) {
    const bool to_main = &to == &main_;
    __sanitizer_start_switch_fiber(fake_stack, to_main ? main_.bottom : to.stack.low,
                                   to_main ? main_.bottom_bytes : to.stack.bytes);
  }
  if (HasTsan()) {
    Release(&from.machine);
    if (from.of_simulator) Release(&simulator_tag_);
    __tsan_switch_to_fiber(to.tsan_fiber, kNoSync);
  }
}

void ContextSwitcher::TellOfArrival(const Context& self) {
  if (HasAsan()) {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(self.fake_stack, &bottom, &bytes);
    if (previous_ == &main_) {
      main_.bottom = bottom;
      main_.bottom_bytes = bytes;
    }
  }
  if (HasTsan()) {
    if (&self != &main_) Acquire(&enter_tag_);
    if (self.of_simulator) Acquire(&simulator_tag_);
  }
}

void ContextSwitcher::Switch(Context& from, Context& to) {
  ExchangeThreadState(from, to);
  if (sanitized_) [[unlikely]]
    TellOfDeparture(from, to, &from.fake_stack);
  previous_->machine = jump_fcontext(to.machine, this).fctx;
  if (sanitized_) [[unlikely]]
    TellOfArrival(from);
}

}  // namespace ktrial::sim
