#include "CNetKitPostgres.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

enum { MAXIMUM_WATCHES = 8 };

void nk_pg_wait(nk_pg_watch *watches, int count) {
    struct pollfd polled[MAXIMUM_WATCHES];
    if (count > MAXIMUM_WATCHES) count = MAXIMUM_WATCHES;
    for (int index = 0; index < count; index++) {
        polled[index].fd = watches[index].descriptor;
        polled[index].events =
            (short)((watches[index].wants_reading ? POLLIN : 0) | (watches[index].wants_writing ? POLLOUT : 0));
        polled[index].revents = 0;
    }
    int ready = poll(polled, (nfds_t)count, -1);
    for (int index = 0; index < count; index++) watches[index].is_ready = ready > 0 && polled[index].revents != 0;
}

static int prepare(int descriptor) {
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0;
}

int nk_pg_wake_create(int *reading, int *writing) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    if (!prepare(ends[0]) || !prepare(ends[1])) {
        close(ends[0]);
        close(ends[1]);
        return -1;
    }
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

void nk_pg_wake(int writing) {
    char byte = 0;
    ssize_t written;
    do { written = write(writing, &byte, 1); } while (written < 0 && errno == EINTR);
}

void nk_pg_wake_clear(int reading) {
    char bytes[64];
    ssize_t taken;
    do { taken = read(reading, bytes, sizeof(bytes)); } while (taken > 0 || (taken < 0 && errno == EINTR));
}

void nk_pg_close(int descriptor) { close(descriptor); }
