#pragma once

#include <sys/types.h>

/// Starts the program `path` (looked up in PATH when it has no slash) with no input and its output to `output`, or to
/// nowhere when that is negative. Returns the process or -1 with errno; a program that can't be executed ends with 127.
///
/// By fork, on purpose. On Linux a program's `ru_maxrss` starts at the resident memory that its process had before
/// exec. After posix_spawn that is the whole of the spawning process; after fork it is the pages which fork copies,
/// and mapped libraries are not among them.
pid_t benchmark_spawn(const char *path, char *const arguments[], int output);
