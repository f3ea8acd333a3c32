/// The floor of the bench: libcurl's multi interface driven from C, with as little around it as there can be.
///
/// It is what a client over libcurl is compared with; nothing but the bench links it.
#ifndef CNETKIT_BENCH_FLOOR_H
#define CNETKIT_BENCH_FLOOR_H

#include <stdint.h>

#include "CNetKitCurl.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// A set of transfers with its connections, which stay open between two runs; for one thread at a time.
typedef struct nk_floor nk_floor;

/// What a run does.
typedef struct nk_floor_task {
    const char *_Nonnull url;
    /// Whom to trust; null for libcurl's own authorities.
    const char *_Nullable ca_file;
    /// A file to send in a POST, or bytes, as long as `upload_size` says; both null for a GET.
    const char *_Nullable upload_file;
    const void *_Nullable upload_bytes;
    int64_t upload_size;
    /// How many transfers go on at once.
    int callers;
    /// How many transfers are made in all; 0 for as many as the time allows, but one for each caller at least.
    int64_t calls;
    /// After how many milliseconds none is started any more, where `calls` is 0.
    int64_t milliseconds;
    /// Whether bodies are collected in a growing buffer, or only counted.
    int is_collecting;
    /// Whether each transfer has a handle of its own, or takes that of the one ahead, set up already.
    int has_new_handles;
} nk_floor_task;

/// What became of a run.
typedef struct nk_floor_result {
    int64_t calls;
    /// Bytes of bodies that were received.
    int64_t bytes;
    /// How many did not end in a 200.
    int64_t failures;
    /// libcurl's code for the first of those, or else its status.
    int first_failure;
} nk_floor_result;

/// Makes a set of transfers with these functions, which have to outlive it; null where that fails.
///
/// Either libcurl waits itself, with `curl_multi_poll`, or it is told what an epoll set found.
nk_floor *_Nullable nk_floor_create(const nk_curl_api *_Nonnull api, int is_polling);

/// Carries out a task to its end, on the calling thread.
nk_floor_result nk_floor_run(nk_floor *_Nonnull floor, const nk_floor_task *_Nonnull task);

/// Closes the connections.
void nk_floor_destroy(nk_floor *_Nullable floor);

#if defined(__cplusplus)
}
#endif

#endif
