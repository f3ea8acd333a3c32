// For ppoll, dup3 and O_DIRECT.
#define _GNU_SOURCE
#include "CNetKitSystem.h"

#if defined(__linux__)

// Not in the header, which would then seem to Swift to be where its types come from.
#include <netdb.h>
#include <netinet/in.h>
#include <sys/syscall.h>

void nk_socket_replace(int descriptor, int dead) {
    if (dead < 0 || dup3(dead, descriptor, O_CLOEXEC) < 0) shutdown(descriptor, SHUT_RDWR);
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

// What the kernel tells of a file, as far as it matters here; the C library's own type may be older than these fields.
struct nk_file_facts {
    uint32_t mask;
    unsigned char others[0x94];
    uint32_t direct_memory;
    uint32_t direct_block;
    unsigned char rest[0x60];
};

int nk_open_direct(const char *path, int *block) {
    const unsigned int direct_facts = 0x2000;
    const int of_descriptor = 0x1000;
    const uint32_t page = 4096;
    int descriptor;
    do { descriptor = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC); } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return -1;
    struct nk_file_facts facts;
    memset(&facts, 0, sizeof(facts));
    long result = syscall(SYS_statx, descriptor, "", of_descriptor, direct_facts, &facts);
    if (result == 0 && (facts.mask & direct_facts) && facts.direct_block > 0 && facts.direct_block <= page &&
        facts.direct_memory <= page) {
        *block = (int)facts.direct_block;
        return descriptor;
    }
    close(descriptor);
    errno = EOPNOTSUPP;
    return -1;
}

#endif
