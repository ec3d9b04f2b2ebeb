/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * The table of a plug-in for collectives, -DNET_VERSION=6 to 12, over memory that processes of one host share. Each
 * participant puts what it has into its own slots, and takes what comes out of those of all: nothing is combined before
 * all are there. It is strict with what it is given: contexts, registrations, the order of tests.
 */
#include "net_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_RANKS = 16,
    CALLS = 8,                /* that a participant has under way */
    CALL_BYTES = 4 << 20,     /* most bytes of a call */
    MAX_REGIONS = 4096,
    CONNECT_SECONDS = 30,
    MAX_REDUCTION = 3         /* sum, prod, max, min */
};

enum function { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER };

#if NET_VERSION >= 9
typedef size_t element_count;
#else
typedef int element_count;
#endif

/* A piece of memory: ncclNetSGE_t. */
struct part {
    void *mhandle;
    void *address;
#if NET_VERSION == 8
    uint32_t size;
#else
    size_t size;
#endif
};

/* What all participants have to ask for alike. */
struct call {
    int64_t function, type, reduction;
    int64_t per_rank, offset, bytes;
};

/* What the participants share. A slot is used by every eighth call. */
struct shared {
    atomic_int there;
    atomic_int gone;
    struct {
        atomic_long posted;
        atomic_long taken;
        struct call calls[CALLS];
    } members[MAX_RANKS];
    char data[MAX_RANKS][CALLS][CALL_BYTES];
};

struct handle {
    char path[64];
};

struct listener {
    int fd; /* of the group's memory, if this one's handle is the first */
    struct handle handle;
};

struct region {
    char *begin;
    size_t bytes;
};

struct request {
    struct coll *coll;
    long number;
    struct call call;
    char *to;
};

struct coll {
    struct shared *shared;
    int ranks;
    int rank;
    long posted, taken;
    struct request requests[CALLS];
    struct region regions[MAX_REGIONS];
};

static logger *log_to;

#define WARN(...) log_to(LOG_WARN, LOG_NET, __func__, __LINE__, __VA_ARGS__)
#define REQUIRE(condition, ...) \
    do { \
        if (!(condition)) { \
            WARN(__VA_ARGS__); \
            return INVALID_ARGUMENT; \
        } \
    } while (0)

/* ---- init ---- */

static int begin(logger *log) {
    log_to = log;
    return log == NULL ? INVALID_ARGUMENT : SUCCESS;
}

#if NET_VERSION >= 11
static int context_of_all;

static int coll_init(void **context, uint64_t comm_id, logger *log) {
    (void) comm_id;
    *context = &context_of_all;
    return begin(log);
}

static int coll_finalize(void *context) {
    REQUIRE(context == &context_of_all, "finalize: %p is no context", context);
    return SUCCESS;
}
#else
static int coll_init(logger *log) {
    return begin(log);
}
#endif

static int coll_devices(int *count) {
    *count = 1;
    return SUCCESS;
}

static int coll_get_properties(int device, struct properties *properties) {
    REQUIRE(device == 0, "getProperties: there is no device %d", device);
    *properties = (struct properties) {.name = "shared0", .guid = 1, .ptr_support = PTR_HOST, .speed = 10000,
                                       .max_comms = 1024, .max_recvs = 1};
#if NET_VERSION >= 9
    properties->max_coll_bytes = CALL_BYTES;
#endif
    return SUCCESS;
}

static int coll_reduce_support(int type, int reduction, int *supported) {
    *supported = type >= 0 && type <= 8 && type != 6 && reduction >= 0 && reduction <= MAX_REDUCTION;
    return SUCCESS;
}

/* ---- listen and connect ---- */

static int coll_listen(CONTEXT int device, void *handle, void **out) {
#if NET_VERSION >= 11
    REQUIRE(context == &context_of_all, "listen: %p is no context", context);
#endif
    REQUIRE(device == 0, "listen: there is no device %d", device);
    struct listener *listener = calloc(1, sizeof(*listener));
    listener->fd = memfd_create("proxyrt-coll", MFD_CLOEXEC);
    if (listener->fd < 0 || ftruncate(listener->fd, sizeof(struct shared)) != 0) {
        WARN("listen: no memory can be had: %s", strerror(errno));
        free(listener);
        return SYSTEM_ERROR;
    }
    snprintf(listener->handle.path, sizeof(listener->handle.path), "/proc/%d/fd/%d", (int) getpid(), listener->fd);
    memcpy(handle, &listener->handle, sizeof(listener->handle));
    *out = listener;
    return SUCCESS;
}

static struct shared *map(const char *path) {
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *memory = fd < 0 ? MAP_FAILED
            : mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) {
        close(fd);
    }
    return memory == MAP_FAILED ? NULL : memory;
}

static bool await_all(struct shared *shared, int ranks) {
    struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < CONNECT_SECONDS * 1000 && atomic_load(&shared->there) < ranks; i++) {
        nanosleep(&pause, NULL);
    }
    return atomic_load(&shared->there) == ranks;
}

/* Blocks until all are there, as SHARP's does. */
static int coll_connect(void *handles[], int ranks, int rank, void *listen_comm, void **out) {
    struct listener *listener = listen_comm;
    REQUIRE(ranks <= MAX_RANKS && rank >= 0 && rank < ranks, "connect: rank %d of %d", rank, ranks);
    REQUIRE(memcmp(handles[rank], &listener->handle, sizeof(struct handle)) == 0, "connect: another's listener");
    struct handle first;
    memcpy(&first, handles[0], sizeof(first));
    first.path[sizeof(first.path) - 1] = 0;
    struct shared *shared = map(first.path);
    if (shared == NULL) {
        WARN("connect: %s: %s", first.path, strerror(errno));
        return REMOTE_ERROR;
    }
    atomic_fetch_add(&shared->there, 1);
    if (!await_all(shared, ranks)) {
        WARN("connect: %d of %d participants came", atomic_load(&shared->there), ranks);
        munmap(shared, sizeof(*shared));
        return REMOTE_ERROR;
    }
    struct coll *coll = calloc(1, sizeof(*coll));
    coll->shared = shared;
    coll->ranks = ranks;
    coll->rank = rank;
    *out = coll;
    return SUCCESS;
}

static int coll_close_listen(void *listen_comm) {
    struct listener *listener = listen_comm;
    close(listener->fd);
    free(listener);
    return SUCCESS;
}

static int coll_close(void *comm) {
    struct coll *coll = comm;
    atomic_store(&coll->shared->gone, 1);
    munmap(coll->shared, sizeof(*coll->shared));
    free(coll);
    return SUCCESS;
}

/* ---- registrations ---- */

static int coll_reg_mr(void *comm, void *data, region_size bytes, int type, void **mhandle) {
    struct coll *coll = comm;
    REQUIRE(type == PTR_HOST && data != NULL && bytes > 0, "regMr: type %d, %p", type, data);
    for (int i = 0; i < MAX_REGIONS; i++) {
        if (coll->regions[i].begin == NULL) {
            coll->regions[i] = (struct region) {data, bytes};
            *mhandle = &coll->regions[i];
            return SUCCESS;
        }
    }
    WARN("regMr: %d regions are registered", MAX_REGIONS);
    return INTERNAL_ERROR;
}

static int coll_dereg_mr(void *comm, void *mhandle) {
    struct coll *coll = comm;
    struct region *region = mhandle;
    REQUIRE(region >= coll->regions && region < coll->regions + MAX_REGIONS && region->begin != NULL,
            "deregMr: %p is not registered", mhandle);
    region->begin = NULL;
    return SUCCESS;
}

static bool is_registered(struct coll *coll, void *mhandle, void *address, size_t bytes) {
    struct region *region = mhandle;
    return region >= coll->regions && region < coll->regions + MAX_REGIONS && region->begin != NULL
            && (char *) address >= region->begin && (char *) address + bytes <= region->begin + region->bytes;
}

/* ---- calls ---- */

static const int type_bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8};

static bool is_gone(struct coll *coll) {
    if (atomic_load(&coll->shared->gone)) {
        WARN("a participant has closed its comm");
        return true;
    }
    return false;
}

/* Whether all have taken what was in a slot that is to be used again. */
static bool is_free(struct coll *coll) {
    for (int rank = 0; rank < coll->ranks; rank++) {
        if (atomic_load_explicit(&coll->shared->members[rank].taken, memory_order_acquire) + CALLS <= coll->posted) {
            return false;
        }
    }
    return true;
}

static int post(struct coll *coll, struct call call, const void *from, size_t bytes, void *to, void **out) {
    REQUIRE(call.bytes <= CALL_BYTES, "a call of %ld bytes", (long) call.bytes);
    *out = NULL;
    if (is_gone(coll)) {
        return REMOTE_ERROR;
    }
    if (!is_free(coll)) {
        return SUCCESS;
    }
    int slot = coll->posted % CALLS;
    memcpy(coll->shared->data[coll->rank][slot], from, bytes);
    coll->shared->members[coll->rank].calls[slot] = call;
    coll->requests[slot] = (struct request) {coll, coll->posted, call, to};
    coll->posted++;
    atomic_store_explicit(&coll->shared->members[coll->rank].posted, coll->posted, memory_order_release);
    *out = &coll->requests[slot];
    return SUCCESS;
}

static int coll_iallreduce(void *comm, void *send, void *recv, element_count count, int type, int reduction,
                           void *send_mhandle, void *recv_mhandle, void **request) {
    int supported;
    coll_reduce_support(type, reduction, &supported);
    REQUIRE(supported && count > 0, "iallreduce: type %d, reduction %d", type, reduction);
    size_t bytes = (size_t) count * type_bytes[type];
    REQUIRE(is_registered(comm, send_mhandle, send, bytes) && is_registered(comm, recv_mhandle, recv, bytes),
            "iallreduce: memory is not registered");
    struct call call = {ALL_REDUCE, type, reduction, bytes, 0, bytes};
    return post(comm, call, send, bytes, recv, request);
}

/* Where a part begins within the window. */
static int64_t begin_of(const struct call *call, int rank) {
    int64_t at = rank * call->per_rank - call->offset;
    return at < 0 ? 0 : at > call->bytes ? call->bytes : at;
}

#if NET_VERSION >= 8
static int coll_iallgather(void *comm, void *send, int parts, struct part *recv, size_t per_rank, size_t offset,
                           size_t bytes, void *send_mhandle, void **request) {
    struct coll *coll = comm;
    struct call call = {ALL_GATHER, 0, 0, per_rank, offset, bytes};
    REQUIRE(parts == 1 && recv->size == bytes && is_registered(coll, recv->mhandle, recv->address, bytes),
            "iallgather: %d parts", parts);
    size_t own = begin_of(&call, coll->rank + 1) - begin_of(&call, coll->rank);
    REQUIRE(is_registered(coll, send_mhandle, send, own), "iallgather: memory is not registered");
    return post(coll, call, send, own, recv->address, request);
}

static int coll_ireducescatter(void *comm, int parts, struct part *send, void *recv, size_t per_rank, size_t offset,
                               size_t bytes, int type, int reduction, void *recv_mhandle, void **request) {
    struct coll *coll = comm;
    struct call call = {REDUCE_SCATTER, type, reduction, per_rank, offset, bytes};
    int supported;
    coll_reduce_support(type, reduction, &supported);
    REQUIRE(supported && bytes % type_bytes[type] == 0, "ireducescatter: type %d, reduction %d", type, reduction);
    REQUIRE(parts == 1 && send->size == bytes && is_registered(coll, send->mhandle, send->address, bytes),
            "ireducescatter: %d parts", parts);
    size_t own = begin_of(&call, coll->rank + 1) - begin_of(&call, coll->rank);
    REQUIRE(is_registered(coll, recv_mhandle, recv, own), "ireducescatter: memory is not registered");
    return post(coll, call, send->address, bytes, recv, request);
}
#endif

/* Memory may begin anywhere. */
#define COMBINE(T, U) \
    for (int64_t i = 0; i < bytes / (int64_t) sizeof(T); i++) { \
        typedef T __attribute__((aligned(1))) anywhere; \
        T a = ((anywhere *) to)[i], b = ((const anywhere *) from)[i]; \
        ((anywhere *) to)[i] = reduction == 0 ? (T) ((U) a + (U) b) : reduction == 1 ? (T) ((U) a * (U) b) \
                : reduction == 2 ? (a > b ? a : b) : a < b ? a : b; \
    } \
    break

static void combine(char *to, const char *from, int64_t bytes, int type, int reduction) {
    switch (type) {
    case 0: COMBINE(int8_t, unsigned);
    case 1: COMBINE(uint8_t, unsigned);
    case 2: COMBINE(int32_t, uint32_t);
    case 3: COMBINE(uint32_t, uint32_t);
    case 4: COMBINE(int64_t, uint64_t);
    case 5: COMBINE(uint64_t, uint64_t);
    case 7: COMBINE(float, float);
    default: COMBINE(double, double);
    }
}

static void take(struct coll *coll, struct request *request) {
    const struct call *call = &request->call;
    int slot = request->number % CALLS;
    int64_t first = call->function == REDUCE_SCATTER ? begin_of(call, coll->rank) : 0;
    int64_t end = call->function == REDUCE_SCATTER ? begin_of(call, coll->rank + 1) : call->bytes;
    for (int rank = 0; rank < coll->ranks; rank++) {
        const char *data = coll->shared->data[rank][slot];
        if (call->function == ALL_GATHER) {
            memcpy(request->to + begin_of(call, rank), data, begin_of(call, rank + 1) - begin_of(call, rank));
        } else if (rank == 0) {
            memcpy(request->to, data + first, end - first);
        } else {
            combine(request->to, data + first, end - first, call->type, call->reduction);
        }
    }
}

static int coll_test(void *asked, int *done, int *size) {
    struct request *request = asked;
    struct coll *coll = request->coll;
    int slot = request->number % CALLS;
    REQUIRE(request->number == coll->taken, "test: request %ld is not the oldest, which is %ld", request->number,
            coll->taken);
    *done = 0;
    for (int rank = 0; rank < coll->ranks; rank++) {
        if (atomic_load_explicit(&coll->shared->members[rank].posted, memory_order_acquire) <= request->number) {
            return is_gone(coll) ? REMOTE_ERROR : SUCCESS;
        }
        if (memcmp(&coll->shared->members[rank].calls[slot], &request->call, sizeof(request->call)) != 0) {
            WARN("call %ld of rank %d is not that of rank %d", request->number, rank, coll->rank);
            return INVALID_USAGE;
        }
    }
    take(coll, request);
    coll->taken++;
    atomic_store_explicit(&coll->shared->members[coll->rank].taken, coll->taken, memory_order_release);
    *done = 1;
    if (size != NULL) {
        *size = (int) request->call.bytes;
    }
    return SUCCESS;
}

#if NET_VERSION >= 9
static int coll_make_virtual_device(int *device, void *properties) {
    (void) device;
    (void) properties;
    return INVALID_USAGE;
}
#endif

struct coll_table {
    const char *name;
    __typeof__(&coll_init) init;
    __typeof__(&coll_devices) devices;
    __typeof__(&coll_get_properties) get_properties;
    __typeof__(&coll_listen) listen;
    __typeof__(&coll_connect) connect;
    __typeof__(&coll_reduce_support) reduce_support;
    __typeof__(&coll_reg_mr) reg_mr;
    void *reg_mr_dma_buf;
    __typeof__(&coll_dereg_mr) dereg_mr;
    __typeof__(&coll_iallreduce) iallreduce;
#if NET_VERSION >= 8
    __typeof__(&coll_iallgather) iallgather;
    __typeof__(&coll_ireducescatter) ireducescatter;
#endif
    void *iflush;
    __typeof__(&coll_test) test;
    __typeof__(&coll_close) close_coll;
    __typeof__(&coll_close_listen) close_listen;
#if NET_VERSION >= 9
    __typeof__(&coll_make_virtual_device) make_virtual_device;
#endif
#if NET_VERSION >= 11
    __typeof__(&coll_finalize) finalize;
#endif
};

_Static_assert(sizeof(struct coll_table) == BY_VERSION(120, 120, 136, 144, 144, 152, 152), "table");
IS_AT(coll_table, iallreduce, 80);
IS_AT(coll_table, test, BY_VERSION(96, 96, 112, 112, 112, 112, 112));
IS_AT(coll_table, close_listen, BY_VERSION(112, 112, 128, 128, 128, 128, 128));

#define TABLE(version) TABLE_OF(version)
#define TABLE_OF(version) ncclCollNetPlugin_v##version

__attribute__((visibility("default"))) const struct coll_table TABLE(NET_VERSION) = {
    .name = "Shared",
    .init = coll_init,
    .devices = coll_devices,
    .get_properties = coll_get_properties,
    .listen = coll_listen,
    .connect = coll_connect,
    .reduce_support = coll_reduce_support,
    .reg_mr = coll_reg_mr,
    .dereg_mr = coll_dereg_mr,
    .iallreduce = coll_iallreduce,
#if NET_VERSION >= 8
    .iallgather = coll_iallgather,
    .ireducescatter = coll_ireducescatter,
#endif
    .test = coll_test,
    .close_coll = coll_close,
    .close_listen = coll_close_listen,
#if NET_VERSION >= 9
    .make_virtual_device = coll_make_virtual_device,
#endif
#if NET_VERSION >= 11
    .finalize = coll_finalize,
#endif
};
