#include "CNetKitPostgres.h"

#include "CNetKitLoading.h"
#include "CNetKitOpenSSL.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#if defined(__APPLE__)
const char *const nk_pg_library_name = "libpq.5.dylib";
#else
const char *const nk_pg_library_name = "libpq.so.5";
#endif

#define NK_EACH_FUNCTION(apply)                                                                                        \
    apply(libVersion) apply(conninfoParse) apply(conninfo) apply(conninfoFree) apply(connectStartParams)               \
    apply(connectPoll) apply(status) apply(socket) apply(serverVersion) apply(backendPID) apply(errorMessage)          \
    apply(finish) apply(setnonblocking) apply(setErrorVerbosity) apply(setNoticeProcessor) apply(sendQuery)            \
    apply(sendQueryParams) apply(flush) apply(consumeInput) apply(isBusy) apply(getResult) apply(notifies)             \
    apply(freemem) apply(resultStatus) apply(resultErrorField) apply(resultErrorMessage) apply(ntuples)                \
    apply(nfields) apply(fname) apply(ftype) apply(fformat) apply(getvalue) apply(getlength) apply(getisnull)          \
    apply(cmdTuples) apply(clear) apply(getCancel) apply(freeCancel) apply(cancel)

#define NK_EACH_OPTIONAL_FUNCTION(apply) apply(enterPipelineMode) apply(exitPipelineMode) apply(pipelineSync)

nk_pg_load_result nk_pg_load(const char *path, nk_pg_api *api, char *reason, size_t reason_size) {
    memset(api, 0, sizeof(*api));
    void *library;
    nk_load_result result = nk_library_open(path, &library, reason, reason_size);
    if (result != nk_load_ok) return result == nk_load_no_resources ? nk_pg_load_no_resources : nk_pg_load_not_found;
    void *symbol;
    // By way of memcpy, because ISO C knows no conversion of an object pointer to one of a function.
#define NK_FIND(name)                                                                                                  \
    symbol = dlsym(library, "PQ" #name);                                                                               \
    if (!symbol) {                                                                                                     \
        snprintf(reason, reason_size, "it has no function PQ" #name);                                                  \
        return nk_pg_load_incomplete;                                                                                  \
    }                                                                                                                  \
    memcpy(&api->name, &symbol, sizeof(symbol));
    NK_EACH_FUNCTION(NK_FIND)
#undef NK_FIND
#define NK_FIND(name)                                                                                                  \
    symbol = dlsym(library, "PQ" #name);                                                                               \
    memcpy(&api->name, &symbol, sizeof(symbol));
    NK_EACH_OPTIONAL_FUNCTION(NK_FIND)
#undef NK_FIND
    nk_openssl_keep(library);
    return nk_pg_load_ok;
}

static void keep(void *buffer, const char *message) { snprintf(buffer, NK_PG_NOTICE_SIZE, "%s", message); }

void nk_pg_keep_notice(const nk_pg_api *api, nk_pg_connection *connection, char *buffer) {
    api->setNoticeProcessor(connection, keep, buffer);
}

void nk_pg_enter(void) {
    nk_openssl_enter();
}

void nk_pg_leave(void) {
    nk_openssl_leave();
}
