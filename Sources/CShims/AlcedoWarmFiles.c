#define _GNU_SOURCE

#include "AlcedoWarmFiles.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

// Defined here because the headers of older systems lack them.
#define ALCEDO_SYS_OPENAT2 437
#define ALCEDO_RESOLVE_NO_SYMLINKS 0x04
#define ALCEDO_RESOLVE_BENEATH 0x08
#define ALCEDO_RESOLVE_CACHED 0x20
#define ALCEDO_RWF_NOWAIT 0x08

// Whether a file is on a file system for which these calls never wait for a server.
static int is_on_local_disk(int file) {
    // Network file systems don't report this attribute. Asking them for the status would wait.
    struct statx known;
    if (statx(file, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &known) != 0) return 0;
    if ((known.stx_attributes_mask & STATX_ATTR_IMMUTABLE) == 0) return 0;
    struct statfs status;
    if (fstatfs(file, &status) != 0) return 0;
    switch ((uint32_t)status.f_type) {
    case 0x0000EF53:  // ext2, ext3, ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // Btrfs
    case 0xF2F52010:  // F2FS
    case 0x01021994:  // tmpfs
        return 1;
    default:
        return 0;
    }
}

int alcedo_open_warm_directory(const char *path) {
    // With O_PATH, the file system isn't involved. With O_DIRECTORY, Linux before 6.5 fails with EAGAIN.
    const uint64_t how[3] = {O_PATH | O_CLOEXEC, 0, ALCEDO_RESOLVE_CACHED};
    const int directory = (int)syscall(ALCEDO_SYS_OPENAT2, AT_FDCWD, path, how, sizeof how);
    if (directory < 0 || is_on_local_disk(directory)) return directory;
    close(directory);
    errno = EOPNOTSUPP;
    return -1;
}

int alcedo_open_warm(int directory, const char *path, int is_owned) {
    // Without O_NONBLOCK, opening a named pipe waits for a writer. A changed access time might have to be written.
    const uint64_t how[3] = {
        O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_owned ? O_NOATIME : 0), 0,
        ALCEDO_RESOLVE_CACHED | ALCEDO_RESOLVE_BENEATH | ALCEDO_RESOLVE_NO_SYMLINKS};
    return (int)syscall(ALCEDO_SYS_OPENAT2, directory, path, how, sizeof how);
}

long alcedo_read_warm(int file, void *bytes, unsigned long count) {
    const struct iovec part = {bytes, count};
    return (long)preadv2(file, &part, 1, 0, ALCEDO_RWF_NOWAIT);
}
#endif
