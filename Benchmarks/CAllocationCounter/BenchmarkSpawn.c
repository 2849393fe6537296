#include "BenchmarkSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

#if defined(__APPLE__) && (TARGET_OS_TV || TARGET_OS_WATCH)

// No program can start another one.
pid_t benchmark_spawn(const char *path, char *const arguments[], int output) {
    (void)path, (void)arguments, (void)output;
    errno = ENOTSUP;
    return -1;
}

#else

pid_t benchmark_spawn(const char *path, char *const arguments[], int output) {
    pid_t child = fork();
    if (child != 0) return child;
    // The parent has other threads, so only async-signal-safe calls are allowed until exec.
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) _exit(127);
    if (dup2(output < 0 ? nothing : output, STDOUT_FILENO) < 0) _exit(127);
    if (nothing > STDERR_FILENO) close(nothing);
    if (output > STDERR_FILENO) close(output);
    execvp(path, arguments);
    _exit(127);
}

#endif
