/// System functions that Swift does not import from the C library; empty on systems without them.
#ifndef CNETKIT_SYSTEM_H
#define CNETKIT_SYSTEM_H

#include "CNetKitLoading.h"
#include "CNetKitOpenSSL.h"

#if defined(__linux__)

#include "CNetKitSystemNetwork.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

/// A descriptor on which something happened.
typedef struct nk_ready {
    int descriptor;
    int is_readable;
    int is_writable;
    int has_failed;
} nk_ready;

enum {
    NK_READY_MAXIMUM = 128,
};

/// A set of watched descriptors, closed on exec; -1 on failure.
static inline int nk_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// A counter to wake a waiting thread with, closed on exec; -1 on failure.
static inline int nk_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Writes bytes, and returns the number of bytes written. A pipe without a reader raises no SIGPIPE.
///
/// The wait for a full descriptor that does not block is bounded by a number of milliseconds.
size_t nk_write_quietly(int descriptor, const void *_Nonnull bytes, size_t size, int milliseconds);

/// Makes the C library keep up to twice a size of freed memory instead of returning it to the kernel at once.
///
/// glibc does so once a process has freed a block of that size (mallopt(3), M_MMAP_THRESHOLD), unless its user has set
/// a limit. Other libraries ignore it.
void nk_keep_freed_memory(size_t size);

/// Names the calling thread for debuggers and profilers, with at most 15 bytes.
static inline void nk_name_thread(const char *_Nonnull name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

/// Starts a detached thread; 0 if the system cannot create one. With a stack size of 0, the system chooses the size.
///
/// The thread receives only the signals of its own faults and of profilers. Any other is left to the host's threads.
int nk_start_thread(
    size_t stack_size, void *_Nullable (*_Nonnull body)(void *_Nullable context), void *_Nullable context);

/// A socket, closed on exec; -1 on failure.
///
/// It takes none of the last descriptors of the process, and fails with EMFILE instead: Dispatch ends a process in
/// which it cannot open a file.
int nk_socket_create(int family, int type, int protocol);

/// Makes a connection keep back less than a full packet, or send what it has kept back.
void nk_socket_hold(int descriptor, int holds);

/// Whether a connection has nothing to read, neither bytes nor its end nor an error.
static inline int nk_socket_is_quiet(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// Whether a connection has too little room for bytes to send.
static inline int nk_socket_is_full(int descriptor) {
    struct pollfd room = {descriptor, POLLOUT, 0};
    return poll(&room, 1, 0) <= 0;
}

/// One end of a connection whose other end is closed; -1 on failure.
static inline int nk_socket_create_closed(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    close(ends[1]);
    return ends[0];
}

/// Closes a connection, and gives its descriptor to a replacement; without one it only ends in both directions.
void nk_socket_replace(int descriptor, int replacement);

/// Ends a connection in both directions if its peer no longer acknowledges what is sent, not even the third repetition.
void nk_socket_end_if_unreachable(int descriptor);

/// The port at this end of a connection; 0 if it has none.
int nk_socket_local_port(int descriptor);

/// The numbers of bytes of a connection that its peer has received, and that were written at this end.
typedef struct {
    int64_t received;
    int64_t written;
} nk_stream_position;

/// Returns how far a connection is. Both numbers count from the same byte, which need not be the first.
nk_stream_position nk_socket_position(int descriptor);

/// Milliseconds of a clock that never goes backwards.
static inline int64_t nk_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Nanoseconds of the same clock.
static inline int64_t nk_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Locks or unlocks a whole file for the open file description, without waiting; 0 on success.
static inline int nk_set_lock(int descriptor, short type) {
    // F_OFD_SETLK, which the C library declares only with _GNU_SOURCE.
    const int set_lock = 37;
    struct flock lock = {0};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    int result;
    do { result = fcntl(descriptor, set_lock, &lock); } while (result != 0 && errno == EINTR);
    return result;
}

/// The identity of a file on this machine.
typedef struct nk_identity {
    uint64_t inode;
    uint64_t device;
} nk_identity;

/// Looks up the identity of a file by its path, or of an open file if the path is null: 1 if found, 0 if the path leads
/// nowhere, and -1 on failure.
///
/// The times of the file are not read: the kernel records the next write to a file whose times were read with the exact
/// time, which makes the sync after it half as long again.
int nk_file_identity(int descriptor, const char *_Nullable path, nk_identity *_Nonnull identity);

/// Locks a whole file for the open file description, without waiting; the kernel releases the lock when its last
/// descriptor is closed, even if the process crashes. 1 on success, 0 if another description holds it, -1 on failure.
static inline int nk_try_lock(int descriptor) {
    if (nk_set_lock(descriptor, F_WRLCK) == 0) return 1;
    return errno == EAGAIN || errno == EACCES ? 0 : -1;
}

/// Shares a lock of a whole file, which others can share as well; 0 on success.
static inline int nk_share_lock(int descriptor) { return nk_set_lock(descriptor, F_RDLCK); }

/// Whether no other open file description has a lock of the file: 1 or 0, -1 on failure. The caller's own lock stays as
/// it is.
static inline int nk_is_only_holder(int descriptor) {
    // F_OFD_GETLK, see above.
    const int get_lock = 36;
    struct flock lock = {0};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    int result;
    do { result = fcntl(descriptor, get_lock, &lock); } while (result != 0 && errno == EINTR);
    return result != 0 ? -1 : lock.l_type == F_UNLCK;
}

/// Unlocks a file, also for children that were just forked and have not closed their copy yet.
static inline void nk_unlock(int descriptor) { (void)nk_set_lock(descriptor, F_UNLCK); }

/// Fills a few bytes with the kernel's random numbers; 0 on failure.
static inline int nk_random(void *_Nullable bytes, size_t count) {
    return bytes != NULL && getrandom(bytes, count, 0) == (ssize_t)count;
}

/// Whether a path is on a file system of another machine, where locks and syncs are unreliable: 1 or 0, -1 on failure.
static inline int nk_is_remote(const char *_Nonnull path) {
    struct statfs info;
    if (statfs(path, &info) != 0) return -1;
    switch ((uint32_t)info.f_type) {
    case 0x6969u:     // NFS
    case 0x517Bu:     // SMB
    case 0xFF534D42u: // CIFS
    case 0xFE534D42u: // SMB 2
    case 0x564Cu:     // NCP
    case 0x01021997u: // 9P
    case 0x00C36400u: // Ceph
    case 0x5346414Fu: // AFS
    case 0x6B414653u: // AFS of the kernel
    case 0x73757245u: // Coda
    case 0x0BD00BD0u: // Lustre
    case 0x47504653u: // GPFS
    case 0x01161970u: // GFS 2
    case 0x7461636Fu: // OCFS 2
    case 0x19830326u: // BeeGFS
        return 1;
    default:
        return 0;
    }
}

/// Closes a descriptor.
static inline void nk_close(int descriptor) { close(descriptor); }

/// Wakes the threads that wait for the counter.
static inline void nk_eventfd_signal(int descriptor) {
    uint64_t one = 1;
    ssize_t written;
    do { written = write(descriptor, &one, sizeof(one)); } while (written < 0 && errno == EINTR);
}

/// Sets the counter back.
static inline void nk_eventfd_clear(int descriptor) {
    uint64_t count;
    ssize_t taken;
    do { taken = read(descriptor, &count, sizeof(count)); } while (taken < 0 && errno == EINTR);
}

/// Watches a descriptor for reading and writing; whether it is watched already makes no difference. 0 on success.
static inline int nk_epoll_watch(int set, int descriptor, int reading, int writing) {
    struct epoll_event event = {0};
    event.events = (reading ? EPOLLIN | EPOLLRDHUP : 0u) | (writing ? EPOLLOUT : 0u);
    event.data.fd = descriptor;
    if (epoll_ctl(set, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    return errno == ENOENT ? epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event) : -1;
}

/// Stops watching a descriptor.
static inline void nk_epoll_forget(int set, int descriptor) { epoll_ctl(set, EPOLL_CTL_DEL, descriptor, 0); }

/// Waits for at most some milliseconds (-1: without a limit), and reports the descriptors on which something happened.
static inline int nk_epoll_wait(int set, nk_ready *_Nonnull ready, int milliseconds) {
    struct epoll_event events[NK_READY_MAXIMUM];
    int count = epoll_wait(set, events, NK_READY_MAXIMUM, milliseconds);
    for (int index = 0; index < count; index++) {
        ready[index].descriptor = events[index].data.fd;
        ready[index].is_readable = (events[index].events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0;
        ready[index].is_writable = (events[index].events & EPOLLOUT) != 0;
        ready[index].has_failed = (events[index].events & EPOLLERR) != 0;
    }
    return count;
}

#endif

#endif
