#ifndef CNETKIT_LOADING_H
#define CNETKIT_LOADING_H

#include <stddef.h>

#include "CNetKitLoading.h"

/// Opens a library, which stays open. The reason for a failure is written as text of at most `reason_size` bytes.
nk_load_result nk_library_open(const char *name, void **library, char *reason, size_t reason_size);

#endif
