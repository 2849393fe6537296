#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "BenchmarkSpawn.h"

/// Whether this build can count allocations: false where the allocator is not interposed.
bool allocation_counter_available(void);

/// Bytes that the allocator has handed out and not got back, with its own of each; 0 where they can't be told.
size_t allocated_bytes(void);

/// Sets the count to zero and counts every thread's allocations from here on.
void allocation_counter_start(void);

/// Stops counting; returns the number of allocator calls since the start.
uint64_t allocation_counter_stop(void);

/// Does nothing, in another translation unit: a Swift optimiser has to assume that it reads what `value` points to.
void benchmark_sink(const void *value);
