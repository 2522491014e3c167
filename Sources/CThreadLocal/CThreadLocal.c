// One pointer for each thread: by it the wrappers of a new object's properties find the object (decision 0016).

#include "CThreadLocal.h"

static _Thread_local void *pointer_of_thread;

void *xj_thread_pointer(void) { return pointer_of_thread; }

void xj_set_thread_pointer(void *pointer) { pointer_of_thread = pointer; }
