/// libpq, found while the process runs: its functions in a table, and the few calls of the system that its sockets
/// need.
///
/// Every declaration here is NetKit's own, after libpq's documented and stable binary interface: nothing of
/// PostgreSQL's is needed to build. There is no logic here; the logic is in Swift.
#ifndef CNETKIT_POSTGRES_H
#define CNETKIT_POSTGRES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// A connection.
typedef struct nk_pg_connection nk_pg_connection;
/// The result of a statement.
typedef struct nk_pg_result nk_pg_result;
/// A handle with which a statement of a connection can be cancelled from any thread.
typedef struct nk_pg_cancel nk_pg_cancel;

/// An option of a connection; the list ends with one whose keyword is null.
typedef struct nk_pg_option {
    char *_Nullable keyword;
    char *_Nullable environment;
    char *_Nullable compiled;
    char *_Nullable value;
    char *_Nullable label;
    char *_Nullable display;
    int size;
} nk_pg_option;

/// A notification; the structure continues with a private pointer of libpq.
typedef struct nk_pg_notification {
    char *_Nonnull channel;
    int process;
    char *_Nonnull payload;
} nk_pg_notification;

typedef void (*nk_pg_notice_processor)(void *_Nullable context, const char *_Nullable message);

enum {
    NK_PG_CONNECTION_OK = 0,
    NK_PG_CONNECTION_BAD = 1,

    NK_PG_ERRORS_VERBOSE = 2,

    NK_PG_POLLING_READING = 1,
    NK_PG_POLLING_WRITING = 2,
    NK_PG_POLLING_OK = 3,

    NK_PG_RESULT_COMMAND = 1,
    NK_PG_RESULT_TUPLES = 2,
    NK_PG_RESULT_PIPELINE_SYNC = 10,
};

/// libpq's functions. The last three are null in a libpq older than 14.
typedef struct nk_pg_api {
    int (*_Nonnull libVersion)(void);
    nk_pg_option *_Nullable (*_Nonnull conninfoParse)(const char *_Nonnull text, char *_Nullable *_Nullable problem);
    nk_pg_option *_Nullable (*_Nonnull conninfo)(nk_pg_connection *_Nonnull);
    void (*_Nonnull conninfoFree)(nk_pg_option *_Nullable);
    nk_pg_connection *_Nullable (*_Nonnull connectStartParams)(
        const char *_Nullable const *_Nonnull keywords, const char *_Nullable const *_Nonnull values, int expands);
    int (*_Nonnull connectPoll)(nk_pg_connection *_Nonnull);
    int (*_Nonnull status)(const nk_pg_connection *_Nonnull);
    int (*_Nonnull socket)(const nk_pg_connection *_Nonnull);
    int (*_Nonnull serverVersion)(const nk_pg_connection *_Nonnull);
    int (*_Nonnull backendPID)(const nk_pg_connection *_Nonnull);
    char *_Nullable (*_Nonnull errorMessage)(const nk_pg_connection *_Nonnull);
    void (*_Nonnull finish)(nk_pg_connection *_Nonnull);
    int (*_Nonnull setnonblocking)(nk_pg_connection *_Nonnull, int);
    int (*_Nonnull setErrorVerbosity)(nk_pg_connection *_Nonnull, int verbosity);
    nk_pg_notice_processor _Nullable (*_Nonnull setNoticeProcessor)(
        nk_pg_connection *_Nonnull, nk_pg_notice_processor _Nullable, void *_Nullable context);
    int (*_Nonnull sendQuery)(nk_pg_connection *_Nonnull, const char *_Nonnull text);
    int (*_Nonnull sendQueryParams)(
        nk_pg_connection *_Nonnull, const char *_Nonnull text, int count, const uint32_t *_Nullable types,
        const char *_Nullable const *_Nullable values, const int *_Nullable lengths, const int *_Nullable formats,
        int resultFormat);
    int (*_Nonnull flush)(nk_pg_connection *_Nonnull);
    int (*_Nonnull consumeInput)(nk_pg_connection *_Nonnull);
    int (*_Nonnull isBusy)(nk_pg_connection *_Nonnull);
    nk_pg_result *_Nullable (*_Nonnull getResult)(nk_pg_connection *_Nonnull);
    nk_pg_notification *_Nullable (*_Nonnull notifies)(nk_pg_connection *_Nonnull);
    void (*_Nonnull freemem)(void *_Nullable);
    int (*_Nonnull resultStatus)(const nk_pg_result *_Nonnull);
    char *_Nullable (*_Nonnull resultErrorField)(const nk_pg_result *_Nonnull, int field);
    char *_Nullable (*_Nonnull resultErrorMessage)(const nk_pg_result *_Nonnull);
    int (*_Nonnull ntuples)(const nk_pg_result *_Nonnull);
    int (*_Nonnull nfields)(const nk_pg_result *_Nonnull);
    char *_Nullable (*_Nonnull fname)(const nk_pg_result *_Nonnull, int column);
    uint32_t (*_Nonnull ftype)(const nk_pg_result *_Nonnull, int column);
    int (*_Nonnull fformat)(const nk_pg_result *_Nonnull, int column);
    char *_Nullable (*_Nonnull getvalue)(const nk_pg_result *_Nonnull, int row, int column);
    int (*_Nonnull getlength)(const nk_pg_result *_Nonnull, int row, int column);
    int (*_Nonnull getisnull)(const nk_pg_result *_Nonnull, int row, int column);
    char *_Nullable (*_Nonnull cmdTuples)(nk_pg_result *_Nonnull);
    void (*_Nonnull clear)(nk_pg_result *_Nullable);
    nk_pg_cancel *_Nullable (*_Nonnull getCancel)(nk_pg_connection *_Nonnull);
    void (*_Nonnull freeCancel)(nk_pg_cancel *_Nullable);
    int (*_Nonnull cancel)(nk_pg_cancel *_Nonnull, char *_Nonnull problem, int problemSize);

    int (*_Nullable enterPipelineMode)(nk_pg_connection *_Nonnull);
    int (*_Nullable exitPipelineMode)(nk_pg_connection *_Nonnull);
    int (*_Nullable pipelineSync)(nk_pg_connection *_Nonnull);
} nk_pg_api;

/// The result of the search for libpq.
typedef enum nk_pg_load_result {
    nk_pg_load_ok = 0,
    /// No library of that name could be opened.
    nk_pg_load_not_found = 1,
    /// The library lacks a function.
    nk_pg_load_incomplete = 2,
    /// A lack of descriptors or memory for the library, which may pass.
    nk_pg_load_no_resources = 3,
} nk_pg_load_result;

/// The name under which the system knows libpq.
extern const char *_Nonnull const nk_pg_library_name;

/// Fills the table from a library.
///
/// The reason for a failure is written as text of at most `reason_size` bytes, its end included. The library stays
/// open.
nk_pg_load_result nk_pg_load(
    const char *_Nonnull path, nk_pg_api *_Nonnull api, char *_Nonnull reason, size_t reason_size);

enum { NK_PG_NOTICE_SIZE = 512 };

/// Keeps the latest notice of a connection, which libpq would print, in a buffer of NK_PG_NOTICE_SIZE bytes.
void nk_pg_keep_notice(const nk_pg_api *_Nonnull api, nk_pg_connection *_Nonnull connection, char *_Nonnull buffer);

/// A descriptor to wait for, and what happened to it.
typedef struct nk_pg_watch {
    int descriptor;
    int wants_reading;
    int wants_writing;
    int is_ready;
} nk_pg_watch;

/// Begins a stretch of work with the library, which may use OpenSSL. Once OpenSSL frees its locks, it does not return.
void nk_pg_enter(void);

/// Ends a stretch of work with the library.
void nk_pg_leave(void);

/// Waits without a limit until something happens on one of the descriptors; a negative descriptor is ignored.
void nk_pg_wait(nk_pg_watch *_Nonnull watches, int count);

/// Makes the two ends of a pipe to wake a waiting thread with, closed on exec; 0 on success.
int nk_pg_wake_create(int *_Nonnull reading, int *_Nonnull writing);
/// Wakes the thread that waits for the reading end.
void nk_pg_wake(int writing);
/// Reads everything from the reading end.
void nk_pg_wake_clear(int reading);
/// Closes a descriptor.
void nk_pg_close(int descriptor);

#if defined(__cplusplus)
}
#endif

#endif
