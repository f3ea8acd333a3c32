// For ppoll.
#define _GNU_SOURCE
#include "CNetKitSystem.h"

#if defined(__linux__)

// Not in the header, which would then seem to Swift to be where its types come from.
#include <netdb.h>
#include <poll.h>

int nk_wait_readable(int descriptor, int bell, int microseconds) {
    struct pollfd both[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = bell, .events = POLLIN}};
    struct timespec limit = {.tv_sec = microseconds / 1000000, .tv_nsec = (long)(microseconds % 1000000) * 1000};
    if (ppoll(both, 2, &limit, 0) <= 0) return 0;
    if (both[1].revents != 0) nk_eventfd_clear(bell);
    return both[0].revents != 0;
}

int nk_connect_begin(const char *host, const char *port) {
    struct addrinfo hints;
    memset(&hints, 0, sizeof(hints));
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    struct addrinfo *found = 0;
    if (getaddrinfo(host, port, &hints, &found) != 0 || !found) return -1;
    int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor >= 0 && connect(descriptor, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
        close(descriptor);
        descriptor = -1;
    }
    freeaddrinfo(found);
    return descriptor;
}

#endif
