#pragma once

#include <sys/types.h>

/// Starts the program `path` (looked up in PATH if it has no slash) without input. Its output goes to `output`, or is
/// discarded if that is negative. Returns the process, or -1 with errno; a program that can't be executed ends with
/// 127.
///
/// It uses fork on purpose. On Linux, a program's `ru_maxrss` starts at the resident memory that its process had before
/// exec. After posix_spawn, that is all of the spawning process's memory; after fork, it is only the pages that fork
/// copies, which don't include mapped libraries.
pid_t benchmark_spawn(const char *path, char *const arguments[], int output);
