// Tells the thread sanitizer what it does not see of Swift's Mutex; `make tsan` loads it before everything else.
//
// A Mutex takes and gives back a free lock by an atomic operation that is compiled into its caller, and so is seen. A
// lock that is contended it takes, and hands over, inside the Synchronization library, which the sanitizer has not
// instrumented: all that two threads do under such a lock looks as if nothing ordered it. These two functions stand in
// front of the library's own, and say that an unlock comes before the lock that follows it.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Not there in a process without the sanitizer, which has this loaded too.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

Lock lock __asm__(LOCK);
Unlock unlock __asm__(UNLOCK);

static Lock *library_lock;
static Unlock *library_unlock;

__attribute__((constructor)) static void find_library(void) {
    library_lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
    library_unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock(uint32_t thread, SELF void *mutex) {
    library_lock(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT void unlock(SELF void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    library_unlock(mutex);
}
