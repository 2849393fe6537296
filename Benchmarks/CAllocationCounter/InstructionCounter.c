#include "InstructionCounter.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__

#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>

// Longer than any count takes, unless the copy waits for a thread that it doesn't have.
static const unsigned patience_seconds = 60;

static bool stops_with(pid_t copy, int *signal) {
    int status = 0;
    if (waitpid(copy, &status, 0) != copy || !WIFSTOPPED(status)) return false;
    *signal = WSTOPSIG(status);
    return true;
}

long instruction_counter_fork(void) {
    pid_t copy = fork();
    if (copy < 0) return -1;
    if (copy == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(1);
        alarm(patience_seconds);
        raise(SIGSTOP);
        return 0;
    }
    int signal = 0;
    bool stopped = stops_with(copy, &signal);
    long count = 0;
    while (stopped && ptrace(PTRACE_SINGLESTEP, copy, NULL, NULL) == 0) {
        stopped = stops_with(copy, &signal);
        if (!stopped || signal != SIGTRAP) break;
        count += 1;
    }
    kill(copy, SIGKILL);
    if (stopped) waitpid(copy, NULL, 0);
    return stopped && signal == SIGSTOP && count > 0 ? count : -1;
}

void instruction_counter_end(void) {
    raise(SIGSTOP);
    _exit(0);
}

#else

long instruction_counter_fork(void) { return -1; }

void instruction_counter_end(void) { abort(); }

#endif
