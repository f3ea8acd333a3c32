/// Links, addresses and routes as the kernel reports them, and the sockets of a probe; Linux only.
#ifndef CNETKIT_SYSTEM_NETWORK_H
#define CNETKIT_SYSTEM_NETWORK_H

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

// The kernel's numbers, which do not change; its own headers are not available with every C library.
enum {
    NK_NLMSG_ERROR = 2,
    NK_NLMSG_DONE = 3,
    NK_RTM_NEWLINK = 16,
    NK_RTM_DELLINK = 17,
    NK_RTM_GETLINK = 18,
    NK_RTM_NEWADDR = 20,
    NK_RTM_DELADDR = 21,
    NK_RTM_GETADDR = 22,
    NK_RTM_NEWROUTE = 24,
    NK_RTM_DELROUTE = 25,
    NK_RTM_GETROUTE = 26,
    NK_NLM_F_MULTI = 2,
    NK_NLM_F_DUMP_INTR = 16,
    NK_IFA_F_TENTATIVE = 0x40,
    NK_IFLA_IFNAME = 3,
    NK_IFLA_LINKINFO = 18,
    NK_IFLA_INFO_KIND = 1,
    NK_IFA_ADDRESS = 1,
    NK_IFA_LOCAL = 2,
    NK_RTA_DST = 1,
    NK_RTA_OIF = 4,
    NK_RTA_GATEWAY = 5,
    NK_RTA_PRIORITY = 6,
    NK_RTA_MULTIPATH = 9,
    NK_RTA_TABLE = 15,
    NK_RTN_UNICAST = 1,
    NK_RT_TABLE_LOCAL = 255,
    NK_RTM_F_CLONED = 0x200,
    NK_IFF_UP = 0x1,
    NK_IFF_LOOPBACK = 0x8,
    NK_IFF_RUNNING = 0x40,
    NK_ARPHRD_ETHER = 1,
    NK_ARPHRD_RAWIP = 519,
    NK_ARPHRD_LOOPBACK = 772,
    NK_ARPHRD_IEEE80211 = 801,
    NK_ARPHRD_IEEE80211_RADIOTAP = 803,
    NK_FAMILY_IPV4 = 2,
    NK_FAMILY_IPV6 = 10,
};

typedef struct nk_netlink_address {
    uint16_t family;
    uint16_t padding;
    uint32_t port;
    uint32_t groups;
} nk_netlink_address;

/// A socket on which the kernel reports links, addresses and routes: closed on exec, not blocking; -1 on failure.
static inline int nk_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    // Room for a burst. If it is not granted, lost messages cause a new dump.
    int size = 1 << 20;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
    nk_netlink_address address = {0};
    address.family = AF_NETLINK;
    // Links, and the addresses and routes of IPv4 and IPv6.
    address.groups = 0x1 | 0x10 | 0x40 | 0x100 | 0x400;
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof(address)) == 0) return descriptor;
    close(descriptor);
    return -1;
}

/// Asks for all links, addresses or routes; 0 on success.
static inline int nk_netlink_ask(int descriptor, int what, uint32_t sequence) {
    struct {
        uint32_t length;
        uint16_t type;
        uint16_t flags;
        uint32_t sequence;
        uint32_t port;
        // The longest of the three heads, all zero: of every family.
        uint8_t body[16];
    } request = {0};
    uint32_t body = what == NK_RTM_GETLINK ? 16 : what == NK_RTM_GETADDR ? 8 : 12;
    request.length = 16 + body;
    request.type = (uint16_t)what;
    request.flags = 0x1 | 0x300;  // a request for a dump
    request.sequence = sequence;
    nk_netlink_address address = {0};
    address.family = AF_NETLINK;
    ssize_t sent;
    do {
        sent = sendto(descriptor, &request, request.length, MSG_NOSIGNAL, (const struct sockaddr *)&address,
                      sizeof(address));
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)request.length ? 0 : -1;
}

enum {
    NK_NETLINK_NOTHING = 0,
    /// A message was lost, and everything has to be read again.
    NK_NETLINK_LOST = -1,
    NK_NETLINK_FAILED = -2,
};

/// Receives a message of the kernel, and returns its size or one of the values above. Other senders are ignored.
static inline ssize_t nk_netlink_receive(int descriptor, void *_Nonnull bytes, size_t size) {
    for (;;) {
        nk_netlink_address sender = {0};
        struct iovec part = {bytes, size};
        struct msghdr message = {0};
        message.msg_name = &sender;
        message.msg_namelen = sizeof(sender);
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        ssize_t count = recvmsg(descriptor, &message, 0);
        if (count < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN || errno == EWOULDBLOCK) return NK_NETLINK_NOTHING;
            return errno == ENOBUFS ? NK_NETLINK_LOST : NK_NETLINK_FAILED;
        }
        if (message.msg_namelen != sizeof(sender) || sender.port != 0) continue;
        if (message.msg_flags & MSG_TRUNC) return NK_NETLINK_LOST;
        if (count > 0) return count;
    }
}

/// A datagram socket for queries about interfaces, of any family that the process may use; -1 on failure.
static inline int nk_interfaces_open(void) {
    static const int families[] = {AF_INET, AF_INET6, AF_UNIX};
    for (size_t index = 0; index < sizeof(families) / sizeof(families[0]); index++) {
        int descriptor = socket(families[index], SOCK_DGRAM | SOCK_CLOEXEC, 0);
        if (descriptor >= 0) return descriptor;
    }
    return -1;
}

/// The number, the flags and the hardware type of an interface; 0 on success.
static inline int nk_interface_facts(int descriptor, const char *_Nonnull name, int *_Nonnull index,
                                     unsigned *_Nonnull flags, unsigned *_Nonnull hardware) {
    struct ifreq request;
    memset(&request, 0, sizeof(request));
    size_t length = strlen(name);
    if (length >= sizeof(request.ifr_name)) return -1;
    memcpy(request.ifr_name, name, length);
    if (ioctl(descriptor, SIOCGIFFLAGS, &request) != 0) return -1;
    *flags = (unsigned short)request.ifr_flags;
    if (ioctl(descriptor, SIOCGIFINDEX, &request) != 0) return -1;
    *index = request.ifr_ifindex;
    *hardware = ioctl(descriptor, SIOCGIFHWADDR, &request) == 0 ? request.ifr_hwaddr.sa_family : 0;
    return 0;
}

/// Begins to connect to a numeric address, without blocking; returns a socket that is closed on exec, or the negative
/// of the error number if it fails at once.
int nk_connect_begin(const char *_Nonnull host, const char *_Nonnull port);

/// The error of a socket's connection; 0 if it is connected.
static inline int nk_socket_error(int descriptor) {
    int error = 0;
    socklen_t size = sizeof(error);
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

/// Sends as many bytes as the socket accepts now, and returns their number: 0 if it accepts none yet, -1 on failure.
static inline ssize_t nk_send_some(int descriptor, const void *_Nonnull bytes, size_t size) {
    for (;;) {
        ssize_t count = send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count >= 0) return count;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
        if (errno != EINTR) return -1;
    }
}

enum {
    NK_RECEIVE_FAILED = -1,
    NK_RECEIVE_NOTHING_YET = -2,
};

/// Receives the bytes that have arrived, and returns their number, 0 at the end, or one of the values above.
static inline ssize_t nk_receive_some(int descriptor, void *_Nonnull bytes, size_t size) {
    for (;;) {
        ssize_t count = recv(descriptor, bytes, size, MSG_DONTWAIT);
        if (count >= 0) return count;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return NK_RECEIVE_NOTHING_YET;
        if (errno != EINTR) return NK_RECEIVE_FAILED;
    }
}

#endif

#endif
