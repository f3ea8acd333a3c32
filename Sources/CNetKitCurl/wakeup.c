#include "CNetKitCurl.h"

#if defined(__linux__)

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/// The number of bytes in a socket, as the kernel counts them: those to be read, or those the other end has not read.
static int count_of(int descriptor, unsigned long which) {
    int count = 0;
    return ioctl(descriptor, which, &count) == 0 ? count : 0;
}

/// Whether this is one end of a pair inside this process that a child would inherit.
static int is_inherited_pair(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) || !(fcntl(descriptor, F_GETFL) & O_NONBLOCK)) return 0;
    int family = 0;
    socklen_t size = sizeof(family);
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0 || family != AF_UNIX) return 0;
    struct { pid_t process; uid_t user; gid_t group; } peer = {0};
    size = sizeof(peer);
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.process == getpid();
}

// libcurl does not report these sockets. While it is woken, one of them has a byte to read that the other has sent.
void nk_curl_multi_keep_from_children(const nk_curl_api *api, nk_curl_multi *multi) {
    if (api->multi_wakeup(multi) != 0) return;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return;
    struct dirent *entry;
    while ((entry = readdir(folder))) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || !is_inherited_pair(descriptor)) continue;
        if (count_of(descriptor, FIONREAD) != 1 && count_of(descriptor, SIOCOUTQ) == 0) continue;
        fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    }
    closedir(folder);
}

#endif
