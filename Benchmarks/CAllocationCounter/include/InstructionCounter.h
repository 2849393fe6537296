#pragma once

/// Makes a copy of this process and executes it one instruction at a time.
///
/// In the copy, returns 0 at once: `instruction_counter_end` must follow, and nothing before it may wait for another
/// thread, because the copy has only this one. In this process, returns the number of instructions that the copy
/// executed until then, or -1 if they can't be counted.
long instruction_counter_fork(void);

/// Ends the copy.
void instruction_counter_end(void) __attribute__((noreturn));
