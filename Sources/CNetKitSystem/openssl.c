#include "CNetKitOpenSSL.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int init_crypto(uint64_t, const void *);

// Weak: an executable into which OpenSSL is linked has it.
extern __attribute__((weak)) init_crypto OPENSSL_init_crypto;

void nk_openssl_keep(void *library) {
    // OPENSSL_INIT_NO_ATEXIT, which only the first call of a process can set.
    const uint64_t no_atexit = 0x80000;
    init_crypto *initialize = OPENSSL_init_crypto;
    if (library) {
        void *symbol = dlsym(library, "OPENSSL_init_crypto");
        // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
        memcpy(&initialize, &symbol, sizeof(symbol));
    }
    if (initialize) initialize(no_atexit, NULL);
}
