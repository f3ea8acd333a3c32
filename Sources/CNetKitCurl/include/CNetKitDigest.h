#ifndef CNETKIT_DIGEST_H
#define CNETKIT_DIGEST_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// A SHA-256 that is being made by libcrypto, the library that libcurl itself loads.
typedef struct nk_sha256 nk_sha256;

/// Begins; NULL where libcrypto is not there.
nk_sha256 *_Nullable nk_sha256_create(void);

/// Adds bytes; 0 where that fails.
int nk_sha256_add(nk_sha256 *_Nonnull digest, const void *_Nullable bytes, size_t count);

/// Writes the 32 bytes of the digest; 0 where that fails.
int nk_sha256_finish(nk_sha256 *_Nonnull digest, unsigned char *_Nonnull result);

/// Gives back what the digest holds.
void nk_sha256_destroy(nk_sha256 *_Nonnull digest);

#if defined(__cplusplus)
}
#endif

#endif
