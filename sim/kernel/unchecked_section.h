// UncheckedSection hides a scope from ThreadSanitizer's race detector: what runs in it is the simulator's own code on
// behalf of a simulated thread.
//
// In a TSan build each simulated thread is a thread to TSan, and only the program's own locks order them; that is how
// races of the program are found. The simulator itself (kernel, network, trace, checkers) is called from all of these
// threads and is safe because only one runs at a time, which TSan cannot see. Events of the kernel's heap and daemon
// threads need no section: they count as one thread. Nests. Costs nothing in other builds.
#ifndef SIM_KERNEL_UNCHECKED_SECTION_H_
#define SIM_KERNEL_UNCHECKED_SECTION_H_

#if defined(__SANITIZE_THREAD__)
#define KTRIAL_SIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KTRIAL_SIM_TSAN 1
#endif
#endif

#ifdef KTRIAL_SIM_TSAN
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);
}
#endif

namespace ktrial::sim {

class [[maybe_unused]] UncheckedSection {
 public:
#ifdef KTRIAL_SIM_TSAN
  UncheckedSection() {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~UncheckedSection() {
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
#else
  UncheckedSection() {}
  ~UncheckedSection() {}
#endif
  UncheckedSection(const UncheckedSection&) = delete;
  UncheckedSection& operator=(const UncheckedSection&) = delete;
};

// What a lock of the program means to the detector: what was done before the release is seen after the acquire.
#ifdef KTRIAL_SIM_TSAN
inline void DeclareAcquire(const void* tag) { __tsan_acquire(const_cast<void*>(tag)); }
inline void DeclareRelease(const void* tag) { __tsan_release(const_cast<void*>(tag)); }
#else
inline void DeclareAcquire(const void*) {}
inline void DeclareRelease(const void*) {}
#endif

}  // namespace ktrial::sim

#endif  // SIM_KERNEL_UNCHECKED_SECTION_H_
