/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * The table of a plug-in, -DNET_VERSION=6 to 12, over tcp.c. It is strict with what it is given, where a lax caller
 * would fail with some other plug-in: contexts, configurations, places for device handles, hints in requests.
 *
 * A file "fault" beside the library has it misbehave on purpose: one of the names below, and after how many calls.
 */
#include "tcp.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What TcpNetPlugin's Fault explains. */
#define FAULTS(X) \
    X(NO_FAULT) X(ERR_INIT) X(ERR_DEVICES) X(ERR_PROPERTIES) X(ERR_LISTEN) X(ERR_CONNECT) X(ERR_ACCEPT) X(ERR_REG_MR) \
    X(ERR_ISEND) X(ERR_IRECV) X(ERR_IFLUSH) X(ERR_TEST) X(ERR_CLOSE) \
    X(NEVER_CONNECTS) X(NEVER_ACCEPTS) X(NEVER_SENDS) X(NEVER_RECEIVES) X(NEVER_DONE) \
    X(SIZE_TOO_LARGE) X(SIZE_NEGATIVE) X(NO_SIZE) X(NO_LISTENER) X(NO_DEVICES) X(NEGATIVE_DEVICES) \
    X(UNPACK_DEVICE) X(UNKNOWN_DEVICE_TYPE) X(SILLY_PROPERTIES) X(NULL_PCI_PATH) X(NULL_NAME) X(NULL_PLUGIN_NAME) \
    X(SETS_ENVIRONMENT) X(LOGS_FROM_A_THREAD) X(LOGS_A_FLOOD) X(LOGS_JUNK) X(PROFILES)

#define CONSTANT(name) name,
#define TEXT(name) #name,

enum fault { FAULTS(CONSTANT) FAULT_COUNT };

static const char *const fault_names[] = {FAULTS(TEXT)};
static enum fault chosen;
static long chosen_after; /* so many calls of what it is about */

enum { MAX_CONTEXTS = 64, SPEED_MBPS = 10000, MAX_COMMS = 65536, FLOOD_LINES = 20000, THREAD_LINES = 200 };
static void *const JUNK = (void *) 0x1;

static atomic_long calls;

static bool misbehaves(enum fault fault) {
    return chosen == fault && atomic_fetch_add(&calls, 1) >= chosen_after;
}

/* Whether a function is to fail. */
static bool fails(enum fault fault, const char *function) {
    if (!misbehaves(fault)) {
        return false;
    }
    WARN("%s fails on purpose, call %ld", function, atomic_load(&calls));
    return true;
}

/* ---- init ---- */

static void *log_lines(void *unused) {
    for (int i = 0; i < THREAD_LINES; i++) {
        log_to(LOG_INFO, LOG_NET, __func__, __LINE__, "line %d of %s", i, "a thread of the plug-in's own");
    }
    return unused;
}

static void log_from_a_thread(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, log_lines, NULL) == 0) {
        pthread_detach(thread);
    }
}

static void have_side_effects(void) {
    if (chosen == SETS_ENVIRONMENT) {
        setenv("NCCL_PROTO", "none of those there are", 1);
        setenv("NCCL_NET", "another network", 1);
        setenv("PROXYRT_NET", "another network", 1);
    } else if (chosen == LOGS_FROM_A_THREAD) {
        log_from_a_thread();
    } else if (chosen == LOGS_A_FLOOD) {
        for (int i = 0; i < FLOOD_LINES; i++) {
            INFO("line %d of %d", i, FLOOD_LINES);
        }
    } else if (chosen == LOGS_JUNK) {
        log_to(77, ~0UL, NULL, -1, "a level there is not, and a file that is null");
        log_to(LOG_WARN, 0, "", 0, NULL);
        WARN("a line of %4000d digits and %s", 1, "the end");
        WARN("%s", "bytes that are no text: \xff\xfe");
    }
}

static int begin(logger *log) {
    if (log == NULL) {
        return INVALID_ARGUMENT;
    }
    log_to = log;
    if (fails(ERR_INIT, "init")) {
        return SYSTEM_ERROR;
    }
    INFO("TCP over %s, interface %d, %.1f Gb/s, %d messages a receive, %zu bytes a message at most", "loopback",
         NET_VERSION, SPEED_MBPS / 1000.0, MAX_RECVS, (size_t) INT32_MAX);
    have_side_effects();
    return SUCCESS;
}

#if NET_VERSION >= 10
static profiler *profile_to;
#endif

#if NET_VERSION >= 11
static atomic_int contexts[MAX_CONTEXTS];

static int net_init(INIT_ARGUMENTS) {
    int result = begin(log);
    profile_to = profile;
    if (result != SUCCESS) {
        *context = JUNK;
        return result;
    }
    INFO("communicator %llx, traffic class %d", (unsigned long long) comm_id, config->traffic_class);
    for (int i = 0; i < MAX_CONTEXTS; i++) {
        int is_used = 0;
        if (atomic_compare_exchange_strong(&contexts[i], &is_used, 1)) {
            *context = &contexts[i];
            return SUCCESS;
        }
    }
    WARN("init: %d contexts are open, were they finalized?", MAX_CONTEXTS);
    return INTERNAL_ERROR;
}

static int check_context(void *context, const char *function) {
    atomic_int *at = context;
    if (at >= contexts && at < contexts + MAX_CONTEXTS && atomic_load(at) == 1) {
        return SUCCESS;
    }
    WARN("%s: %p is no context", function, context);
    return INVALID_ARGUMENT;
}

static int net_finalize(void *context) {
    int result = check_context(context, "finalize");
    if (result == SUCCESS) {
        atomic_store((atomic_int *) context, 0);
    }
    return result;
}

#define CHECK_CONTEXT(function) check_context(context, function)
#else
static int net_init(INIT_ARGUMENTS) {
#if NET_VERSION == 10
    profile_to = profile;
#endif
    return begin(log);
}

#define CHECK_CONTEXT(function) SUCCESS
#endif

/* ---- devices ---- */

static int net_devices(int *count) {
    if (fails(ERR_DEVICES, "devices")) {
        *count = 1000;
        return SYSTEM_ERROR;
    }
    *count = chosen == NO_DEVICES ? 0 : chosen == NEGATIVE_DEVICES ? -3 : 1;
    return SUCCESS;
}

static void describe(struct properties *properties) {
    properties->name = chosen == NULL_NAME ? NULL : "tcp0";
    properties->pci_path = chosen == NULL_PCI_PATH ? NULL : "/sys/devices/virtual/net/lo";
    properties->guid = 1;
    /* Flushes are for networks that reach memory of GPUs; those that group receives say so. */
    properties->ptr_support = PTR_HOST | (MAX_RECVS > 1 || chosen == ERR_IFLUSH ? PTR_CUDA : 0);
    properties->speed = SPEED_MBPS;
    properties->max_comms = MAX_COMMS;
    properties->max_recvs = MAX_RECVS;
#if NET_VERSION >= 7
    properties->device_type = chosen == UNPACK_DEVICE ? DEVICE_UNPACK : chosen == UNKNOWN_DEVICE_TYPE ? 9 : DEVICE_HOST;
    properties->device_version = chosen == UNPACK_DEVICE ? UNPACK_VERSION : 0;
#endif
#if NET_VERSION >= 9
    properties->ndevs = 1;
    properties->max_p2p_bytes = INT32_MAX; /* test says sizes in an int */
    properties->max_coll_bytes = INT32_MAX;
#endif
#if NET_VERSION >= 11
    properties->max_multi_request_size = 1;
#endif
}

static void describe_silly(struct properties *properties) {
    properties->speed = -1;
    properties->port = -1;
    properties->max_comms = 0;
    properties->max_recvs = 1000000;
#if NET_VERSION >= 9
    properties->ndevs = -1;
    properties->max_p2p_bytes = 0;
#endif
}

static int net_get_properties(int device, struct properties *properties) {
    if (fails(ERR_PROPERTIES, "getProperties")) {
        return SYSTEM_ERROR;
    }
    if (device != 0) {
        WARN("getProperties: there is no device %d", device);
        return INVALID_ARGUMENT;
    }
    memset(properties, 0, sizeof *properties);
    describe(properties);
    if (chosen == SILLY_PROPERTIES) {
        describe_silly(properties);
    }
    return SUCCESS;
}

/* ---- connecting ---- */

static int net_listen(CONTEXT int device, void *handle, void **listener) {
    if (fails(ERR_LISTEN, "listen")) {
        *listener = JUNK;
        return SYSTEM_ERROR;
    }
    if (chosen == NO_LISTENER) {
        *listener = NULL;
        return SUCCESS;
    }
    if (device != 0 || CHECK_CONTEXT("listen") != SUCCESS) {
        return INVALID_ARGUMENT;
    }
    return tcp_listen(handle, (struct listener **) listener);
}

#if NET_VERSION >= 7
static int check_device_handle(void **device_handle, const char *function) {
    if (device_handle == NULL) {
        WARN("%s: no place for a device handle", function);
        return INVALID_ARGUMENT;
    }
    *device_handle = NULL;
    return SUCCESS;
}
#define CHECK_DEVICE_HANDLE(function) check_device_handle(device_handle, function)
#else
#define CHECK_DEVICE_HANDLE(function) SUCCESS
#endif

#if NET_VERSION == 10
#define HAS_CONFIG (config != NULL)
#else
#define HAS_CONFIG true
#endif

static int net_connect(CONTEXT int device, CONFIG void *handle, void **comm DEVICE_HANDLE) {
    if (fails(ERR_CONNECT, "connect")) {
        *comm = JUNK;
        return SYSTEM_ERROR;
    }
    if (chosen == NEVER_CONNECTS) {
        *comm = NULL;
        return SUCCESS;
    }
    if (device != 0 || !HAS_CONFIG || CHECK_CONTEXT("connect") != SUCCESS
        || CHECK_DEVICE_HANDLE("connect") != SUCCESS) {
        WARN("connect: wrong device, configuration, context or place for a device handle");
        return INVALID_ARGUMENT;
    }
    return tcp_connect(handle, (struct comm **) comm);
}

static int net_accept(void *listener, void **comm DEVICE_HANDLE) {
    if (fails(ERR_ACCEPT, "accept")) {
        *comm = JUNK;
        return SYSTEM_ERROR;
    }
    if (chosen == NEVER_ACCEPTS) {
        *comm = NULL;
        return SUCCESS;
    }
    int result = CHECK_DEVICE_HANDLE("accept");
    return result != SUCCESS ? result : tcp_accept(listener, (struct comm **) comm);
}

static int net_close_comm(void *comm) {
    int result = tcp_close(comm);
    return fails(ERR_CLOSE, "close") ? SYSTEM_ERROR : result;
}

static int net_close_listen(void *listener) {
    int result = tcp_close_listener(listener);
    return fails(ERR_CLOSE, "closeListen") ? SYSTEM_ERROR : result;
}

/* ---- memory ---- */

static int net_reg_mr(void *comm, void *data, region_size bytes, int type, void **mhandle) {
    if (fails(ERR_REG_MR, "regMr")) {
        *mhandle = JUNK;
        return SYSTEM_ERROR;
    }
    if (type != PTR_HOST) {
        WARN("regMr: memory of type %d", type);
        return INTERNAL_ERROR;
    }
#ifdef NO_MHANDLES
    (void) comm, (void) data, (void) bytes, (void) mhandle;
    return SUCCESS;
#else
    return tcp_register(comm, data, (size_t) bytes, (struct region **) mhandle);
#endif
}

static int net_dereg_mr(void *comm, void *mhandle) {
#ifdef NO_MHANDLES
    (void) comm, (void) mhandle;
    return SUCCESS;
#else
    return tcp_deregister(comm, mhandle);
#endif
}

/* ---- messages ---- */

#if NET_VERSION >= 10
/* An event that starts and stops. */
static void report(void *parent) {
    void *event = NULL;
    if (chosen == PROFILES && profile_to != NULL) {
        profile_to(&event, 0, parent, 1, NULL);
        profile_to(&event, 1, parent, 1, NULL);
    }
}
#define REPORT() report(phandle)
#else
#define REPORT() ((void) 0)
#endif

static int net_isend(void *comm, void *data, message_size bytes, int tag, void *mhandle, PHANDLE void **request) {
    if (fails(ERR_ISEND, "isend")) {
        *request = JUNK;
        return SYSTEM_ERROR;
    }
    if (misbehaves(NEVER_SENDS)) {
        *request = NULL;
        return SUCCESS;
    }
    REPORT();
    return tcp_send(comm, data, (size_t) bytes, tag, mhandle, (struct request **) request);
}

/* From version 9 on, a request comes with a hint in it; which this network has no use for, as its data need test. */
static bool is_hint(const void *request) {
    return request == NULL || (NET_VERSION >= 9 && request == (void *) OPTIONAL_RECV_COMPLETION);
}

static int net_irecv(void *comm, int n, void **data, message_size *bytes, int *tags, void **mhandles,
                     PHANDLES void **request) {
    if (fails(ERR_IRECV, "irecv")) {
        *request = JUNK;
        return SYSTEM_ERROR;
    }
    if (!is_hint(*request)) {
        WARN("irecv: %p is no hint", *request);
        return INVALID_ARGUMENT;
    }
    if (misbehaves(NEVER_RECEIVES)) {
        *request = NULL;
        return SUCCESS;
    }
    return tcp_receive(comm, n, data, bytes, tags, (struct region **) mhandles, (struct request **) request);
}

static int net_iflush(void *comm, int n, void **data, int *bytes, void **mhandles, void **request) {
    if (fails(ERR_IFLUSH, "iflush")) {
        *request = JUNK;
        return SYSTEM_ERROR;
    }
    return tcp_flush(comm, n, data, bytes, (struct region **) mhandles, (struct request **) request);
}

static int net_test(void *request, int *done, int *sizes) {
    if (request == NULL || fails(ERR_TEST, "test")) {
        return request == NULL ? INTERNAL_ERROR : SYSTEM_ERROR;
    }
    if (chosen == LOGS_A_FLOOD) {
        INFO("test of %p", request);
    }
    if (misbehaves(NEVER_DONE)) {
        *done = 0;
        return SUCCESS;
    }
    int result = tcp_test(request, done, chosen == NO_SIZE ? NULL : sizes);
    if (result == SUCCESS && *done != 0 && sizes != NULL) {
        if (misbehaves(SIZE_TOO_LARGE)) {
            sizes[0] = INT32_MAX;
        } else if (misbehaves(SIZE_NEGATIVE)) {
            sizes[0] = -5;
        }
    }
    return result;
}

/* ---- the table ---- */

#define TABLE(version) TABLE_OF(version)
#define TABLE_OF(version) ncclNetPlugin_v##version

__attribute__((visibility("default"))) struct net_table TABLE(NET_VERSION) = {
    .name = "TCP",
    .init = net_init,
    .devices = net_devices,
    .get_properties = net_get_properties,
    .listen = net_listen,
    .connect = net_connect,
    .accept = net_accept,
    .reg_mr = net_reg_mr,
    .dereg_mr = net_dereg_mr,
    .isend = net_isend,
    .irecv = net_irecv,
    .iflush = net_iflush,
    .test = net_test,
    .close_send = net_close_comm,
    .close_recv = net_close_comm,
    .close_listen = net_close_listen,
#if NET_VERSION >= 11
    .finalize = net_finalize,
#endif
};

/* A name that is none of them fails init, so that it is noticed. */
static enum fault fault_of(const char *name) {
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(fault_names[i], name) == 0) {
            return (enum fault) i;
        }
    }
    return ERR_INIT;
}

__attribute__((constructor)) static void choose_fault(void) {
    Dl_info own;
    char path[PATH_MAX];
    char name[64];
    if (dladdr(&TABLE(NET_VERSION), &own) == 0 || strrchr(own.dli_fname, '/') == NULL) {
        return;
    }
    int folder = (int) (strrchr(own.dli_fname, '/') - own.dli_fname);
    snprintf(path, sizeof path, "%.*s/fault", folder, own.dli_fname);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        chosen = fscanf(file, "%63s %ld", name, &chosen_after) == 2 ? fault_of(name) : ERR_INIT;
        fclose(file);
    }
    if (chosen == NULL_PLUGIN_NAME) {
        TABLE(NET_VERSION).name = NULL;
    }
}
