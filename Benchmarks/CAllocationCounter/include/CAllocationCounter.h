#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "BenchmarkSpawn.h"
#include "InstructionCounter.h"

/// Whether this build can count allocations; false if the allocator isn't interposed.
bool allocation_counter_available(void);

/// Bytes allocated and not freed, including the allocator's overhead for each block; 0 if unknown.
size_t allocated_bytes(void);

/// Resets the count to zero and counts the allocations of all threads from then on.
void allocation_counter_start(void);

/// Stops counting; returns the number of allocator calls since the start.
uint64_t allocation_counter_stop(void);

/// Does nothing, in another translation unit: a Swift optimizer has to assume that it reads the memory at `value`.
void benchmark_sink(const void *value);
