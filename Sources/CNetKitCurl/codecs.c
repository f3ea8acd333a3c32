#include "CNetKitCodecs.h"

// On systems without CurlTransport, nothing is decoded either, and no weak reference is left for the linker.
#if !defined(__APPLE__)

#include "CNetKitLoading.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Weak: an executable into which a library is linked has them, and any other links without them.
#define NK_WEAK extern __attribute__((weak))

NK_WEAK int inflateInit2_(nk_z_stream *, int, const char *, int);
NK_WEAK int inflate(nk_z_stream *, int);
NK_WEAK int inflateReset(nk_z_stream *);
NK_WEAK int inflateEnd(nk_z_stream *);

NK_WEAK nk_brotli_decoder *BrotliDecoderCreateInstance(void *, void *, void *);
NK_WEAK void BrotliDecoderDestroyInstance(nk_brotli_decoder *);
NK_WEAK int BrotliDecoderDecompressStream(
    nk_brotli_decoder *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
NK_WEAK int BrotliDecoderIsFinished(const nk_brotli_decoder *);

NK_WEAK nk_zstd_decoder *ZSTD_createDCtx(void);
NK_WEAK size_t ZSTD_freeDCtx(nk_zstd_decoder *);
NK_WEAK size_t ZSTD_DCtx_setParameter(nk_zstd_decoder *, int, int);
NK_WEAK size_t ZSTD_decompressStream(nk_zstd_decoder *, nk_zstd_output *, nk_zstd_input *);
NK_WEAK unsigned int ZSTD_isError(size_t);
NK_WEAK const char *ZSTD_getErrorName(size_t);

#define NK_ZLIB_FUNCTIONS(apply)                                                                                       \
    apply(inflate_init, inflateInit2_) apply(inflate, inflate) apply(inflate_reset, inflateReset)                      \
    apply(inflate_end, inflateEnd)

#define NK_BROTLI_FUNCTIONS(apply)                                                                                     \
    apply(create, BrotliDecoderCreateInstance) apply(destroy, BrotliDecoderDestroyInstance)                            \
    apply(decompress, BrotliDecoderDecompressStream) apply(is_finished, BrotliDecoderIsFinished)

#define NK_ZSTD_FUNCTIONS(apply)                                                                                       \
    apply(create, ZSTD_createDCtx) apply(destroy, ZSTD_freeDCtx) apply(set_parameter, ZSTD_DCtx_setParameter)          \
    apply(decompress, ZSTD_decompressStream) apply(is_error, ZSTD_isError) apply(error_name, ZSTD_getErrorName)

#define NK_IS_LINKED_IN(field, function) &&function
#define NK_TAKE(field, function) api->field = function;
// By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
#define NK_FIND(field, function)                                                                                       \
    {                                                                                                                  \
        void *symbol = dlsym(library, #function);                                                                      \
        if (!symbol) {                                                                                                 \
            snprintf(reason, reason_size, "it has no function " #function);                                            \
            return nk_load_failed;                                                                                     \
        }                                                                                                              \
        memcpy(&api->field, &symbol, sizeof(symbol));                                                                  \
    }

#define NK_LOADER(codec, functions, file)                                                                              \
    nk_load_result nk_##codec##_load(                                                                                  \
        const char *path, nk_##codec##_api *api, char *reason, size_t reason_size) {                                   \
        memset(api, 0, sizeof(*api));                                                                                  \
        if (!path functions(NK_IS_LINKED_IN)) {                                                                        \
            functions(NK_TAKE) return nk_load_ok;                                                                      \
        }                                                                                                              \
        void *library;                                                                                                 \
        nk_load_result result = nk_library_open(path ? path : file, &library, reason, reason_size);                    \
        if (result != nk_load_ok) return result;                                                                       \
        functions(NK_FIND) return nk_load_ok;                                                                          \
    }

NK_LOADER(zlib, NK_ZLIB_FUNCTIONS, "libz.so.1")
NK_LOADER(brotli, NK_BROTLI_FUNCTIONS, "libbrotlidec.so.1")
NK_LOADER(zstd, NK_ZSTD_FUNCTIONS, "libzstd.so.1")

#endif
