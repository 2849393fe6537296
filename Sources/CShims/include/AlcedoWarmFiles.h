#pragma once

// Calls that answer from memory instead of waiting for the device. On failure they return -1 and set errno, to EAGAIN
// if they would have to wait. They are in C because Swift can't import the system's declarations. Only on Linux.

// Opens a directory to find files below it, if its names are cached. Fails with EOPNOTSUPP if it isn't known to be on a
// local disk, for which these calls never wait for a server.
int alcedo_open_warm_directory(const char *path);

// Opens a file below a directory for reading if the names are cached and none of them is a symbolic link. Leaves the
// access time of the caller's own files as it is.
int alcedo_open_warm(int directory, const char *path, int is_owned);

// Reads from the beginning of a file as many bytes as are cached.
long alcedo_read_warm(int file, void *bytes, unsigned long count);
