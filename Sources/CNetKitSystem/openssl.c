#include "CNetKitOpenSSL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int init_crypto(uint64_t, const void *);

// Weak: an executable into which OpenSSL is linked has it.
extern __attribute__((weak)) init_crypto OPENSSL_init_crypto;

static atomic_int threads_inside;
static atomic_bool is_exiting;

void nk_openssl_enter(void) {
    threads_inside++;
    if (!is_exiting) return;
    threads_inside--;
    while (1) pause();
}

void nk_openssl_leave(void) {
    threads_inside--;
}

static void keep_threads_out(void) {
    is_exiting = 1;
    for (int milliseconds = 0; threads_inside > 0 && milliseconds < 1000; milliseconds++) usleep(1000);
}

static void keep_threads_out_at_exit(void) {
    atexit(keep_threads_out);
}

void nk_openssl_keep(void *library) {
    // OPENSSL_INIT_NO_ATEXIT, which only the first call of a process can set.
    const uint64_t no_atexit = 0x80000;
    init_crypto *initialize = OPENSSL_init_crypto;
    if (library) {
        void *symbol = dlsym(library, "OPENSSL_init_crypto");
        // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
        memcpy(&initialize, &symbol, sizeof(symbol));
    }
    if (!initialize) return;
    initialize(no_atexit, NULL);
    // Handlers run in the reverse order: this one runs before OpenSSL's, which is registered by now, if it ever is.
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, keep_threads_out_at_exit);
}
