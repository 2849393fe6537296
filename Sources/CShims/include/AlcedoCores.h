#pragma once

// The number of cores that the process may run on, from one system call; 0 if the system doesn't report it.
int alcedo_core_count(void);
