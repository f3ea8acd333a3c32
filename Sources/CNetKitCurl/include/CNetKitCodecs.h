/// The decoders of zlib, brotli and zstd, found while the process runs: their functions in a table each.
///
/// Every declaration here is NetKit's own, after the libraries' documented and stable binary interfaces: nothing of
/// theirs is needed to build. There is no logic here; the logic is in Swift.
#ifndef CNETKIT_CODECS_H
#define CNETKIT_CODECS_H

#include <stddef.h>
#include <stdint.h>

#include "CNetKitLoading.h"

#if defined(__cplusplus)
extern "C" {
#endif

// A table is written once and then only read, by any number of threads.
#if defined(__clang__)
#define NK_SENDABLE __attribute__((swift_attr("@Sendable")))
#else
#define NK_SENDABLE
#endif

/// zlib's stream. Its place in memory must not change while it is in use.
typedef struct nk_z_stream {
    const uint8_t *_Nullable next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *_Nullable next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *_Nullable message;
    void *_Nullable state;
    void *_Nullable (*_Nullable allocate)(void *_Nullable, unsigned int, unsigned int);
    void (*_Nullable release)(void *_Nullable, void *_Nullable);
    void *_Nullable opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} nk_z_stream;

enum {
    NK_Z_OK = 0,
    NK_Z_STREAM_END = 1,
    NK_Z_NEED_DICT = 2,
    NK_Z_MEM_ERROR = -4,
    NK_Z_BUF_ERROR = -5,

    NK_Z_NO_FLUSH = 0,

    // Window bits: the largest window, and what is around the data.
    NK_Z_WINDOW_ZLIB = 15,
    NK_Z_WINDOW_RAW = -15,
    NK_Z_WINDOW_GZIP = 15 + 16,
};

/// zlib's functions.
typedef struct NK_SENDABLE nk_zlib_api {
    int (*_Nonnull inflate_init)(
        nk_z_stream *_Nonnull, int window_bits, const char *_Nonnull version, int stream_size);
    int (*_Nonnull inflate)(nk_z_stream *_Nonnull, int flush);
    int (*_Nonnull inflate_reset)(nk_z_stream *_Nonnull);
    int (*_Nonnull inflate_end)(nk_z_stream *_Nonnull);
} nk_zlib_api;

/// Starts to inflate; the library refuses a stream of another size, and another first digit of its version.
static inline int nk_inflate_init(const nk_zlib_api *_Nonnull api, nk_z_stream *_Nonnull stream, int window_bits) {
    return api->inflate_init(stream, window_bits, "1", (int)sizeof(nk_z_stream));
}

/// A brotli decoder.
typedef struct nk_brotli_decoder nk_brotli_decoder;

enum {
    NK_BROTLI_ERROR = 0,
    NK_BROTLI_NEEDS_MORE_OUTPUT = 3,
};

/// The functions of brotli's decoder.
typedef struct NK_SENDABLE nk_brotli_api {
    nk_brotli_decoder *_Nullable (*_Nonnull create)(
        void *_Nullable allocate, void *_Nullable release, void *_Nullable opaque);
    void (*_Nonnull destroy)(nk_brotli_decoder *_Nullable);
    int (*_Nonnull decompress)(
        nk_brotli_decoder *_Nonnull, size_t *_Nonnull available_in, const uint8_t *_Nullable *_Nonnull next_in,
        size_t *_Nonnull available_out, uint8_t *_Nullable *_Nonnull next_out, size_t *_Nullable total_out);
    int (*_Nonnull is_finished)(const nk_brotli_decoder *_Nonnull);
} nk_brotli_api;

/// A zstd decoder.
typedef struct nk_zstd_decoder nk_zstd_decoder;

/// Bytes that zstd reads, and its position in them.
typedef struct nk_zstd_input {
    const void *_Nullable bytes;
    size_t size;
    size_t position;
} nk_zstd_input;

/// Memory that zstd writes to, and its position in it.
typedef struct nk_zstd_output {
    void *_Nullable bytes;
    size_t size;
    size_t position;
} nk_zstd_output;

enum {
    /// The parameter that bounds the window: its largest size as a power of two.
    NK_ZSTD_WINDOW_LOG_MAX = 100,
};

/// The functions of zstd's decoder.
typedef struct NK_SENDABLE nk_zstd_api {
    nk_zstd_decoder *_Nullable (*_Nonnull create)(void);
    size_t (*_Nonnull destroy)(nk_zstd_decoder *_Nullable);
    size_t (*_Nonnull set_parameter)(nk_zstd_decoder *_Nonnull, int parameter, int value);
    size_t (*_Nonnull decompress)(nk_zstd_decoder *_Nonnull, nk_zstd_output *_Nonnull, nk_zstd_input *_Nonnull);
    unsigned int (*_Nonnull is_error)(size_t result);
    const char *_Nonnull (*_Nonnull error_name)(size_t result);
} nk_zstd_api;

// Each fills its table: from the process itself if the library is linked in and no path is given, and otherwise from a
// library. The reason for a failure is written as text of at most `reason_size` bytes, its end included. The library
// stays open.

/// Finds zlib.
nk_load_result nk_zlib_load(
    const char *_Nullable path, nk_zlib_api *_Nonnull api, char *_Nonnull reason, size_t reason_size);

/// Finds brotli's decoder.
nk_load_result nk_brotli_load(
    const char *_Nullable path, nk_brotli_api *_Nonnull api, char *_Nonnull reason, size_t reason_size);

/// Finds zstd.
nk_load_result nk_zstd_load(
    const char *_Nullable path, nk_zstd_api *_Nonnull api, char *_Nonnull reason, size_t reason_size);

#if defined(__cplusplus)
}
#endif

#endif
