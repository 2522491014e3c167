#include "CTrapProfile.h"

#include <signal.h>
#include <stddef.h>

/// Writes what was run; there only where coverage is measured.
int __llvm_profile_write_file(void) __attribute__((weak));

/// Nothing else runs in a process that has trapped, so that its memory is as quiet as it was in the midst of that.
static void write_profile(int number) {
  signal(number, SIG_DFL);
  __llvm_profile_write_file();
  raise(number);
}

__attribute__((constructor)) static void watch_traps(void) {
  if (__llvm_profile_write_file == NULL) return;
  signal(SIGILL, write_profile);
  signal(SIGTRAP, write_profile);
}
