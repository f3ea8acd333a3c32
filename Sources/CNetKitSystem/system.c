// For ppoll.
#define _GNU_SOURCE
#include "CNetKitSystem.h"

#if defined(__linux__)

#include <poll.h>

int nk_wait_readable(int descriptor, int bell, int microseconds) {
    struct pollfd both[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = bell, .events = POLLIN}};
    struct timespec limit = {.tv_sec = 0, .tv_nsec = (long)microseconds * 1000};
    if (ppoll(both, 2, &limit, 0) <= 0) return 0;
    if (both[1].revents != 0) nk_eventfd_clear(bell);
    return both[0].revents != 0;
}

#endif
