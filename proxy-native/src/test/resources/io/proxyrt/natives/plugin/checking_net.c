/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */

/*
 * A plug-in of interface version V that moves nothing: it checks that arguments arrive where a plug-in of that version
 * expects them, and gives back numbers by which a test knows.
 */
#include <float.h>
#include <pthread.h>
#include <stdio.h>

#include "checking.h"

#define NAME_(v) ncclNetPlugin_v##v
#define NAME(v) NAME_(v)

typedef int (*profiler)(void **event, int type, void *parent, int64_t plugin, void *data);
typedef struct { int traffic_class; } config;
typedef struct { int ndevs; int devs[V >= 12 ? 8 : 4]; } virtual_device;

typedef struct {
    char *name;
    char *pciPath;
    uint64_t guid;
    int ptrSupport;
#if V >= 8
    int regIsGlobal;
#endif
#if V >= 9
    int forceFlush;
#endif
    int speed;
    int port;
    float latency;
    int maxComms;
    int maxRecvs;
#if V >= 7
    int netDeviceType;
    int netDeviceVersion;
#endif
#if V >= 9
    virtual_device vProps;
    size_t maxP2pBytes;
    size_t maxCollBytes;
#endif
#if V >= 11
    int maxMultiRequestSize;
#endif
#if V >= 12
    int16_t railId;
    int16_t planeId;
#endif
} properties;

#if V >= 9
typedef size_t bytes;
#else
typedef int bytes;
#endif

#define SENDER P(0x1000000010)
#define RECEIVER P(0x1100000010)

static profiler profile;
static int consumed;

static int check_profiler(profiler callback) {
    void *event = P(1);
    profile = callback;
    CHECK(profile(&event, 0, NULL, 1L << 40, NULL) == 0);
    return 0;
}

#if V >= 11
static int init(void **context, uint64_t id, config *with, logger log, profiler callback) {
    int result = begin(log);
    CHECK(with->traffic_class == -1);
    CHECK(id == 0);
    *context = CONTEXT;
    return result != 0 ? result : check_profiler(callback);
}
#elif V >= 10
static int init(logger log, profiler callback) {
    int result = begin(log);
    return result != 0 ? result : check_profiler(callback);
}
#else
static int init(logger log) {
    return begin(log);
}
#endif

static int devices(int *count) {
    BEGIN;
    *count = inits * 100 + finals * 10 + consumed;
    return 0;
}

static void *from_a_thread(void *unused) {
    (void) unused;
    say(2, ~0UL, "thread", 1, "%d by a thread of the plug-in", 9);
    return NULL;
}

/* Logs something for each number. */
static void log_case(int number) {
    char large[6000];
    pthread_t thread;
    switch (number) {
    case 0: say(2, 1, "f", 1, "plain, 100 percent"); break;
    case 1: say(2, 1, "f", 1, "%d %s %ld", -1, "two", 3L << 40); break;
    case 2: say(2, 1, "f", 1, "%d %d %d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12); break;
    case 3: say(2, 1, "f", 1, "%.1f %g %d", 1.5, -2.25, 3); break;
    case 4: say(2, 1, "f", 1, "%d %.1f %.1f %.1f %s %.1f %.1f %.1f %.1f %.1f %.1f %.1f %d", 0, 1.5, 2.5, 3.5, "four",
            5.5, 6.5, 7.5, 8.5, 9.5, 10.5, 11.5, 12); break;
    case 5: say(2, 1, "f", 1, "%zu %lld %x", SIZE_MAX, (long long) INT64_MIN, 0xbeef); break;
    case 6: say(2, 1, "f", 1, "[%*d] [%.*s] [%5.1f%%]", 4, 7, 3, "abcdef", 99.5); break;
    case 7: say(2, 1, "f", 1, "%s", "\xc3\xbc"); break;
    case 8:
        memset(large, 'x', sizeof large - 1);
        large[sizeof large - 1] = 0;
        say(2, 1, "f", 1, "%s", large);
        break;
    case 9:
        pthread_create(&thread, NULL, from_a_thread, NULL);
        pthread_join(thread, NULL);
        break;
    case 10: say(2, 1, NULL, 1, "%d without a file", 1); break;
    case 11: say(2, 1, "f", 1, NULL); break;
    case 12: say(2, 1, "f", 1, "%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", 1, 2, 3, 4, 5, 6,
            7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2); break;
    default: break;
    }
}

static int getProperties(int dev, properties *out) {
    BEGIN;
    log_case(dev);
    if (dev == 100) {
        return 0;
    }
    *out = (properties) { .name = "check0", .pciPath = "/sys/check", .guid = ~5UL, .ptrSupport = 5, .speed = 123456,
        .port = 3, .latency = 1.5, .maxComms = 777, .maxRecvs = 6 };
#if V >= 7
    out->netDeviceType = 1;
    out->netDeviceVersion = 7;
#endif
#if V >= 8
    out->regIsGlobal = 1;
#endif
#if V >= 9
    out->forceFlush = 2;
    out->vProps.ndevs = 4;
    out->maxP2pBytes = 1UL << 40;
    out->maxCollBytes = 1UL << 41;
#endif
#if V >= 11
    out->maxMultiRequestSize = 9;
#endif
#if V >= 12
    out->railId = 8;
#endif
    return 0;
}

#if V >= 11
#define IN_CONTEXT void *context,
#define CHECK_CONTEXT CHECK(context == CONTEXT)
#else
#define IN_CONTEXT
#define CHECK_CONTEXT do { } while (0)
#endif

static int listen_at(IN_CONTEXT int dev, void *handle, void **comm) {
    BEGIN;
    CHECK_CONTEXT;
    CHECK(dev == 2);
    memset(handle, 0x5a, 128);
    *comm = LISTENER;
    return 0;
}

#if V >= 7
#define DEVICE_HANDLE , void **device_handle
#define CHECK_DEVICE_HANDLE do { CHECK(*device_handle == NULL); *device_handle = P(1); } while (0)
#else
#define DEVICE_HANDLE
#define CHECK_DEVICE_HANDLE do { } while (0)
#endif

/* Gives nothing the first time, and keeps that in the handle. */
static int connect_to(IN_CONTEXT int dev,
#if V == 10
        config *with,
#endif
        void *handle, void **comm DEVICE_HANDLE) {
    BEGIN;
    CHECK_CONTEXT;
#if V == 10
    CHECK(with->traffic_class == -1);
#endif
    CHECK(dev == 2);
    CHECK(*comm == NULL);
    CHECK_DEVICE_HANDLE;
    unsigned char *state = handle;
    CHECK(state[0] == 0x5a && state[127] == 0x5a);
    if (state[64]++ > 0x5a) {
        *comm = SENDER;
    }
    return 0;
}

static int accept_from(void *listener, void **comm DEVICE_HANDLE) {
    BEGIN;
    CHECK(listener == LISTENER);
    CHECK(*comm == NULL);
    CHECK_DEVICE_HANDLE;
    *comm = RECEIVER;
    return 0;
}

#if V >= 8
typedef size_t mr_bytes;
#else
typedef int mr_bytes;
#endif

static int regMr(void *comm, void *data, mr_bytes size, int type, void **mhandle) {
    BEGIN;
    CHECK(comm == SENDER || comm == RECEIVER);
    CHECK(data == P(0x2000000020));
    CHECK(size == (V >= 8 ? (mr_bytes) 0x300000003 : 1000));
    CHECK(type == 1);
    *mhandle = MHANDLE;
    return 0;
}

static int regMrDmaBuf(void *comm, void *data, size_t size, int type, uint64_t offset, int fd, void **mhandle) {
    BEGIN;
    CHECK(comm == SENDER);
    CHECK(data == P(0x2000000020));
    CHECK(size == 0x300000003);
    CHECK(type == 2);
    CHECK(offset == 0x400000004);
    CHECK(fd == 11);
    *mhandle = MHANDLE;
    return 0;
}

static int deregMr(void *comm, void *mhandle) {
    BEGIN;
    CHECK(comm == SENDER && mhandle == MHANDLE);
    return 0;
}

#if V >= 10
#define PHANDLE , void *phandle
#define PHANDLES , void **phandles
#define CHECK_PHANDLE CHECK(phandle == NULL)
#define CHECK_PHANDLES CHECK(phandles[0] == NULL && phandles[7] == NULL)
#else
#define PHANDLE
#define PHANDLES
#define CHECK_PHANDLE do { } while (0)
#define CHECK_PHANDLES do { } while (0)
#endif

static int isend(void *comm, void *data, bytes size, int tag, void *mhandle PHANDLE, void **request) {
    BEGIN;
    CHECK(comm == SENDER);
    CHECK(data == P(0x2000000020));
    CHECK(size == (V >= 9 ? (bytes) 0x300000003 : 1000));
    CHECK(tag == -7);
    CHECK(mhandle == MHANDLE);
    CHECK_PHANDLE;
    *request = REQUEST;
    return 0;
}

static int irecv(void *comm, int n, void **data, bytes *sizes, int *tags, void **mhandles PHANDLES, void **request) {
    BEGIN;
    CHECK(comm == RECEIVER);
    CHECK(n == 8);
    for (int i = 0; i < n; i++) {
        CHECK(data[i] == P(0x2000000020 + i));
        CHECK(sizes[i] == (V >= 9 ? (bytes) 0x300000003 : 1000) + i);
        CHECK(tags[i] == -i);
        CHECK(mhandles[i] == P(0x3000000030 + i));
    }
    CHECK_PHANDLES;
    CHECK(*request == P(V >= 9 ? 1 : 0));
    *request = REQUEST;
    return 0;
}

static int iflush(void *comm, int n, void **data, int *sizes, void **mhandles, void **request) {
    BEGIN;
    CHECK(comm == RECEIVER && n == 2);
    CHECK(data[1] == P(0x2000000021) && mhandles[1] == P(0x3000000031));
    CHECK(sizes[0] == 1000 && sizes[1] == 1001);
    *request = NULL;
    return 0;
}

static int test(void *request, int *done, int *sizes) {
    BEGIN;
    CHECK(request == REQUEST);
    CHECK(*done == 0 && sizes[0] == -1 && sizes[7] == -1);
    *done = 1;
    sizes[0] = 12;
    sizes[7] = 34;
    return 0;
}

static int closeSend(void *comm) {
    BEGIN;
    CHECK(comm == SENDER);
    return 0;
}

static int closeRecv(void *comm) {
    BEGIN;
    CHECK(comm == RECEIVER);
    return 0;
}

#if V >= 7
static int getDeviceMr(void *comm, void *mhandle, void **device) {
    (void) comm;
    (void) mhandle;
    (void) device;
    return 3;
}

static int irecvConsumed(void *comm, int n, void *request) {
    BEGIN;
    CHECK(comm == RECEIVER && n == 3 && request == REQUEST);
    consumed++;
    return 0;
}
#endif

#if V >= 9
static int makeVDevice(int *dev, virtual_device *with) {
    (void) dev;
    (void) with;
    return 3;
}
#endif

#if V >= 11
static int setNetAttr(void *context, void *attributes) {
    (void) context;
    (void) attributes;
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
    SLOT(connect_to);
    SLOT(accept_from);
    SLOT(regMr);
    SLOT(regMrDmaBuf);
    SLOT(deregMr);
    SLOT(isend);
    SLOT(irecv);
    SLOT(iflush);
    SLOT(test);
    SLOT(closeSend);
    SLOT(closeRecv);
    SLOT(closeListen);
#if V >= 7
    SLOT(getDeviceMr);
    SLOT(irecvConsumed);
#endif
#if V >= 9
    SLOT(makeVDevice);
#endif
#if V >= 11
    SLOT(finalize);
    SLOT(setNetAttr);
#endif
} net;

#ifndef WITHOUT
#define WITHOUT .name = "Checking"
#endif

#ifdef FILLING
#define TABLE static const net full
#else
#define TABLE const net NAME(V)
#endif

TABLE = { "Checking", init, devices, getProperties, listen_at, connect_to, accept_from, regMr, regMrDmaBuf,
    deregMr, isend, irecv, iflush, test, closeSend, closeRecv, closeListen,
#if V >= 7
    getDeviceMr, irecvConsumed,
#endif
#if V >= 9
    makeVDevice,
#endif
#if V >= 11
    finalize, setNetAttr,
#endif
    WITHOUT };

/* As NVIDIA's plug-in for SHARP does: the table is filled when it is initialized. Before version 10. */
#ifdef FILLING
static int fill(logger log);
net NAME(V) = { .name = "Empty", .init = fill };

static int fill(logger log) {
    NAME(V) = full;
    return init(log);
}
#endif

#ifdef OLDER
const net NAME(OLDER) = { .name = "Older" };
#endif
