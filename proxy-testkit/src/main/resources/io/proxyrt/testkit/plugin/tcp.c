/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { BACKLOG = 64, PEER_TEXT_BYTES = 32 };
static const uint64_t HANDLE_MAGIC = 0x7463702d6e65742eUL;
static const uint32_t MESSAGE_MAGIC = 0x6d736721;

struct handle {
    uint64_t magic;
    uint64_t ticket; /* by which the listener knows the connector */
    struct sockaddr_in address;
    struct comm *connecting;
};
_Static_assert(sizeof(struct handle) <= HANDLE_BYTES, "handle");

struct listener {
    int fd;
    int pending; /* has connected, but not shown its ticket; -1 if none has */
    uint64_t ticket;
    uint64_t shown;
    size_t shown_bytes;
};

struct region {
    char *data;
    size_t bytes;
    struct region *next;
};

struct part {
    char *data;
    size_t bytes;
    int tag;
    bool is_matched;
};

struct request {
    struct comm *comm;
    bool is_used;
    bool is_flush;
    int n;
    int left; /* parts that are not complete */
    struct part parts[MAX_RECVS];
};

struct header {
    uint32_t magic;
    int32_t tag;
    uint64_t bytes;
};

/* What the receiver tells of a group that it has posted. */
struct group {
    int32_t n;
    int32_t tags[MAX_RECVS];
};

struct comm {
    int fd;
    bool is_sender;
    int failure; /* what every later call returns */
    char peer[PEER_TEXT_BYTES];
    pthread_mutex_t regions_lock;
    struct region *regions;
    /* Requests by number: tested <= moving <= posted, where those before tested have been tested, all of them. */
    uint64_t tested;
    uint64_t moving;
    uint64_t posted;
    struct request requests[MAX_REQUESTS];
    /* Flushes are complete whatever the messages do, so they are not among them. */
    struct request flushes[MAX_REQUESTS];
    /* The message under way, header and all; a receiver knows its part once that is posted. */
    struct header header;
    size_t moved;
    struct part *part;
    struct request *part_request;
    struct header next;
    /* Of a sender: the oldest group, as far as it has come, and how many of its parts have not been sent to. */
    struct group group;
    size_t group_bytes;
    int group_left;
};

logger *log_to;

#define FAIL(comm, result, ...) (WARN(__VA_ARGS__), (comm)->failure = (result))

static bool is_again(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

static int result_of(int error) {
    switch (error) {
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return REMOTE_ERROR;
    default:
        return SYSTEM_ERROR;
    }
}

static int broken(struct comm *comm, const char *call) {
    int error = errno;
    return error == ECONNRESET || error == EPIPE
        ? FAIL(comm, REMOTE_ERROR, "%s: connection closed by the peer %s", call, comm->peer)
        : FAIL(comm, result_of(error), "%s: connection with %s: %s (%d)", call, comm->peer, strerror(error), error);
}

static void name_peer(struct comm *comm, const struct sockaddr_in *address) {
    inet_ntop(AF_INET, &address->sin_addr, comm->peer, sizeof comm->peer);
    size_t length = strlen(comm->peer);
    snprintf(comm->peer + length, sizeof comm->peer - length, ":%d", ntohs(address->sin_port));
}

static struct comm *new_comm(int fd, const struct sockaddr_in *peer, bool is_sender) {
    struct comm *comm = calloc(1, sizeof *comm);
    if (comm == NULL) {
        return NULL;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    comm->fd = fd;
    comm->is_sender = is_sender;
    pthread_mutex_init(&comm->regions_lock, NULL);
    name_peer(comm, peer);
    for (int i = 0; i < MAX_REQUESTS; i++) {
        comm->requests[i].comm = comm;
        comm->flushes[i].comm = comm;
        comm->flushes[i].is_flush = true;
    }
    return comm;
}

/* ---- connecting ---- */

static int open_listener(struct handle *handle) {
    socklen_t length = sizeof handle->address;
    handle->address.sin_family = AF_INET;
    handle->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *) &handle->address, length) != 0 || listen(fd, BACKLOG) != 0
                    || getsockname(fd, (struct sockaddr *) &handle->address, &length) != 0
                    || getrandom(&handle->ticket, sizeof handle->ticket, 0) != sizeof handle->ticket)) {
        close(fd);
        return -1;
    }
    return fd;
}

int tcp_listen(void *opaque, struct listener **created) {
    struct handle *handle = opaque;
    memset(opaque, 0, HANDLE_BYTES);
    handle->magic = HANDLE_MAGIC;
    struct listener *listener = calloc(1, sizeof *listener);
    int fd = listener == NULL ? -1 : open_listener(handle);
    if (fd < 0) {
        WARN("listen: %s", strerror(errno));
        free(listener);
        return SYSTEM_ERROR;
    }
    listener->fd = fd;
    listener->pending = -1;
    listener->ticket = handle->ticket;
    *created = listener;
    return SUCCESS;
}

static int dial(struct handle *handle) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        WARN("connect: %s", strerror(errno));
        return SYSTEM_ERROR;
    }
    struct comm *comm = new_comm(fd, &handle->address, true);
    if (comm == NULL) {
        close(fd);
        return SYSTEM_ERROR;
    }
    handle->connecting = comm;
    bool is_refused = connect(fd, (struct sockaddr *) &handle->address, sizeof handle->address) != 0
        && errno != EINPROGRESS;
    return is_refused ? broken(comm, "connect") : SUCCESS;
}

/* A socket that is still connecting takes nothing yet. */
static int show_ticket(struct comm *comm, uint64_t ticket) {
    ssize_t sent = send(comm->fd, &ticket, sizeof ticket, MSG_NOSIGNAL);
    if (sent == sizeof ticket) {
        return SUCCESS;
    }
    if (sent >= 0) {
        return FAIL(comm, SYSTEM_ERROR, "connect: %zd bytes of the ticket for %s", sent, comm->peer);
    }
    return is_again(errno) ? IN_PROGRESS : broken(comm, "connect");
}

int tcp_connect(void *opaque, struct comm **connected) {
    struct handle *handle = opaque;
    *connected = NULL;
    if (handle->magic != HANDLE_MAGIC) {
        WARN("connect: handle begins with 0x%llx, none of this network's does", (unsigned long long) handle->magic);
        return INVALID_ARGUMENT;
    }
    int result = handle->connecting == NULL ? dial(handle) : SUCCESS;
    struct comm *comm = handle->connecting;
    if (comm != NULL && result == SUCCESS) {
        result = show_ticket(comm, handle->ticket);
    }
    if (result == IN_PROGRESS) {
        return SUCCESS;
    }
    handle->connecting = NULL;
    if (result == SUCCESS) {
        *connected = comm;
    } else if (comm != NULL) {
        tcp_close(comm);
    }
    return result;
}

static void drop_pending(struct listener *listener) {
    close(listener->pending);
    listener->pending = -1;
    listener->shown_bytes = 0;
}

/* Whether the connector that is pending has shown its whole ticket, and the right one; others are dropped. */
static bool is_expected(struct listener *listener) {
    char *rest = (char *) &listener->shown + listener->shown_bytes;
    ssize_t got = recv(listener->pending, rest, sizeof listener->shown - listener->shown_bytes, 0);
    if (got < 0 && is_again(errno)) {
        return false;
    }
    listener->shown_bytes += got > 0 ? (size_t) got : 0;
    bool is_whole = listener->shown_bytes == sizeof listener->shown;
    if (got > 0 && (!is_whole || listener->shown == listener->ticket)) {
        return is_whole;
    }
    INFO("dropped a connection without a ticket");
    drop_pending(listener);
    return false;
}

int tcp_accept(struct listener *listener, struct comm **accepted) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    *accepted = NULL;
    if (listener->pending < 0) {
        listener->pending = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (listener->pending < 0 && !is_again(errno) && errno != ECONNABORTED) {
            WARN("accept: %s", strerror(errno));
            return SYSTEM_ERROR;
        }
    }
    if (listener->pending < 0 || !is_expected(listener)) {
        return SUCCESS;
    }
    memset(&peer, 0, sizeof peer);
    getpeername(listener->pending, (struct sockaddr *) &peer, &length);
    struct comm *comm = new_comm(listener->pending, &peer, false);
    if (comm == NULL) {
        return SYSTEM_ERROR;
    }
    listener->pending = -1;
    listener->shown_bytes = 0;
    *accepted = comm;
    return SUCCESS;
}

int tcp_close_listener(struct listener *listener) {
    if (listener->pending >= 0) {
        drop_pending(listener);
    }
    close(listener->fd);
    free(listener);
    return SUCCESS;
}

int tcp_close(struct comm *comm) {
    char groups[MAX_REQUESTS * sizeof(struct group)];
    if (comm->is_sender && recv(comm->fd, groups, sizeof groups, 0) > 0) {
        /* Left unread, they would turn the end of the stream into a reset. */
        shutdown(comm->fd, SHUT_WR);
    }
    close(comm->fd);
    while (comm->regions != NULL) {
        struct region *region = comm->regions;
        comm->regions = region->next;
        free(region);
    }
    pthread_mutex_destroy(&comm->regions_lock);
    free(comm);
    return SUCCESS;
}

/* ---- memory ---- */

int tcp_register(struct comm *comm, void *data, size_t bytes, struct region **created) {
    struct region *region = malloc(sizeof *region);
    if (region == NULL) {
        return SYSTEM_ERROR;
    }
    pthread_mutex_lock(&comm->regions_lock);
    *region = (struct region) {.data = data, .bytes = bytes, .next = comm->regions};
    comm->regions = region;
    pthread_mutex_unlock(&comm->regions_lock);
    *created = region;
    return SUCCESS;
}

/* Where a region is among those that are registered; NULL if it is not. Under the lock. */
static struct region **find_region(struct comm *comm, const struct region *region) {
    for (struct region **at = &comm->regions; *at != NULL; at = &(*at)->next) {
        if (*at == region) {
            return at;
        }
    }
    return NULL;
}

int tcp_deregister(struct comm *comm, struct region *region) {
    pthread_mutex_lock(&comm->regions_lock);
    struct region **at = find_region(comm, region);
    if (at != NULL) {
        *at = region->next;
    }
    pthread_mutex_unlock(&comm->regions_lock);
    if (at != NULL) {
        free(region);
        return SUCCESS;
    }
    WARN("deregMr: %p is no memory of the connection with %s", (void *) region, comm->peer);
    return INVALID_ARGUMENT;
}

#ifdef NO_MHANDLES
static bool is_registered(struct comm *comm, const struct region *region, const char *data, size_t bytes) {
    (void) comm, (void) data, (void) bytes;
    return region == NULL;
}
#else
static bool is_registered(struct comm *comm, const struct region *region, const char *data, size_t bytes) {
    pthread_mutex_lock(&comm->regions_lock);
    bool is_inside = find_region(comm, region) != NULL && data >= region->data && bytes <= region->bytes
        && data - region->data <= (ptrdiff_t) (region->bytes - bytes);
    pthread_mutex_unlock(&comm->regions_lock);
    return is_inside;
}
#endif

static int check_memory(struct comm *comm, const char *call, const struct region *region, const char *data,
                        size_t bytes) {
    if (is_registered(comm, region, data, bytes)) {
        return SUCCESS;
    }
    WARN("%s: %zu bytes at %p are not in memory of mhandle %p", call, bytes, (const void *) data,
         (const void *) region);
    return INVALID_ARGUMENT;
}

/* ---- requests ---- */

static bool has_room(const struct comm *comm) {
    return comm->posted - comm->tested < MAX_REQUESTS;
}

static struct request *next_request(struct comm *comm, int n) {
    struct request *request = &comm->requests[comm->posted++ % MAX_REQUESTS];
    request->is_used = true;
    request->n = n;
    request->left = n;
    return request;
}

static void end_request(struct request *request) {
    struct comm *comm = request->comm;
    request->is_used = false;
    /* Those behind it may have been tested before. */
    while (comm->tested < comm->posted && !comm->requests[comm->tested % MAX_REQUESTS].is_used) {
        comm->tested++;
    }
}

static void skip_complete(struct comm *comm) {
    while (comm->moving < comm->posted && comm->requests[comm->moving % MAX_REQUESTS].left == 0) {
        comm->moving++;
    }
}

/* ---- groups ---- */

#if MAX_RECVS > 1
/* Has come if group_left is above 0. */
static int take_group(struct comm *comm) {
    char *rest = (char *) &comm->group + comm->group_bytes;
    ssize_t got = recv(comm->fd, rest, sizeof comm->group - comm->group_bytes, 0);
    if (got == 0) {
        return FAIL(comm, REMOTE_ERROR, "isend: connection closed by the peer %s", comm->peer);
    }
    if (got < 0) {
        return is_again(errno) ? SUCCESS : broken(comm, "isend");
    }
    comm->group_bytes += (size_t) got;
    if (comm->group_bytes == sizeof comm->group) {
        comm->group_bytes = 0;
        comm->group_left = comm->group.n;
    }
    return SUCCESS;
}

/* Whether the oldest group waits for such a message; no longer, after that. */
static int claim(struct comm *comm, int tag, bool *is_wanted) {
    int result = comm->group_left == 0 ? take_group(comm) : SUCCESS;
    *is_wanted = false;
    for (int i = 0; result == SUCCESS && i < comm->group_left; i++) {
        if (comm->group.tags[i] == tag) {
            comm->group.tags[i] = comm->group.tags[--comm->group_left];
            *is_wanted = true;
            return SUCCESS;
        }
    }
    return result;
}

/* They are few and small: a socket that does not take one does not work. */
static int tell_group(struct comm *comm, int n, const int *tags) {
    struct group group = {.n = n};
    memcpy(group.tags, tags, (size_t) n * sizeof *tags);
    ssize_t sent = send(comm->fd, &group, sizeof group, MSG_NOSIGNAL);
    if (sent == sizeof group) {
        return SUCCESS;
    }
    return sent < 0 ? broken(comm, "irecv") : FAIL(comm, SYSTEM_ERROR, "irecv: %zd bytes told of a group", sent);
}
#else
static int claim(struct comm *comm, int tag, bool *is_wanted) {
    (void) comm, (void) tag;
    *is_wanted = true;
    return SUCCESS;
}

static int tell_group(struct comm *comm, int n, const int *tags) {
    (void) comm, (void) n, (void) tags;
    return SUCCESS;
}
#endif

/* ---- posting ---- */

int tcp_send(struct comm *comm, void *data, size_t bytes, int tag, struct region *region, struct request **posted) {
    *posted = NULL;
    int result = comm->failure != SUCCESS ? comm->failure : check_memory(comm, "isend", region, data, bytes);
    bool is_wanted = false;
    if (result == SUCCESS && has_room(comm)) {
        result = claim(comm, tag, &is_wanted);
    }
    if (result == SUCCESS && is_wanted) {
        struct request *request = next_request(comm, 1);
        request->parts[0] = (struct part) {.data = data, .bytes = bytes, .tag = tag};
        *posted = request;
    }
    return result;
}

int tcp_receive(struct comm *comm, int n, void **data, const message_size *bytes, const int *tags,
                struct region **regions, struct request **posted) {
    *posted = NULL;
    if (n < 1 || n > MAX_RECVS) {
        WARN("irecv: %d messages, 1 to %d can be received at once", n, MAX_RECVS);
        return INTERNAL_ERROR;
    }
    int result = comm->failure;
    for (int i = 0; result == SUCCESS && i < n; i++) {
        result = check_memory(comm, "irecv", regions[i], data[i], (size_t) bytes[i]);
    }
    if (result != SUCCESS || !has_room(comm)) {
        return result;
    }
    result = tell_group(comm, n, tags);
    if (result == SUCCESS) {
        struct request *request = next_request(comm, n);
        for (int i = 0; i < n; i++) {
            request->parts[i] = (struct part) {.data = data[i], .bytes = (size_t) bytes[i], .tag = tags[i]};
        }
        *posted = request;
    }
    return result;
}

static struct request *next_flush(struct comm *comm) {
    for (int i = 0; i < MAX_REQUESTS; i++) {
        if (!comm->flushes[i].is_used) {
            comm->flushes[i].is_used = true;
            return &comm->flushes[i];
        }
    }
    return NULL;
}

/* There is no adapter whose writes a flush would have to wait for, so one that is asked for is complete at once. */
int tcp_flush(struct comm *comm, int n, void **data, const int *bytes, struct region **regions,
              struct request **posted) {
    *posted = NULL;
    int result = comm->failure;
    size_t total = 0;
    for (int i = 0; result == SUCCESS && i < n; i++) {
        result = check_memory(comm, "iflush", regions[i], data[i], (size_t) bytes[i]);
        total += (size_t) bytes[i];
    }
    if (result == SUCCESS && total > 0) {
        *posted = next_flush(comm);
        result = *posted == NULL ? INTERNAL_ERROR : SUCCESS;
    }
    return result;
}

/* ---- moving ---- */

/* What is left of a header and a payload of which some bytes have moved. */
static void rest_of(struct iovec vectors[2], struct header *header, char *data, size_t bytes, size_t moved) {
    size_t of_header = moved < sizeof *header ? moved : sizeof *header;
    size_t of_data = moved - of_header;
    vectors[0] = (struct iovec) {.iov_base = (char *) header + of_header, .iov_len = sizeof *header - of_header};
    vectors[1] = (struct iovec) {.iov_base = data + of_data, .iov_len = bytes - of_data};
}

static int send_some(struct comm *comm) {
    for (skip_complete(comm); comm->moving < comm->posted; skip_complete(comm)) {
        struct request *request = &comm->requests[comm->moving % MAX_REQUESTS];
        struct part *part = &request->parts[0];
        struct iovec rest[2];
        struct msghdr message = {.msg_iov = rest, .msg_iovlen = 2};
        comm->header = (struct header) {.magic = MESSAGE_MAGIC, .tag = part->tag, .bytes = part->bytes};
        rest_of(rest, &comm->header, part->data, part->bytes, comm->moved);
        ssize_t sent = sendmsg(comm->fd, &message, MSG_NOSIGNAL);
        if (sent < 0) {
            return is_again(errno) ? SUCCESS : broken(comm, "isend");
        }
        comm->moved += (size_t) sent;
        if (comm->moved < sizeof comm->header + part->bytes) {
            return SUCCESS;
        }
        comm->moved = 0;
        request->left = 0;
    }
    return SUCCESS;
}

/* Finds the part that the message under way is for, in the oldest request that waits for one of its tag. */
static void match(struct comm *comm) {
    for (uint64_t number = comm->moving; number < comm->posted; number++) {
        struct request *request = &comm->requests[number % MAX_REQUESTS];
        for (int i = 0; i < request->n; i++) {
            struct part *part = &request->parts[i];
            if (!part->is_matched && (MAX_RECVS == 1 || part->tag == comm->header.tag)) {
                part->is_matched = true;
                comm->part = part;
                comm->part_request = request;
                return;
            }
        }
    }
}

/* Looks at the header of the message under way, once that is there. */
static int begin_message(struct comm *comm) {
    if (comm->moved < sizeof comm->header || comm->part != NULL) {
        return SUCCESS;
    }
    if (comm->header.magic != MESSAGE_MAGIC) {
        return FAIL(comm, REMOTE_ERROR, "irecv: %s does not send messages", comm->peer);
    }
    match(comm);
    if (comm->part != NULL && comm->header.bytes > comm->part->bytes) {
        return FAIL(comm, INVALID_USAGE, "irecv: message of %llu bytes from %s is longer than its receive of %zu",
                    (unsigned long long) comm->header.bytes, comm->peer, comm->part->bytes);
    }
    return SUCCESS;
}

static bool is_held_back(const struct comm *comm) {
    return comm->moved >= sizeof comm->header && comm->part == NULL;
}

static bool is_whole(const struct comm *comm) {
    return comm->part != NULL && comm->moved >= sizeof comm->header + comm->header.bytes;
}

static void end_message(struct comm *comm) {
    comm->part->bytes = comm->header.bytes;
    comm->part_request->left--;
    comm->part = NULL;
    comm->moved -= sizeof comm->header + comm->header.bytes;
    comm->header = comm->next;
}

/* A message, as far as it is there, and the header of the next one, which mostly comes along. */
static int read_on(struct comm *comm, bool *may_be_more) {
    struct iovec rest[3];
    bool has_part = comm->part != NULL;
    rest_of(rest, &comm->header, has_part ? comm->part->data : NULL, has_part ? comm->header.bytes : 0, comm->moved);
    rest[2] = (struct iovec) {.iov_base = &comm->next, .iov_len = has_part ? sizeof comm->next : 0};
    ssize_t got = readv(comm->fd, rest, 3);
    if (got == 0) {
        return FAIL(comm, REMOTE_ERROR, "irecv: connection closed by the peer %s", comm->peer);
    }
    *may_be_more = got > 0 && (size_t) got == rest[0].iov_len + rest[1].iov_len + rest[2].iov_len;
    if (got < 0) {
        return is_again(errno) ? SUCCESS : broken(comm, "irecv");
    }
    comm->moved += (size_t) got;
    return SUCCESS;
}

static int receive_some(struct comm *comm) {
    bool may_be_more = true;
    for (skip_complete(comm); comm->moving < comm->posted; skip_complete(comm)) {
        int result = begin_message(comm);
        if (result == SUCCESS && is_whole(comm)) {
            end_message(comm);
        } else if (result != SUCCESS || is_held_back(comm) || !may_be_more) {
            return result;
        } else if ((result = read_on(comm, &may_be_more)) != SUCCESS) {
            return result;
        }
    }
    return SUCCESS;
}

static bool may_test(const struct request *request) {
#ifdef IN_ORDER
    const struct comm *comm = request->comm;
    return request->is_used && (request->is_flush || request == &comm->requests[comm->tested % MAX_REQUESTS]);
#else
    return request->is_used;
#endif
}

int tcp_test(struct request *request, int *done, int *sizes) {
    struct comm *comm = request->comm;
    *done = 0;
    if (!may_test(request)) {
        WARN("test: request %p of the connection with %s is not one to be tested now", (void *) request, comm->peer);
        return INTERNAL_ERROR;
    }
    int result = request->left == 0 ? SUCCESS : comm->failure;
    if (request->left > 0 && result == SUCCESS) {
        result = comm->is_sender ? send_some(comm) : receive_some(comm);
    }
    /* What was complete before a failure stays so. */
    if (request->left > 0) {
        return result;
    }
    for (int i = 0; sizes != NULL && i < request->n; i++) {
        sizes[i] = (int) request->parts[i].bytes;
    }
    *done = 1;
    end_request(request);
    return SUCCESS;
}
