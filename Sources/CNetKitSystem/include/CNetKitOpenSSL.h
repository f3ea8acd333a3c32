/// OpenSSL as other libraries of the process use it.
#ifndef CNETKIT_OPENSSL_H
#define CNETKIT_OPENSSL_H

/// Lets OpenSSL keep what it needs until the process is gone. By default it frees its locks when `exit` is called, while
/// other threads still use them.
///
/// If something else has initialized OpenSSL first, it does free them. Threads between `nk_openssl_enter` and
/// `nk_openssl_leave` are safe then as well: before it does, it waits for them, for a second at most.
///
/// - library: What `dlopen` returned for OpenSSL or for what is linked with it, or null for the executable. Without OpenSSL,
///   nothing happens.
void nk_openssl_keep(void *_Nullable library);

/// Begins a stretch of work that may use OpenSSL. Once OpenSSL frees its locks, it does not return.
void nk_openssl_enter(void);

/// Ends a stretch of work that may use OpenSSL.
void nk_openssl_leave(void);

#endif
