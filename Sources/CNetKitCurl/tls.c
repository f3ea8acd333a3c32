// For dladdr.
#define _GNU_SOURCE
#include "CNetKitCurl.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

/// The library that has libcurl's functions, which leads to those that it is linked with; null if unknown.
static void *library_of(const nk_curl_api *curl) {
    void *function;
    memcpy(&function, &curl->easy_init, sizeof(function));
    Dl_info info;
    void *library = NULL;
    if (dladdr(function, &info) != 0 && info.dli_fname) library = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    // A libcurl that is a part of the executable.
    return library ? library : dlopen(NULL, RTLD_NOW);
}

int nk_tls_load(const nk_curl_api *curl, nk_tls_api *api) {
    memset(api, 0, sizeof(*api));
    const nk_curl_version *version = curl->version_info(NK_CURL_VERSION_NOW);
    if (!version || !version->tls || strncmp(version->tls, "OpenSSL/", 8) != 0) return 0;
    void *library = library_of(curl);
    if (!library) return 0;
    // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
#define NK_FIND(field, name)                                                                                           \
    {                                                                                                                  \
        void *symbol = dlsym(library, name);                                                                           \
        if (!symbol) return 0;                                                                                         \
        memcpy(&api->field, &symbol, sizeof(symbol));                                                                  \
    }
    NK_FIND(has_pending, "SSL_has_pending")
    NK_FIND(peek, "SSL_peek")
    NK_FIND(get_error, "SSL_get_error")
    NK_FIND(get_rbio, "SSL_get_rbio")
    NK_FIND(get_wbio, "SSL_get_wbio")
    NK_FIND(set0_rbio, "SSL_set0_rbio")
    NK_FIND(set0_wbio, "SSL_set0_wbio")
    NK_FIND(get_context, "SSL_get_SSL_CTX")
    NK_FIND(get_session_callback, "SSL_CTX_sess_get_new_cb")
    NK_FIND(set_session_callback, "SSL_CTX_sess_set_new_cb")
    NK_FIND(new_socket_bio, "BIO_new_socket")
    NK_FIND(up_ref, "BIO_up_ref")
    NK_FIND(clear_errors, "ERR_clear_error")
    NK_FIND(set_info_callback, "SSL_CTX_set_info_callback")
    NK_FIND(set_connection_info_callback, "SSL_set_info_callback")
    NK_FIND(set_certificate_callback, "SSL_CTX_set_cert_cb")
    NK_FIND(set_context_data, "SSL_CTX_set_ex_data")
    NK_FIND(get_context_data, "SSL_CTX_get_ex_data")
    NK_FIND(control_context, "SSL_CTX_ctrl")
    NK_FIND(get_protocol, "SSL_get0_alpn_selected")
#undef NK_FIND
    return 1;
}

static int is_drained(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Peeks until there is nothing left, or a record that does not belong to TLS itself.
static int peek_through(const nk_tls_api *api, void *connection, int descriptor) {
    const int wants_to_read = 2;
    // More records of TLS itself than any server sends after a response.
    for (int round = 0; round < 16; round++) {
        char byte;
        int count = api->peek(connection, &byte, 1);
        if (count > 0 || api->get_error(connection, count) != wants_to_read) return 0;
        if (is_drained(descriptor)) return !api->has_pending(connection);
    }
    return 0;
}

int nk_tls_is_quiet(const nk_tls_api *api, void *connection, int descriptor) {
    if (is_drained(descriptor) && !api->has_pending(connection)) return 1;
    void *reading = api->get_rbio(connection), *writing = api->get_wbio(connection);
    void *context = api->get_context(connection);
    if (!reading || !writing || !context) return 0;
    // libcurl's own way to the socket works inside of a transfer alone, and so does what it does with a ticket.
    void *bio = api->new_socket_bio(descriptor, 0);
    if (!bio) return 0;
    nk_tls_session_callback callback = api->get_session_callback(context);
    api->set_session_callback(context, NULL);
    api->up_ref(reading);
    api->up_ref(writing);
    api->up_ref(bio);
    api->set0_rbio(connection, bio);
    api->set0_wbio(connection, bio);
    api->clear_errors();
    int is_quiet = peek_through(api, connection, descriptor);
    api->clear_errors();
    api->set0_rbio(connection, reading);
    api->set0_wbio(connection, writing);
    api->set_session_callback(context, callback);
    return is_quiet;
}

int nk_tls_uses_http2(const nk_tls_api *api, const void *connection) {
    const unsigned char *name = NULL;
    unsigned length = 0;
    api->get_protocol(connection, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}

void nk_tls_keep_buffers(const nk_tls_api *api, void *context) {
    // SSL_CTRL_CLEAR_MODE and SSL_MODE_RELEASE_BUFFERS.
    const int clear_mode = 78;
    const long release_buffers = 0x10;
    api->control_context(context, clear_mode, release_buffers, NULL);
}

/// The records of the latest connections, with the number in the upper bits and the flags in the lower ones. Several
/// numbers share a place.
static _Atomic uint64_t notes[1024];
/// The functions with which the callback finds a connection's number; it receives only the connection.
static _Atomic(const nk_tls_api *) note_api;

enum {
    IS_ASKED = 1 << 12,
    HAS_ALERT = 1 << 13,
};

/// The flags that were recorded under a number.
static uint64_t note_of(uint64_t number) {
    uint64_t note = atomic_load(&notes[number % 1024]);
    return note >> 16 == number ? note & 0xffff : 0;
}

static void add_note(uint64_t number, uint64_t note) {
    atomic_store(&notes[number % 1024], number << 16 | note_of(number) | note);
}

/// A callback for a peer that asks for a certificate.
static int note_asked(void *connection, void *data) {
    (void)connection;
    add_note((uintptr_t)data, IS_ASKED);
    return 1;
}

enum {
    /// OpenSSL's SSL_CB_READ_ALERT.
    READ_ALERT = 0x4004,
};

/// The number of a connection; 0 if it has none.
static uint32_t number_of(const nk_tls_api *api, const void *connection) {
    void *context = api ? api->get_context(connection) : NULL;
    return context ? (uint32_t)(uintptr_t)api->get_context_data(context, 0) : 0;
}

static void note_alert(const void *connection, int where, int value) {
    const int fatal = 2;
    if (where != READ_ALERT || value >> 8 != fatal) return;
    uint32_t number = number_of(atomic_load(&note_api), connection);
    if (number != 0) add_note(number, HAS_ALERT | (uint64_t)(value & 0xff));
}

/// The numbers of the watched connections that the peer has closed last, as this thread read it. Unlike the notes, no
/// other thread can take the place of one before it is looked for.
static _Thread_local uint32_t closed[256];
static _Thread_local unsigned closed_count;

static void note_end(const void *connection, int where, int value) {
    const int close_notify = 0;
    if (where != READ_ALERT || (value & 0xff) != close_notify) return;
    uint32_t number = number_of(atomic_load(&note_api), connection);
    if (number != 0) closed[closed_count++ % 256] = number;
}

uint32_t nk_tls_watch_end(const nk_tls_api *api, void *connection) {
    uint32_t number = number_of(api, connection);
    // In place of the callback for refusals, which are over once a response has begun.
    if (number != 0) api->set_connection_info_callback(connection, note_end);
    return number;
}

int nk_tls_was_closed(uint32_t number) {
    for (unsigned index = 0; index < 256; index++) {
        if (closed[index] == number) return 1;
    }
    return 0;
}

void nk_tls_watch_refusal(const nk_tls_api *api, void *context, uint32_t number) {
    atomic_store(&note_api, api);
    void *data = (void *)(uintptr_t)number;
    // Index 0 is the application's.
    if (!api->set_context_data(context, 0, data)) return;
    api->set_info_callback(context, note_alert);
    api->set_certificate_callback(context, note_asked, data);
}

void nk_tls_look_for_refusal(uint32_t number, int descriptor) {
    uint64_t note = note_of(number);
    if (!(note & IS_ASKED) || (note & HAS_ALERT)) return;
    // In TLS 1.3 an alert is the one record that is as short: two bytes, their type, and the sixteen that seal them.
    const unsigned char alert[] = {0x17, 0x03, 0x03, 0x00, 0x13};
    unsigned char bytes[sizeof(alert)];
    ssize_t count = recv(descriptor, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT);
    if (count == sizeof(bytes) && memcmp(bytes, alert, sizeof(alert)) == 0) {
        add_note(number, HAS_ALERT | NK_TLS_UNREAD_ALERT);
    }
}

int nk_tls_refusal(uint32_t number) {
    uint64_t note = number != 0 ? note_of(number) : 0;
    return note & HAS_ALERT ? (int)(note & 0x1ff) : -1;
}
