#include "CNetKitDigest.h"

#if !defined(__APPLE__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Weak: an executable into which libcrypto is linked has them, and any other links without them.
#define NK_WEAK extern __attribute__((weak))

NK_WEAK void *EVP_MD_CTX_new(void);
NK_WEAK void EVP_MD_CTX_free(void *);
NK_WEAK const void *EVP_sha256(void);
NK_WEAK int EVP_DigestInit_ex(void *, const void *, void *);
NK_WEAK int EVP_DigestUpdate(void *, const void *, size_t);
NK_WEAK int EVP_DigestFinal_ex(void *, unsigned char *, unsigned int *);

struct nk_sha256 {
    void *context;
};

static struct {
    void *(*create)(void);
    void (*destroy)(void *);
    const void *(*sha256)(void);
    int (*start)(void *, const void *, void *);
    int (*update)(void *, const void *, size_t);
    int (*finish)(void *, unsigned char *, unsigned int *);
} crypto;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;

// By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
#define NK_FIND(field, function)                                                                                       \
    {                                                                                                                  \
        void *symbol = dlsym(library, #function);                                                                      \
        if (!symbol) return;                                                                                           \
        memcpy(&crypto.field, &symbol, sizeof(symbol));                                                                \
    }

static void load(void) {
    if (EVP_MD_CTX_new && EVP_MD_CTX_free && EVP_sha256 && EVP_DigestInit_ex && EVP_DigestUpdate &&
        EVP_DigestFinal_ex) {
        crypto.create = EVP_MD_CTX_new;
        crypto.destroy = EVP_MD_CTX_free;
        crypto.sha256 = EVP_sha256;
        crypto.start = EVP_DigestInit_ex;
        crypto.update = EVP_DigestUpdate;
        crypto.finish = EVP_DigestFinal_ex;
        is_loaded = 1;
        return;
    }
    void *library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    NK_FIND(create, EVP_MD_CTX_new)
    NK_FIND(destroy, EVP_MD_CTX_free)
    NK_FIND(sha256, EVP_sha256)
    NK_FIND(start, EVP_DigestInit_ex)
    NK_FIND(update, EVP_DigestUpdate)
    NK_FIND(finish, EVP_DigestFinal_ex)
    is_loaded = 1;
}

nk_sha256 *nk_sha256_create(void) {
    pthread_once(&once, load);
    if (!is_loaded) return NULL;
    nk_sha256 *digest = calloc(1, sizeof(*digest));
    if (!digest) return NULL;
    digest->context = crypto.create();
    if (!digest->context || crypto.start(digest->context, crypto.sha256(), NULL) != 1) {
        nk_sha256_destroy(digest);
        return NULL;
    }
    return digest;
}

int nk_sha256_add(nk_sha256 *digest, const void *bytes, size_t count) {
    return crypto.update(digest->context, bytes, count) == 1;
}

int nk_sha256_finish(nk_sha256 *digest, unsigned char *result) {
    unsigned int size = 32;
    return crypto.finish(digest->context, result, &size) == 1 && size == 32;
}

void nk_sha256_destroy(nk_sha256 *digest) {
    if (digest->context) crypto.destroy(digest->context);
    free(digest);
}

#endif
