/// OpenSSL as other libraries of the process use it.
#ifndef CNETKIT_OPENSSL_H
#define CNETKIT_OPENSSL_H

/// Makes OpenSSL keep its locks until the process has ended. By default, it frees them when `exit` is called, while
/// other threads still use them.
///
/// If other code has initialized OpenSSL first, it does free them. Threads between `nk_openssl_enter` and
/// `nk_openssl_leave` are safe then as well: before it does, it waits for them, for a second at most.
///
/// - library: The result of `dlopen` for OpenSSL or for a library that is linked with it, or null for the executable.
///   Without OpenSSL, nothing happens.
void nk_openssl_keep(void *_Nullable library);

/// Begins a stretch of work that may use OpenSSL. Once OpenSSL frees its locks, it does not return.
void nk_openssl_enter(void);

/// Ends a stretch of work that may use OpenSSL.
void nk_openssl_leave(void);

#endif
