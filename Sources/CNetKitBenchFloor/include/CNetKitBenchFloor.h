/// The floor of the bench: libcurl's multi interface driven from C, with as little code around it as possible.
///
/// The baseline that a client over libcurl is compared with; only the bench links it.
#ifndef CNETKIT_BENCH_FLOOR_H
#define CNETKIT_BENCH_FLOOR_H

#include <stdint.h>

#include "CNetKitCurl.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// A set of transfers with its connections, which stay open between two runs; for one thread at a time.
typedef struct nk_floor nk_floor;

/// The work of a run.
typedef struct nk_floor_task {
    const char *_Nonnull url;
    /// The trusted authorities; null for those of libcurl.
    const char *_Nullable ca_file;
    /// A file to send in a POST, or bytes, as long as `upload_size` says; both null for a GET.
    const char *_Nullable upload_file;
    const void *_Nullable upload_bytes;
    int64_t upload_size;
    /// The number of concurrent transfers.
    int callers;
    /// The total number of transfers; 0 for as many as the time allows, but at least one for each caller.
    int64_t calls;
    /// The number of milliseconds after which no transfer is started, if `calls` is 0.
    int64_t milliseconds;
    /// Whether bodies are collected in a growing buffer, or only counted.
    int is_collecting;
    /// Whether each transfer has its own handle, or uses the configured handle of the previous one.
    int has_new_handles;
} nk_floor_task;

/// The result of a run.
typedef struct nk_floor_result {
    int64_t calls;
    /// The number of received bytes of bodies.
    int64_t bytes;
    /// The number of transfers without status 200.
    int64_t failures;
    /// The libcurl code of the first of those, or else its status.
    int first_failure;
} nk_floor_result;

/// Creates a set of transfers with these functions, which have to outlive it; null on failure.
///
/// Either libcurl waits itself, with `curl_multi_poll`, or it receives the events of an epoll set.
nk_floor *_Nullable nk_floor_create(const nk_curl_api *_Nonnull api, int is_polling);

/// Carries out a task to its end, on the calling thread.
nk_floor_result nk_floor_run(nk_floor *_Nonnull floor, const nk_floor_task *_Nonnull task);

/// Closes the connections.
void nk_floor_destroy(nk_floor *_Nullable floor);

#if defined(__cplusplus)
}
#endif

#endif
