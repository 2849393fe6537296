#pragma once

// The number of the core that the caller runs on; 0 if the system doesn't report it. Swift can't import the system's
// declaration.
int alcedo_core_number(void);

// The number of cores that the process may run on, from one system call; 0 if the system doesn't report it.
int alcedo_core_count(void);
