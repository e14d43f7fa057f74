#pragma once
// The no-dump attribute of Linux file systems, which Swift cannot reach: `ioctl` is variadic, and
// `statx` is declared by the system's headers only under a feature macro.
#if defined(__linux__)
#include <asm/ioctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

extern long syscall(long number, ...);

/// Sets or clears the attribute of a folder; 0, or the number of the error.
///
/// It is not for files: to close a descriptor of a database ends the locks of the whole process.
static inline int strand_set_folder_nodump(const char *path, int on) {
  const unsigned int nodump = 0x40;
  int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  // The kernel reads and writes an int here, whatever the width in the request's number.
  unsigned int flags = 0;
  int result = ioctl(descriptor, _IOR('f', 1, long), &flags);
  if (result == 0) {
    unsigned int wanted = on ? (flags | nodump) : (flags & ~nodump);
    if (wanted != flags) result = ioctl(descriptor, _IOW('f', 2, long), &wanted);
  }
  int failure = result == 0 ? 0 : errno;
  close(descriptor);
  return failure;
}

/// Whether a path has the attribute: 1 or 0, -1 where that cannot be told, -2 where nothing is
/// there. Nothing is opened.
static inline int strand_has_nodump(const char *path) {
  struct statx status;
  memset(&status, 0, sizeof status);
  if (syscall(SYS_statx, AT_FDCWD, path, 0, 0, &status) != 0) return errno == ENOENT ? -2 : -1;
  if (!(status.stx_attributes_mask & STATX_ATTR_NODUMP)) return -1;
  return (status.stx_attributes & STATX_ATTR_NODUMP) ? 1 : 0;
}
#endif
