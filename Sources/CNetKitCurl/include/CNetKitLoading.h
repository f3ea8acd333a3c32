#ifndef CNETKIT_LOADING_RESULT_H
#define CNETKIT_LOADING_RESULT_H

#if defined(__cplusplus)
extern "C" {
#endif

/// The result of the search for a library.
typedef enum nk_load_result {
    nk_load_ok = 0,
    /// No library of that name could be opened, or it lacks a function.
    nk_load_failed = 1,
    /// The system lacks the file descriptors or the memory to open the library.
    nk_load_no_resources = 2,
} nk_load_result;

#if defined(__cplusplus)
}
#endif

#endif
