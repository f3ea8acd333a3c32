/// OpenSSL as other libraries of the process use it.
#ifndef CNETKIT_OPENSSL_H
#define CNETKIT_OPENSSL_H

/// Lets OpenSSL keep what it needs until the process is gone. By default it frees its locks when `exit` is called, while
/// other threads still use them.
///
/// - library: What `dlopen` returned for OpenSSL or for what is linked with it, or null for the executable. Without OpenSSL,
///   or after something else has initialized it, nothing happens.
void nk_openssl_keep(void *_Nullable library);

#endif
