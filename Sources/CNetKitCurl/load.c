#include "CNetKitCurl.h"

#include "CNetKitOpenSSL.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// Weak: an executable into which libcurl is linked has them, and any other links without them.
#define NK_WEAK extern __attribute__((weak))

NK_WEAK int curl_global_init(long);
NK_WEAK char *curl_version(void);
NK_WEAK nk_curl_version *curl_version_info(int);
NK_WEAK nk_curl_easy *curl_easy_init(void);
NK_WEAK void curl_easy_cleanup(nk_curl_easy *);
NK_WEAK void curl_easy_reset(nk_curl_easy *);
NK_WEAK int curl_easy_setopt(nk_curl_easy *, int, ...);
NK_WEAK int curl_easy_getinfo(nk_curl_easy *, int, ...);
NK_WEAK int curl_easy_pause(nk_curl_easy *, int);
NK_WEAK const char *curl_easy_strerror(int);
NK_WEAK nk_curl_multi *curl_multi_init(void);
NK_WEAK int curl_multi_cleanup(nk_curl_multi *);
NK_WEAK int curl_multi_setopt(nk_curl_multi *, int, ...);
NK_WEAK int curl_multi_add_handle(nk_curl_multi *, nk_curl_easy *);
NK_WEAK int curl_multi_remove_handle(nk_curl_multi *, nk_curl_easy *);
NK_WEAK int curl_multi_socket_action(nk_curl_multi *, int, int, int *);
NK_WEAK int curl_multi_perform(nk_curl_multi *, int *);
NK_WEAK int curl_multi_wakeup(nk_curl_multi *);
NK_WEAK int curl_multi_poll(nk_curl_multi *, void *, unsigned int, int, int *);
NK_WEAK nk_curl_message *curl_multi_info_read(nk_curl_multi *, int *);
NK_WEAK nk_curl_slist *curl_slist_append(nk_curl_slist *, const char *);
NK_WEAK void curl_slist_free_all(nk_curl_slist *);

#define NK_EACH_FUNCTION(apply)                                                                                        \
    apply(global_init) apply(version) apply(version_info) apply(easy_init) apply(easy_cleanup) apply(easy_reset)       \
    apply(easy_setopt) apply(easy_getinfo) apply(easy_pause) apply(easy_strerror) apply(multi_init)                    \
    apply(multi_cleanup) apply(multi_setopt) apply(multi_add_handle) apply(multi_remove_handle)                        \
    apply(multi_socket_action) apply(multi_perform) apply(multi_wakeup) apply(multi_poll) apply(multi_info_read) apply(slist_append)       \
    apply(slist_free_all)

static int is_linked_in(nk_curl_api *api) {
#define NK_TAKE(name)                                                                                                  \
    if (!curl_##name) return 0;                                                                                        \
    api->name = curl_##name;
    NK_EACH_FUNCTION(NK_TAKE)
#undef NK_TAKE
    return 1;
}

nk_load_result nk_curl_load(const char *path, nk_curl_api *api, char *reason, size_t reason_size) {
    memset(api, 0, sizeof(*api));
    if (!path && is_linked_in(api)) {
        nk_openssl_keep(NULL);
        return nk_load_ok;
    }
    void *library;
    nk_load_result result = nk_library_open(path ? path : "libcurl.so.4", &library, reason, reason_size);
    if (result != nk_load_ok) return result;
    // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
#define NK_FIND(name)                                                                                                  \
    {                                                                                                                  \
        void *symbol = dlsym(library, "curl_" #name);                                                                  \
        if (!symbol) {                                                                                                 \
            snprintf(reason, reason_size, "it has no function curl_" #name);                                           \
            return nk_load_failed;                                                                                     \
        }                                                                                                              \
        memcpy(&api->name, &symbol, sizeof(symbol));                                                                   \
    }
    NK_EACH_FUNCTION(NK_FIND)
#undef NK_FIND
    nk_openssl_keep(library);
    return nk_load_ok;
}
