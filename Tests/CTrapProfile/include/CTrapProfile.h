// Has a process of the tests that ends by a trap say before what it has run, as one that ends by itself does.

#ifndef CTRAPPROFILE_H
#define CTRAPPROFILE_H

// There is nothing to call: being linked is enough.

#endif
