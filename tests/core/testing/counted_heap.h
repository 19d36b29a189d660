// Linking this replaces operator new by one that counts, so that a test or a benchmark can say how often its subject allocates.
//
// With asan the memory comes from its malloc, but its own operator new, and what that checks, is gone. With tsan this does not link.
#ifndef TESTS_CORE_TESTING_COUNTED_HEAP_H_
#define TESTS_CORE_TESTING_COUNTED_HEAP_H_

#include <cstdint>

namespace ktrial::testing {

// What the calling thread has asked operator new for so far; what it gave back does not count.
struct HeapUse {
  std::int64_t allocations = 0;
  std::int64_t bytes = 0;
};
HeapUse HeapUseOfThisThread();

// What one call allocates on this thread.
template <class Function>
HeapUse HeapUseOf(Function&& function) {
  const HeapUse before = HeapUseOfThisThread();
  function();
  const HeapUse after = HeapUseOfThisThread();
  return {.allocations = after.allocations - before.allocations, .bytes = after.bytes - before.bytes};
}

}  // namespace ktrial::testing

#endif  // TESTS_CORE_TESTING_COUNTED_HEAP_H_
