#pragma once

// The number of the core that the caller runs on, 0 where the system does not say. Swift can't see what declares it.
int alcedo_core_number(void);

// The number of cores that the process may run on, by one system call; 0 where the system does not say.
int alcedo_core_count(void);
