// A server for uploads: reads each request to its end, discards it, and responds with "ok". Prints its port, and ends
// when its standard input does.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

static void *serve(void *argument) {
    int connection = (int)(intptr_t)argument;
    enum { size = 256 << 10 };
    char *bytes = malloc(size + 1);
    size_t filled = 0;
    while (bytes) {
        ssize_t count = read(connection, bytes + filled, size - filled);
        if (count <= 0) break;
        filled += (size_t)count;
        bytes[filled] = 0;
        char *end = strstr(bytes, "\r\n\r\n");
        if (!end) {
            if (filled == size) break;
            continue;
        }
        char *field = strcasestr(bytes, "\r\nContent-Length:");
        long long rest = field && field < end ? atoll(field + 17) : 0;
        rest -= (long long)(bytes + filled - (end + 4));
        while (rest > 0 && (count = read(connection, bytes, size)) > 0) rest -= count;
        // Nothing follows before the response: a client sends one request after the other.
        if (rest != 0 || write(connection, response, sizeof response - 1) < 0) break;
        filled = 0;
    }
    free(bytes);
    close(connection);
    return NULL;
}

static void *accept_all(void *argument) {
    int listener = (int)(intptr_t)argument, connection, yes = 1;
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection)) close(connection);
        else pthread_detach(thread);
    }
    return NULL;
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 64)
        || getsockname(listener, (struct sockaddr *)&address, &length)) {
        perror("sink");
        return 1;
    }
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_t thread;
    if (pthread_create(&thread, NULL, accept_all, (void *)(intptr_t)listener)) return 1;
    char byte;
    while (read(0, &byte, 1) > 0) {}
    return 0;
}
