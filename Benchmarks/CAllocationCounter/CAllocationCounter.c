#include "CAllocationCounter.h"

#include <stdlib.h>

void benchmark_sink(const void *value) { (void)value; }

// A sanitizer has its own allocator, which this one must not hide.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>

// The dynamic linker finds these definitions in the executable before the C library's, so the Swift runtime and all
// other libraries call them too. They forward to the same heap, so `free` needs no counterpart here.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// Timed samples run with the switch off and cost a load and a branch. The count is taken in a separate pass whose
// duration isn't used, so one shared counter is enough.
static atomic_bool counting;
static _Atomic uint64_t calls;

static inline void note(void) {
    if (__builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), 0)) {
        atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    note();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    note();
    // The C library returns the error and doesn't change errno.
    int saved = errno;
    void *allocated = __libc_memalign(alignment, size);
    errno = saved;
    if (allocated == NULL) return ENOMEM;
    *block = allocated;
    return 0;
}

size_t allocated_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

bool allocation_counter_available(void) { return true; }

void allocation_counter_start(void) {
    atomic_store(&calls, 0);
    atomic_store(&counting, true);
}

uint64_t allocation_counter_stop(void) {
    atomic_store(&counting, false);
    return atomic_load(&calls);
}

#else

size_t allocated_bytes(void) { return 0; }

bool allocation_counter_available(void) { return false; }

void allocation_counter_start(void) {}

uint64_t allocation_counter_stop(void) { return 0; }

#endif
