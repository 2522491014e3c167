#define _GNU_SOURCE
#include "CSyncCount.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// A program's own functions come before those of the same names in the libraries that it is linked with,
// also where these libraries call them: so all syncs go through here.

static atomic_long count;

long sync_count(void) { return atomic_load(&count); }

int fsync(int file) {
  atomic_fetch_add(&count, 1);
  return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file) {
  atomic_fetch_add(&count, 1);
  return (int)syscall(SYS_fdatasync, file);
}

int msync(void *address, size_t length, int flags) {
  if (flags & MS_SYNC) atomic_fetch_add(&count, 1);
  return (int)syscall(SYS_msync, address, length, flags);
}
