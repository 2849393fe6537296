#define _GNU_SOURCE

#include "AlcedoUnnamedFiles.h"

#ifdef __linux__
#include <fcntl.h>

int alcedo_open_unnamed(const char *directory) {
    return open(directory, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}
#endif
