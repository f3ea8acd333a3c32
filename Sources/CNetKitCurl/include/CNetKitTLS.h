/// OpenSSL as libcurl uses it, found while the process runs, to tell whether a connection has something to read.
#ifndef CNETKIT_TLS_H
#define CNETKIT_TLS_H

#include <stdint.h>

struct nk_curl_api;

typedef int (*nk_tls_session_callback)(void *_Nullable connection, void *_Nullable session);
typedef int (*nk_tls_certificate_callback)(void *_Nullable connection, void *_Nullable data);
typedef void (*nk_tls_info_callback)(const void *_Nullable connection, int where, int value);

/// OpenSSL's functions.
typedef struct nk_tls_api {
    int (*_Nonnull has_pending)(const void *_Nonnull connection);
    int (*_Nonnull peek)(void *_Nonnull connection, void *_Nonnull bytes, int count);
    int (*_Nonnull get_error)(const void *_Nonnull connection, int result);
    void *_Nullable (*_Nonnull get_rbio)(const void *_Nonnull connection);
    void *_Nullable (*_Nonnull get_wbio)(const void *_Nonnull connection);
    void (*_Nonnull set0_rbio)(void *_Nonnull connection, void *_Nullable bio);
    void (*_Nonnull set0_wbio)(void *_Nonnull connection, void *_Nullable bio);
    void *_Nullable (*_Nonnull get_context)(const void *_Nonnull connection);
    nk_tls_session_callback _Nullable (*_Nonnull get_session_callback)(void *_Nonnull context);
    void (*_Nonnull set_session_callback)(void *_Nonnull context, nk_tls_session_callback _Nullable callback);
    void *_Nullable (*_Nonnull new_socket_bio)(int descriptor, int closes);
    int (*_Nonnull up_ref)(void *_Nonnull bio);
    void (*_Nonnull clear_errors)(void);
    void (*_Nonnull set_info_callback)(void *_Nonnull context, nk_tls_info_callback _Nullable callback);
    void (*_Nonnull set_connection_info_callback)(
        void *_Nonnull connection, nk_tls_info_callback _Nullable callback);
    void (*_Nonnull set_certificate_callback)(
        void *_Nonnull context, nk_tls_certificate_callback _Nullable callback, void *_Nullable data);
    int (*_Nonnull set_context_data)(void *_Nonnull context, int index, void *_Nullable data);
    void *_Nullable (*_Nonnull get_context_data)(const void *_Nonnull context, int index);
    long (*_Nonnull control_context)(void *_Nonnull context, int command, long value, void *_Nullable data);
    void (*_Nonnull get_protocol)(
        const void *_Nonnull connection, const unsigned char *_Nullable *_Nonnull name, unsigned *_Nonnull length);
} nk_tls_api;

/// The TLS information that libcurl has about a connection.
typedef struct nk_tls_session_info {
    int backend;
    void *_Nullable connection;
} nk_tls_session_info;

enum {
    NK_TLS_BACKEND_OPENSSL = 1,
};

/// Fills the table from the library that a libcurl is linked with; 0 if that is not OpenSSL, or lacks a function.
int nk_tls_load(const struct nk_curl_api *_Nonnull curl, nk_tls_api *_Nonnull api);

/// Whether an idle connection has nothing to read; records of TLS itself, such as a session ticket, are skipped.
///
/// No function of libcurl is called meanwhile, because it must not read outside of a transfer.
int nk_tls_is_quiet(const nk_tls_api *_Nonnull api, void *_Nonnull connection, int descriptor);

/// Whether both sides have agreed on HTTP/2, which is known before the first request.
int nk_tls_uses_http2(const nk_tls_api *_Nonnull api, const void *_Nonnull connection);

/// Lets a connection keep the memory for its records, which libcurl has OpenSSL allocate and free for each of them.
void nk_tls_keep_buffers(const nk_tls_api *_Nonnull api, void *_Nonnull context);

/// Records how the peer of a connection refuses the client, under a number that no other connection has.
///
/// The record has no owner, because the connection may outlive its transfer.
void nk_tls_watch_refusal(const nk_tls_api *_Nonnull api, void *_Nonnull context, uint32_t number);

/// Looks at a connection that has failed, because libcurl might not have read the last record of the peer.
void nk_tls_look_for_refusal(uint32_t number, int descriptor);

enum {
    /// The peer sent an alert that was not read, after it had asked for a certificate.
    NK_TLS_UNREAD_ALERT = 256,
};

/// Records from now on that the peer of a connection closes TLS, under the connection's number, which is returned; 0 if
/// it has none.
///
/// Only connections whose response ends with them are watched. Any number of idle ones may be closed at once, and would
/// push the others out of the record.
uint32_t nk_tls_watch_end(const nk_tls_api *_Nonnull api, void *_Nonnull connection);

/// Whether this thread has just read that the peer of a watched connection closes TLS, with the alert `close_notify`.
int nk_tls_was_closed(uint32_t number);

/// The description of the fatal alert that was recorded under a number (RFC 8446, section 6); -1 if there was none.
int nk_tls_refusal(uint32_t number);

#endif
