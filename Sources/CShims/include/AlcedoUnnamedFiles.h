#pragma once

// Opens a new, unnamed file in a directory, for reading and appending. On failure it returns -1 and sets errno. It is
// in C because Swift can't import the flag. Only on Linux.
int alcedo_open_unnamed(const char *directory);
