#define _GNU_SOURCE

#include "AlcedoCores.h"

#include <sched.h>

int alcedo_core_number(void) {
#ifdef __linux__
    const int number = sched_getcpu();
    return number < 0 ? 0 : number;
#else
    return 0;
#endif
}
