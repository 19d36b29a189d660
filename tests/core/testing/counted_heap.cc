#include "tests/core/testing/counted_heap.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local ktrial::testing::HeapUse use;

void* Allocate(std::size_t size) noexcept {
  ++use.allocations;
  use.bytes += static_cast<std::int64_t>(size);
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace

// Not inlined: gcc would see malloc in one of a pair and not in the other, and call it a mismatch. The array forms of the library
// call these.
__attribute__((noinline)) void* operator new(std::size_t size) {
  if (void* memory = Allocate(size)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return Allocate(size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ktrial::testing {

HeapUse HeapUseOfThisThread() { return use; }

}  // namespace ktrial::testing
