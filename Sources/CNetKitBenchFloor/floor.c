#include "CNetKitBenchFloor.h"

#if defined(__linux__)

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS = 256,
    /// The number that NetKit keeps.
    KEPT_CONNECTIONS = 256,
};

struct nk_floor {
    const nk_curl_api *api;
    nk_curl_multi *multi;
    int is_polling;
    int poll;
    /// The time at which libcurl wants to be called without an event, in milliseconds; below 0 for never.
    int64_t timer;
    /// Whether libcurl wants to be called at once.
    int is_due;
};

/// A caller that makes one call after the other.
typedef struct caller {
    nk_curl_easy *easy;
    const nk_floor_task *task;
    nk_floor_result *result;
    char *body;
    size_t length;
    size_t capacity;
    int file;
    /// The number of the task's bytes that were sent.
    size_t sent;
} caller;

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// MARK: - Functions that libcurl calls

static int watch(nk_curl_easy *easy, int descriptor, int what, void *context, void *unused) {
    nk_floor *floor = context;
    (void)easy;
    (void)unused;
    if (what == NK_CURL_POLL_REMOVE || what == NK_CURL_POLL_NONE) {
        epoll_ctl(floor->poll, EPOLL_CTL_DEL, descriptor, 0);
        return 0;
    }
    struct epoll_event event = {0};
    event.events = (what & NK_CURL_POLL_IN ? EPOLLIN : 0u) | (what & NK_CURL_POLL_OUT ? EPOLLOUT : 0u);
    event.data.fd = descriptor;
    if (epoll_ctl(floor->poll, EPOLL_CTL_MOD, descriptor, &event) != 0)
        epoll_ctl(floor->poll, EPOLL_CTL_ADD, descriptor, &event);
    return 0;
}

static int set_timer(nk_curl_multi *multi, long delay, void *context) {
    nk_floor *floor = context;
    (void)multi;
    floor->is_due = delay == 0;
    floor->timer = delay > 0 ? milliseconds() + delay : -1;
    return 0;
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    caller *caller = context;
    size_t added = size * count;
    caller->result->bytes += (int64_t)added;
    if (!caller->task->is_collecting) return added;
    if (caller->capacity - caller->length < added) {
        size_t capacity = caller->capacity ? caller->capacity * 2 : 1024;
        while (capacity - caller->length < added) capacity *= 2;
        char *body = realloc(caller->body, capacity);
        if (!body) return 0;
        caller->body = body;
        caller->capacity = capacity;
    }
    memcpy(caller->body + caller->length, bytes, added);
    caller->length += added;
    return added;
}

static size_t supply(char *bytes, size_t size, size_t count, void *context) {
    caller *caller = context;
    if (caller->file < 0) {
        size_t left = (size_t)caller->task->upload_size - caller->sent;
        size_t given = left < size * count ? left : size * count;
        memcpy(bytes, (const char *)caller->task->upload_bytes + caller->sent, given);
        caller->sent += given;
        return given;
    }
    ssize_t taken = read(caller->file, bytes, size * count);
    return taken < 0 ? (size_t)NK_CURL_READFUNC_ABORT : (size_t)taken;
}

// MARK: - Calls

/// Gives a caller a configured handle; 0 if there is none.
static int prepare(nk_floor *floor, caller *caller, nk_curl_slist *lines) {
    const nk_curl_api *api = floor->api;
    nk_curl_easy *easy = api->easy_init();
    if (!easy) return 0;
    caller->easy = easy;
    nk_curl_set_text(api, easy, NK_CURLOPT_URL, caller->task->url);
    nk_curl_set_long(api, easy, NK_CURLOPT_NOSIGNAL, 1);
    nk_curl_set_text(api, easy, NK_CURLOPT_PROXY, "");
    nk_curl_set_long(api, easy, NK_CURLOPT_HTTP_VERSION, NK_CURL_HTTP_VERSION_2TLS);
    nk_curl_set_pointer(api, easy, NK_CURLOPT_PRIVATE, caller);
    nk_curl_set_pointer(api, easy, NK_CURLOPT_WRITEDATA, caller);
    nk_curl_set_data_callback(api, easy, NK_CURLOPT_WRITEFUNCTION, receive);
    if (caller->task->ca_file) {
        nk_curl_set_text(api, easy, NK_CURLOPT_CAINFO, caller->task->ca_file);
        nk_curl_set_text(api, easy, NK_CURLOPT_CAPATH, 0);
        // A libcurl that is too old for that reports an error and continues.
        nk_curl_set_long(api, easy, NK_CURLOPT_CA_CACHE_TIMEOUT, 60);
    }
    if (!caller->task->upload_file && !caller->task->upload_bytes) return 1;
    nk_curl_set_long(api, easy, NK_CURLOPT_UPLOAD, 1);
    nk_curl_set_text(api, easy, NK_CURLOPT_CUSTOMREQUEST, "POST");
    nk_curl_set_offset(api, easy, NK_CURLOPT_INFILESIZE_LARGE, caller->task->upload_size);
    nk_curl_set_pointer(api, easy, NK_CURLOPT_READDATA, caller);
    nk_curl_set_data_callback(api, easy, NK_CURLOPT_READFUNCTION, supply);
    nk_curl_set_pointer(api, easy, NK_CURLOPT_HTTPHEADER, lines);
    return 1;
}

static int start(nk_floor *floor, caller *caller, nk_curl_slist *lines) {
    if (!caller->easy && !prepare(floor, caller, lines)) return 0;
    if (caller->file >= 0) lseek(caller->file, 0, SEEK_SET);
    caller->sent = 0;
    return floor->api->multi_add_handle(floor->multi, caller->easy) == 0;
}

/// Records the result of a transfer, and frees the bytes that it has received.
static void finish(nk_floor *floor, caller *caller, int code) {
    nk_floor_result *result = caller->result;
    long status = 0;
    nk_curl_get_long(floor->api, caller->easy, NK_CURLINFO_RESPONSE_CODE, &status);
    floor->api->multi_remove_handle(floor->multi, caller->easy);
    result->calls++;
    if (code != NK_CURLE_OK || status != 200) {
        if (result->failures++ == 0) result->first_failure = code != NK_CURLE_OK ? code : (int)status;
    }
    free(caller->body);
    caller->body = 0;
    caller->length = caller->capacity = 0;
    if (!caller->task->has_new_handles) return;
    floor->api->easy_cleanup(caller->easy);
    caller->easy = 0;
}

/// Waits for events, and passes them to libcurl.
static void turn_epoll(nk_floor *floor) {
    struct epoll_event events[EVENTS];
    int running;
    int64_t limit = floor->timer < 0 ? -1 : floor->timer - milliseconds();
    if (floor->is_due || (floor->timer >= 0 && limit <= 0)) {
        floor->is_due = 0;
        floor->timer = -1;
        floor->api->multi_socket_action(floor->multi, NK_CURL_SOCKET_TIMEOUT, 0, &running);
        return;
    }
    int count = epoll_wait(floor->poll, events, EVENTS, (int)limit);
    for (int index = 0; index < count; index++) {
        unsigned int found = events[index].events;
        int what = (found & (EPOLLIN | EPOLLHUP) ? NK_CURL_CSELECT_IN : 0) |
                   (found & EPOLLOUT ? NK_CURL_CSELECT_OUT : 0) | (found & EPOLLERR ? NK_CURL_CSELECT_ERR : 0);
        floor->api->multi_socket_action(floor->multi, events[index].data.fd, what, &running);
    }
}

/// Waits inside libcurl, except after transfers were added, which libcurl has to see first.
static void turn_poll(nk_floor *floor, int has_added) {
    int running;
    if (!has_added) floor->api->multi_poll(floor->multi, 0, 0, 1000, 0);
    floor->api->multi_perform(floor->multi, &running);
}

static void run(nk_floor *floor, const nk_floor_task *task, caller *callers, nk_curl_slist *lines) {
    nk_floor_result *result = callers[0].result;
    int64_t end = milliseconds() + task->milliseconds;
    int64_t started = 0;
    int64_t running = 0;
    for (int index = 0; index < task->callers && (task->calls == 0 || started < task->calls); index++) {
        if (start(floor, &callers[index], lines)) running++; else result->failures++;
        started++;
    }
    int has_added = 1;
    while (running > 0) {
        if (floor->is_polling) turn_poll(floor, has_added); else turn_epoll(floor);
        has_added = 0;
        nk_curl_message *message;
        int left;
        while ((message = floor->api->multi_info_read(floor->multi, &left))) {
            if (message->kind != NK_CURLMSG_DONE) continue;
            caller *caller = 0;
            int code = message->data.result;
            nk_curl_get_pointer(floor->api, message->easy, NK_CURLINFO_PRIVATE, (void **)&caller);
            finish(floor, caller, code);
            running--;
            if (task->calls > 0 ? started >= task->calls : milliseconds() >= end) continue;
            started++;
            has_added = 1;
            if (start(floor, caller, lines)) running++; else result->failures++;
        }
    }
}

// MARK: - Functions that the bench calls

nk_floor *nk_floor_create(const nk_curl_api *api, int is_polling) {
    nk_floor *floor = calloc(1, sizeof(*floor));
    if (!floor) return 0;
    floor->api = api;
    floor->is_polling = is_polling;
    floor->timer = -1;
    floor->poll = epoll_create1(EPOLL_CLOEXEC);
    floor->multi = floor->poll >= 0 ? api->multi_init() : 0;
    if (!floor->multi) {
        nk_floor_destroy(floor);
        return 0;
    }
    nk_curl_multi_set_long(api, floor->multi, NK_CURLMOPT_PIPELINING, NK_CURLPIPE_MULTIPLEX);
    nk_curl_multi_set_long(api, floor->multi, NK_CURLMOPT_MAXCONNECTS, KEPT_CONNECTIONS);
    if (is_polling) return floor;
    nk_curl_multi_set_pointer(api, floor->multi, NK_CURLMOPT_SOCKETDATA, floor);
    nk_curl_multi_set_socket_callback(api, floor->multi, watch);
    nk_curl_multi_set_pointer(api, floor->multi, NK_CURLMOPT_TIMERDATA, floor);
    nk_curl_multi_set_timer_callback(api, floor->multi, set_timer);
    return floor;
}

nk_floor_result nk_floor_run(nk_floor *floor, const nk_floor_task *task) {
    nk_floor_result result = {0};
    if (task->callers < 1) return result;
    // A connection that the peer has closed must not end the process.
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    caller *callers = calloc((size_t)task->callers, sizeof(*callers));
    nk_curl_slist *lines = 0;
    if (callers) {
        lines = floor->api->slist_append(0, "Expect:");
        for (int index = 0; index < task->callers; index++) {
            callers[index].task = task;
            callers[index].result = &result;
            callers[index].file = task->upload_file ? open(task->upload_file, O_RDONLY | O_CLOEXEC) : -1;
        }
        run(floor, task, callers, lines);
        for (int index = 0; index < task->callers; index++) {
            if (callers[index].easy) floor->api->easy_cleanup(callers[index].easy);
            if (callers[index].file >= 0) close(callers[index].file);
        }
    }
    floor->api->slist_free_all(lines);
    free(callers);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    return result;
}

void nk_floor_destroy(nk_floor *floor) {
    if (!floor) return;
    if (floor->multi) floor->api->multi_cleanup(floor->multi);
    if (floor->poll >= 0) close(floor->poll);
    free(floor);
}

#endif
