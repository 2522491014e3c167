#include <sys/random.h>
#include <sys/vfs.h>
