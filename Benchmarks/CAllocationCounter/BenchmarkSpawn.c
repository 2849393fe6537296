#include "BenchmarkSpawn.h"

#include <fcntl.h>
#include <unistd.h>

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
