// Linking this replaces operator new by one that counts, so that a benchmark can say how often its subject allocates.
#ifndef BENCH_MICRO_COUNTED_HEAP_H_
#define BENCH_MICRO_COUNTED_HEAP_H_

#include <cstdint>

namespace ktrial {

// How often the calling thread has allocated so far.
std::int64_t AllocationsOfThisThread();

}  // namespace ktrial

#endif  // BENCH_MICRO_COUNTED_HEAP_H_
