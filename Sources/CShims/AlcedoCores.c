#define _GNU_SOURCE

#include "AlcedoCores.h"

#include <sched.h>

int alcedo_core_count(void) {
#ifdef __linux__
    cpu_set_t cores;
    // Fails if there are more cores than fit into the set.
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores) : CPU_SETSIZE;
#else
    return 0;
#endif
}
