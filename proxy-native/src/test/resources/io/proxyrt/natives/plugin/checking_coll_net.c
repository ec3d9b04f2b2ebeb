/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* Collectives of interface version V that check their arguments. */

#include "checking.h"

#define NAME_(v) ncclCollNetPlugin_v##v
#define NAME(v) NAME_(v)

#if V >= 9
typedef size_t elements;
#else
typedef int elements;
#endif
#if V >= 8
typedef size_t region_bytes;
#else
typedef int region_bytes;
#endif

typedef struct {
    void *mhandle;
    void *address;
#if V == 8
    uint32_t size;
#else
    size_t size;
#endif
} part;

/* The first fields. The caller has room for those of any version. */
typedef struct {
    char *name;
    char *path;
    uint64_t guid;
    int pointers;
} properties;

#define COLL P(0x1000000010)

#if V >= 11
static int init(void **context, uint64_t id, logger log) {
    int result = begin(log);
    CHECK(id == 0);
    *context = CONTEXT;
    return result;
}
#else
static int init(logger log) {
    return begin(log);
}
#endif

static int devices(int *count) {
    BEGIN;
    *count = inits * 10 + finals;
    return 0;
}

static int getProperties(int dev, properties *out) {
    BEGIN;
    CHECK(dev == 1);
    *out = (properties) { .name = "tree0", .guid = 77, .pointers = 1 };
#if V >= 9
    *(size_t *) ((char *) out + (V >= 12 ? 112 : 96)) = 1UL << 33;
#endif
    return 0;
}

#if V >= 11
static int listen_at(void *context, int dev, void *handle, void **comm) {
    BEGIN;
    CHECK(context == CONTEXT);
#else
static int listen_at(int dev, void *handle, void **comm) {
    BEGIN;
#endif
    CHECK(dev == 1);
    memset(handle, 0x5a, 128);
    *comm = LISTENER;
    return 0;
}

static int connect_all(void *handles[], int ranks, int rank, void *listener, void **comm) {
    BEGIN;
    CHECK(ranks == 3 && rank == 2 && listener == LISTENER);
    for (int i = 0; i < ranks; i++) {
        CHECK(((unsigned char *) handles[i])[0] == i && ((unsigned char *) handles[i])[127] == 10 + i);
    }
    *comm = COLL;
    return 0;
}

static int reduceSupport(int type, int op, int *supported) {
    BEGIN;
    *supported = type == 7 && op == 3;
    return 0;
}

static int regMr(void *comm, void *data, region_bytes size, int type, void **mhandle) {
    BEGIN;
    CHECK(comm == COLL && data == P(0x2000000020) && type == 1);
    CHECK(size == (V >= 8 ? (region_bytes) 0x300000003 : 1000));
    *mhandle = MHANDLE;
    return 0;
}

static int regMrDmaBuf(void *comm, void *data, size_t size, int type, uint64_t offset, int fd, void **mhandle) {
    BEGIN;
    CHECK(comm == COLL && data == P(0x2000000020) && size == 0x300000003 && type == 2);
    CHECK(offset == 0x400000004 && fd == 11);
    *mhandle = MHANDLE;
    return 0;
}

static int deregMr(void *comm, void *mhandle) {
    BEGIN;
    CHECK(comm == COLL && mhandle == MHANDLE);
    return 0;
}

static int iallreduce(void *comm, void *send, void *recv, elements count, int type, int op, void *sendMhandle,
        void *recvMhandle, void **request) {
    BEGIN;
    CHECK(comm == COLL && send == P(0x2000000020) && recv == P(0x2100000020));
    CHECK(count == (V >= 9 ? (elements) 0x300000003 : 1000));
    CHECK(type == 7 && op == 3);
    CHECK(sendMhandle == MHANDLE && recvMhandle == P(0x3100000030));
    *request = REQUEST;
    return 0;
}

#if V >= 8
static int check_parts(int n, part *parts) {
    CHECK(n == 2);
    for (int i = 0; i < n; i++) {
        CHECK(parts[i].mhandle == P(0x3000000030 + i) && parts[i].address == P(0x2000000020 + i));
        CHECK(parts[i].size == 500U + i);
    }
    return 0;
}

static int iallgather(void *comm, void *send, int n, part *parts, size_t perRank, size_t offset, size_t window,
        void *mhandle, void **request) {
    BEGIN;
    CHECK(comm == COLL && send == P(0x2100000020) && check_parts(n, parts) == 0);
    CHECK(perRank == 0x300000003 && offset == 0x300000004 && window == 0x300000005);
    CHECK(mhandle == P(0x3100000030));
    *request = REQUEST;
    return 0;
}

static int ireducescatter(void *comm, int n, part *parts, void *recv, size_t perRank, size_t offset, size_t window,
        int type, int op, void *mhandle, void **request) {
    BEGIN;
    CHECK(comm == COLL && recv == P(0x2100000020) && check_parts(n, parts) == 0);
    CHECK(perRank == 0x300000003 && offset == 0x300000004 && window == 0x300000005);
    CHECK(type == 7 && op == 3);
    CHECK(mhandle == P(0x3100000030));
    *request = REQUEST;
    return 0;
}
#endif

static int iflush(void *comm, void *data, int size, void *mhandle, void **request) {
    BEGIN;
    CHECK(comm == COLL && data == P(0x2000000020) && size == 1000 && mhandle == MHANDLE);
    *request = REQUEST;
    return 0;
}

static int test(void *request, int *done, int *size) {
    BEGIN;
    CHECK(request == REQUEST && *done == 0 && *size == -1);
    *done = 1;
    *size = 12;
    return 0;
}

static int closeColl(void *comm) {
    BEGIN;
    CHECK(comm == COLL);
    return 0;
}

#if V >= 9
static int makeVDevice(int *dev, void *with) {
    (void) dev;
    (void) with;
    return 3;
}
#endif

typedef struct {
    const char *name;
#define SLOT(function) __typeof__(&function) function
    SLOT(init);
    SLOT(devices);
    SLOT(getProperties);
    SLOT(listen_at);
    SLOT(connect_all);
    SLOT(reduceSupport);
    SLOT(regMr);
    SLOT(regMrDmaBuf);
    SLOT(deregMr);
    SLOT(iallreduce);
#if V >= 8
    SLOT(iallgather);
    SLOT(ireducescatter);
#endif
    SLOT(iflush);
    SLOT(test);
    SLOT(closeColl);
    SLOT(closeListen);
#if V >= 9
    SLOT(makeVDevice);
#endif
#if V >= 11
    SLOT(finalize);
#endif
} coll_net;

#ifndef WITHOUT
#define WITHOUT .name = "Tree"
#endif

const coll_net NAME(V) = { "Tree", init, devices, getProperties, listen_at, connect_all, reduceSupport, regMr, regMrDmaBuf,
    deregMr, iallreduce,
#if V >= 8
    iallgather, ireducescatter,
#endif
    iflush, test, closeColl, closeListen,
#if V >= 9
    makeVDevice,
#endif
#if V >= 11
    finalize,
#endif
    WITHOUT };
