// One pointer for each thread.

#ifndef CTHREADLOCAL_H
#define CTHREADLOCAL_H

#include <stddef.h>

/// The pointer that this thread has set, or null.
void *_Nullable xj_thread_pointer(void);

/// Sets this thread's pointer.
void xj_set_thread_pointer(void *_Nullable pointer);

#endif
