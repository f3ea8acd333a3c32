// For ppoll and dup3.
#define _GNU_SOURCE
#include "CNetKitSystem.h"

#if defined(__linux__)

// Not in the header, because Swift would then take it for the origin of these types.
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

void nk_keep_freed_memory(size_t size) {
    // Volatile, because a compiler may leave out a block that nothing uses.
    void *volatile block = malloc(size);
    free(block);
}

int nk_start_thread(size_t stack_size, void *(*body)(void *), void *context) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 0;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size > 0) pthread_attr_setstacksize(&attributes, stack_size);
    static const int received[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPROF};
    sigset_t signals, before;
    sigfillset(&signals);
    for (size_t index = 0; index < sizeof(received) / sizeof(*received); index++) sigdelset(&signals, received[index]);
    pthread_t thread;
    // Set here, because the thread inherits it: no signal arrives before its body runs.
    pthread_sigmask(SIG_SETMASK, &signals, &before);
    int result = pthread_create(&thread, &attributes, body, context);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    pthread_attr_destroy(&attributes);
    return result == 0;
}

size_t nk_write_quietly(int descriptor, const void *bytes, size_t size, int milliseconds) {
    sigset_t signals, before, pending;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    sigemptyset(&pending);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    size_t written = 0;
    int64_t end = nk_milliseconds() + milliseconds;
    int error = 0;
    while (written < size && error == 0) {
        ssize_t count = write(descriptor, (const char *)bytes + written, size - written);
        if (count >= 0) {
            written += (size_t)count;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd room = {descriptor, POLLOUT, 0};
            int64_t left = end - nk_milliseconds();
            if (left <= 0 || poll(&room, 1, (int)left) == 0) error = EAGAIN;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    // A signal that was pending before is not of this write.
    if (error == EPIPE && !sigismember(&pending, SIGPIPE)) {
        struct timespec none = {0, 0};
        while (sigtimedwait(&signals, 0, &none) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &before, 0);
    return written;
}

int nk_socket_create(int family, int type, int protocol) {
    const rlim_t most_kept = 16;
    int descriptor = socket(family, type | SOCK_CLOEXEC, protocol);
    struct rlimit limit;
    if (descriptor < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return descriptor;
    rlim_t kept = limit.rlim_cur / 8 < most_kept ? limit.rlim_cur / 8 : most_kept;
    // The kernel gives the lowest number that is free.
    if ((rlim_t)descriptor < limit.rlim_cur - kept) return descriptor;
    close(descriptor);
    errno = EMFILE;
    return -1;
}

void nk_socket_hold(int descriptor, int holds) {
    setsockopt(descriptor, IPPROTO_TCP, TCP_CORK, &holds, sizeof(holds));
}

void nk_socket_replace(int descriptor, int replacement) {
    if (replacement < 0 || dup3(replacement, descriptor, O_CLOEXEC) < 0) shutdown(descriptor, SHUT_RDWR);
}

void nk_socket_end_if_unreachable(int descriptor) {
    const int max_repetitions = 3;
    struct tcp_info info;
    memset(&info, 0, sizeof(info));
    socklen_t size = sizeof(info);
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return;
    if (info.tcpi_unacked > 0 && info.tcpi_retransmits >= max_repetitions) shutdown(descriptor, SHUT_RDWR);
}

nk_stream_position nk_socket_position(int descriptor) {
    int waiting = 0;
    ioctl(descriptor, SIOCOUTQ, &waiting);
    struct tcp_info info;
    socklen_t size = sizeof(info);
    size_t needed = offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof(info.tcpi_bytes_acked);
    int is_known = getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && size >= needed;
    int64_t received = is_known ? (int64_t)info.tcpi_bytes_acked : -(int64_t)waiting;
    return (nk_stream_position){received, received + waiting};
}

int nk_socket_local_port(int descriptor) {
    struct sockaddr_storage address;
    memset(&address, 0, sizeof(address));
    socklen_t size = sizeof(address);
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

int nk_file_identity(int descriptor, const char *path, nk_identity *identity) {
    struct statx found;
    if (statx(path ? AT_FDCWD : descriptor, path ? path : "", path ? 0 : AT_EMPTY_PATH, STATX_INO, &found) != 0) {
        return path && (errno == ENOENT || errno == ENOTDIR) ? 0 : -1;
    }
    identity->inode = found.stx_ino;
    identity->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    return 1;
}

int nk_connect_begin(const char *host, const char *port) {
    struct addrinfo hints;
    memset(&hints, 0, sizeof(hints));
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    hints.ai_socktype = SOCK_STREAM;
    struct addrinfo *found = 0;
    if (getaddrinfo(host, port, &hints, &found) != 0 || !found) return -EINVAL;
    int descriptor = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0 && connect(descriptor, found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
        error = errno;
        close(descriptor);
    }
    freeaddrinfo(found);
    return error == 0 ? descriptor : -error;
}

#endif
