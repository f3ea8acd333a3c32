#include "CNetKitOpenSSL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef int init_crypto(uint64_t, const void *);
typedef int call_at_cleanup(void (*)(void));

// Weak: an executable into which OpenSSL is linked has them.
extern __attribute__((weak)) init_crypto OPENSSL_init_crypto;
extern __attribute__((weak)) call_at_cleanup OPENSSL_atexit;

static atomic_int threads_inside;
static atomic_bool is_cleaning_up;

void nk_openssl_enter(void) {
    threads_inside++;
    if (!is_cleaning_up) return;
    threads_inside--;
    while (1) pause();
}

void nk_openssl_leave(void) {
    threads_inside--;
}

static void keep_threads_out(void) {
    is_cleaning_up = 1;
    for (int milliseconds = 0; threads_inside > 0 && milliseconds < 1000; milliseconds++) usleep(1000);
}

void nk_openssl_keep(void *library) {
    // OPENSSL_INIT_NO_ATEXIT, which only the first call of a process can set.
    const uint64_t no_atexit = 0x80000;
    init_crypto *initialize = OPENSSL_init_crypto;
    call_at_cleanup *at_cleanup = OPENSSL_atexit;
    if (library) {
        void *symbols[] = {dlsym(library, "OPENSSL_init_crypto"), dlsym(library, "OPENSSL_atexit")};
        // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
        memcpy(&initialize, &symbols[0], sizeof(symbols[0]));
        memcpy(&at_cleanup, &symbols[1], sizeof(symbols[1]));
    }
    if (!initialize) return;
    initialize(no_atexit, NULL);
    // OpenSSL calls it first of all if it does clean up, and it has no lock of its own for its list.
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static call_at_cleanup *known;
    pthread_mutex_lock(&lock);
    if (at_cleanup && at_cleanup != known) at_cleanup(keep_threads_out);
    known = at_cleanup;
    pthread_mutex_unlock(&lock);
}
