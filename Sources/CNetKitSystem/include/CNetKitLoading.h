/// Functions that all loaders of libraries use.
#ifndef CNETKIT_LOADING_H
#define CNETKIT_LOADING_H

#include <stddef.h>

/// The result of the search for a library.
typedef enum nk_load_result {
    nk_load_ok = 0,
    /// No library of that name could be opened, or it lacks a function.
    nk_load_failed = 1,
    /// The system lacks the file descriptors or the memory to open the library.
    nk_load_no_resources = 2,
} nk_load_result;

/// Opens a library, which stays open. The reason for a failure is written as text of at most `reason_size` bytes.
nk_load_result nk_library_open(
    const char *_Nonnull name, void *_Nullable *_Nonnull library, char *_Nonnull reason, size_t reason_size);

#endif
