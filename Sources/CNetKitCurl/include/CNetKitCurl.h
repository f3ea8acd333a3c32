/// libcurl, found while the process runs: its functions in a table, and a typed wrapper for each variadic call.
///
/// Every declaration here is NetKit's own, after libcurl's documented and stable binary interface: nothing of libcurl's
/// is needed to build. There is no logic here; the logic is in Swift.
#ifndef CNETKIT_CURL_H
#define CNETKIT_CURL_H

#include <stddef.h>
#include <stdint.h>

#include "CNetKitCodecs.h"
#include "CNetKitCurlConstants.h"
#include "CNetKitLoading.h"
#include "CNetKitTLS.h"

#if defined(__cplusplus)
extern "C" {
#endif

/// A transfer.
typedef struct nk_curl_easy nk_curl_easy;
/// A set of transfers.
typedef struct nk_curl_multi nk_curl_multi;

/// A list of lines.
typedef struct nk_curl_slist {
    char *_Nullable data;
    struct nk_curl_slist *_Nullable next;
} nk_curl_slist;

/// A message of a set about one of its transfers.
typedef struct nk_curl_message {
    int kind;
    nk_curl_easy *_Nullable easy;
    union {
        void *_Nullable pointer;
        int result;
    } data;
} nk_curl_message;

/// The version information of libcurl; the beginning of a structure that only grows at its end.
typedef struct nk_curl_version {
    int age;
    const char *_Nullable version;
    unsigned int number;
    const char *_Nullable host;
    int features;
    const char *_Nullable tls;
} nk_curl_version;

/// Bytes that libcurl receives by their address and size.
typedef struct nk_curl_blob {
    void *_Nullable data;
    size_t length;
    unsigned int flags;
} nk_curl_blob;

/// An address that a socket is about to be made for.
typedef struct nk_curl_sockaddr {
    int family;
    int socket_type;
    int protocol;
    unsigned int address_length;
    /// The address begins here, and is `address_length` bytes long.
    struct {
        uint16_t family;
        char data[126];
    } address;
} nk_curl_sockaddr;

typedef size_t (*nk_curl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*nk_curl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
typedef int (*nk_curl_progress_callback)(
    void *_Nullable context, int64_t to_receive, int64_t received, int64_t to_send, int64_t sent);
typedef int (*nk_curl_open_socket_callback)(void *_Nullable context, int purpose, nk_curl_sockaddr *_Nonnull address);
typedef int (*nk_curl_close_socket_callback)(void *_Nullable context, int descriptor);
typedef int (*nk_curl_tls_callback)(nk_curl_easy *_Nullable easy, void *_Nullable tls, void *_Nullable context);
typedef int (*nk_curl_socket_callback)(
    nk_curl_easy *_Nullable easy, int descriptor, int what, void *_Nullable context, void *_Nullable socket_context);
typedef int (*nk_curl_timer_callback)(nk_curl_multi *_Nullable multi, long milliseconds, void *_Nullable context);
typedef int (*nk_curl_prerequest_callback)(
    void *_Nullable context, char *_Nullable remote_address, char *_Nullable local_address, int remote_port,
    int local_port);

typedef int (*nk_curl_debug_callback)(
    nk_curl_easy *_Nullable easy, int kind, char *_Nullable bytes, size_t size, void *_Nullable context);
typedef int (*nk_curl_resolver_start_callback)(
    void *_Nullable resolver, void *_Nullable reserved, void *_Nullable context);

/// The functions of libcurl.
typedef struct nk_curl_api {
    int (*_Nonnull global_init)(long flags);
    char *_Nullable (*_Nonnull version)(void);
    nk_curl_version *_Nullable (*_Nonnull version_info)(int age);
    nk_curl_easy *_Nullable (*_Nonnull easy_init)(void);
    void (*_Nonnull easy_cleanup)(nk_curl_easy *_Nullable);
    void (*_Nonnull easy_reset)(nk_curl_easy *_Nonnull);
    int (*_Nonnull easy_setopt)(nk_curl_easy *_Nonnull, int, ...);
    int (*_Nonnull easy_getinfo)(nk_curl_easy *_Nonnull, int, ...);
    int (*_Nonnull easy_pause)(nk_curl_easy *_Nonnull, int);
    const char *_Nonnull (*_Nonnull easy_strerror)(int);
    nk_curl_multi *_Nullable (*_Nonnull multi_init)(void);
    int (*_Nonnull multi_cleanup)(nk_curl_multi *_Nonnull);
    int (*_Nonnull multi_setopt)(nk_curl_multi *_Nonnull, int, ...);
    int (*_Nonnull multi_add_handle)(nk_curl_multi *_Nonnull, nk_curl_easy *_Nonnull);
    int (*_Nonnull multi_remove_handle)(nk_curl_multi *_Nonnull, nk_curl_easy *_Nonnull);
    int (*_Nonnull multi_socket_action)(nk_curl_multi *_Nonnull, int, int, int *_Nonnull);
    int (*_Nonnull multi_perform)(nk_curl_multi *_Nonnull, int *_Nonnull);
    int (*_Nonnull multi_wakeup)(nk_curl_multi *_Nonnull);
    int (*_Nonnull multi_poll)(nk_curl_multi *_Nonnull, void *_Nullable, unsigned int, int, int *_Nullable);
    nk_curl_message *_Nullable (*_Nonnull multi_info_read)(nk_curl_multi *_Nonnull, int *_Nonnull);
    nk_curl_slist *_Nullable (*_Nonnull slist_append)(nk_curl_slist *_Nullable, const char *_Nonnull);
    void (*_Nonnull slist_free_all)(nk_curl_slist *_Nullable);
} nk_curl_api;

/// Fills the table: from the process itself if libcurl is linked in and no path is given, and otherwise from a library.
///
/// The reason for a failure is written as text of at most `reason_size` bytes, its end included. The library stays
/// open.
nk_load_result nk_curl_load(
    const char *_Nullable path, nk_curl_api *_Nonnull api, char *_Nonnull reason, size_t reason_size);

// The wrappers: the type of the value is that of the option's number, as libcurl groups them.

static inline int nk_curl_set_long(const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, long value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_offset(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, int64_t value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_pointer(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, void *_Nullable value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_text(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, const char *_Nullable value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_blob(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, nk_curl_blob *_Nullable value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_data_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int option, nk_curl_data_callback _Nullable value) {
    return api->easy_setopt(easy, option, value);
}

static inline int nk_curl_set_seek_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_seek_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_SEEKFUNCTION, value);
}

static inline int nk_curl_set_progress_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_progress_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_XFERINFOFUNCTION, value);
}

static inline int nk_curl_set_open_socket_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_open_socket_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline int nk_curl_set_close_socket_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_close_socket_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline int nk_curl_set_tls_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_tls_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline int nk_curl_set_prerequest_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_prerequest_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_PREREQFUNCTION, value);
}

static inline int nk_curl_set_debug_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_debug_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_DEBUGFUNCTION, value);
}

static inline int nk_curl_set_resolver_start_callback(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, nk_curl_resolver_start_callback _Nullable value) {
    return api->easy_setopt(easy, NK_CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline int nk_curl_get_long(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int info, long *_Nonnull value) {
    return api->easy_getinfo(easy, info, value);
}

static inline int nk_curl_get_offset(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int info, int64_t *_Nonnull value) {
    return api->easy_getinfo(easy, info, value);
}

static inline int nk_curl_get_text(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int info, const char *_Nullable *_Nonnull value) {
    return api->easy_getinfo(easy, info, value);
}

static inline int nk_curl_get_pointer(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy, int info, void *_Nullable *_Nonnull value) {
    return api->easy_getinfo(easy, info, value);
}

static inline int nk_curl_get_tls(
    const nk_curl_api *_Nonnull api, nk_curl_easy *_Nonnull easy,
    const nk_tls_session_info *_Nullable *_Nonnull value) {
    return api->easy_getinfo(easy, NK_CURLINFO_TLS_SSL_PTR, value);
}

/// Keeps child processes from inheriting the sockets by which a new set wakes itself; libcurl 8.10 does so itself.
void nk_curl_multi_keep_from_children(const nk_curl_api *_Nonnull api, nk_curl_multi *_Nonnull multi);

static inline int nk_curl_multi_set_long(
    const nk_curl_api *_Nonnull api, nk_curl_multi *_Nonnull multi, int option, long value) {
    return api->multi_setopt(multi, option, value);
}

static inline int nk_curl_multi_set_pointer(
    const nk_curl_api *_Nonnull api, nk_curl_multi *_Nonnull multi, int option, void *_Nullable value) {
    return api->multi_setopt(multi, option, value);
}

static inline int nk_curl_multi_set_socket_callback(
    const nk_curl_api *_Nonnull api, nk_curl_multi *_Nonnull multi, nk_curl_socket_callback _Nullable value) {
    return api->multi_setopt(multi, NK_CURLMOPT_SOCKETFUNCTION, value);
}

static inline int nk_curl_multi_set_timer_callback(
    const nk_curl_api *_Nonnull api, nk_curl_multi *_Nonnull multi, nk_curl_timer_callback _Nullable value) {
    return api->multi_setopt(multi, NK_CURLMOPT_TIMERFUNCTION, value);
}

#if defined(__cplusplus)
}
#endif

#endif
