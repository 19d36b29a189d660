// Context is a stack and the place on it where execution goes on: the mechanism below threads of the simulation.
// Nothing here knows of scheduling.
//
// context.cc alone is compiled without sanitizers and tells their run-times by hand what it does: AddressSanitizer
// about the stack in use, ThreadSanitizer about each context as a thread of its own. The state that the C++ run-time
// keeps per OS thread (the exceptions that are being handled) and errno change hands at each switch; everything else
// that is per OS thread is shared.
//
// Thread safety: none. A context runs on the OS thread that called ContextSwitcher::Enter.
#ifndef SIM_KERNEL_CONTEXT_H_
#define SIM_KERNEL_CONTEXT_H_

#include <cstddef>
#include <vector>

namespace ktrial::sim {

struct Stack {
  char* low = nullptr;  // the first usable byte; a guard page lies below
  std::size_t bytes = 0;
};

// Stacks with a guard page below, kept for the next thread: a fresh one costs about 9 us, a kept one 40 ns.
class StackPool {
 public:
  // Memory is taken as it is touched, so a large stack costs addresses only.
  static constexpr std::size_t kStackBytes = 256 * 1024;

  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  Stack Take();
  void Give(Stack stack);

 private:
  std::vector<Stack> free_;
};

struct Context {
  void* machine = nullptr;  // registers, on its stack
  Stack stack;
  // Runs on the context; returns whom to switch to at its end.
  Context* (*entry)(void* argument) = nullptr;
  void* argument = nullptr;
  const char* name = "";  // for the message of an overflow; must outlive the context
  // One of the simulator's own, which ThreadSanitizer shall take for one thread together with all others of that kind.
  bool of_simulator = false;

  // As __cxa_eh_globals.
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  } exceptions;
  int saved_errno = 0;
  void* fake_stack = nullptr;    // AddressSanitizer's
  void* tsan_fiber = nullptr;    // ThreadSanitizer's
  const void* bottom = nullptr;  // of the main context's stack, as AddressSanitizer knows it
  std::size_t bottom_bytes = 0;
};

class ContextSwitcher {
 public:
  ContextSwitcher();
  ContextSwitcher(const ContextSwitcher&) = delete;
  ContextSwitcher& operator=(const ContextSwitcher&) = delete;

  // Around everything else: the caller's own stack is main() until Leave. Enters nest (with other switchers).
  void Enter();
  void Leave();
  Context& main() { return main_; }

  // Prepares a context that starts with `entry` when it is switched to for the first time. Its stack, entry, argument
  // and name are set.
  void Prepare(Context& context);
  // Of a context that has ended.
  void Forget(Context& context);
  // Of a context that will never go on: what is on its stack stays, and LeakSanitizer looks there for pointers.
  // ThreadSanitizer keeps it too; it objects to a thread that ends inside of an UncheckedSection.
  void Abandon(const Context& context);
  // From the running context to another one. Returns when somebody switches back. SwitchContext (switch.h) is the same,
  // faster.
  void Switch(Context& from, Context& to);

  // What `context` did so far happened before what the caller does from now on.
  void Observe(const Context& context);

 private:
  // The state that the C++ run-time and the C library keep for an OS thread goes with the context.
  void ExchangeThreadState(Context& from, Context& to) {
    from.exceptions.caught = exceptions_->caught;
    from.exceptions.uncaught = exceptions_->uncaught;
    exceptions_->caught = to.exceptions.caught;
    exceptions_->uncaught = to.exceptions.uncaught;
    from.saved_errno = *errno_;
    *errno_ = to.saved_errno;
    previous_ = &from;
    running_ = &to;
  }
  void TellOfDeparture(Context& from, const Context& to, void** fake_stack);
  void TellOfArrival(const Context& self);

  const bool sanitized_;
  Context main_;
  Context* previous_ = nullptr;  // whom the running context was switched to from
  Context* running_ = nullptr;
  ContextSwitcher* outer_ = nullptr;
  Context::Exceptions* exceptions_ = nullptr;  // of this OS thread
  int* errno_ = nullptr;
  char simulator_tag_ = 0;
  char enter_tag_ = 0;

  friend struct ContextEntry;
  friend void SwitchContext(ContextSwitcher& switcher, Context& from, Context& to);
  friend struct OverflowHandler;
};

// Tells LeakSanitizer that an object, and all that it refers to, stays on purpose: abandoned threads stand inside of
// it.
void KeepForGood(const void* object);

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_CONTEXT_H_
