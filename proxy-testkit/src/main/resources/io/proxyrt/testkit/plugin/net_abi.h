/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * What a network plug-in of NCCL and RCCL exports: the table ncclNetPlugin_vN for N = NET_VERSION, 6 to 12. All
 * functions return a result; offsets and sizes are checked below.
 */
#ifndef PROXYRT_NET_ABI_H
#define PROXYRT_NET_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Numbered as ncclResult_t. */
enum result {
    SUCCESS = 0,
    SYSTEM_ERROR = 2,
    INTERNAL_ERROR = 3,
    INVALID_ARGUMENT = 4,
    INVALID_USAGE = 5,
    REMOTE_ERROR = 6,
    IN_PROGRESS = 7
};

enum log_level { LOG_WARN = 2, LOG_INFO = 3 };

enum {
    HANDLE_BYTES = 128,
    LOG_NET = 0x10,
    PTR_HOST = 1,
    PTR_CUDA = 2,
    DEVICE_HOST = 0,
    DEVICE_UNPACK = 1,
    UNPACK_VERSION = 7,
    OPTIONAL_RECV_COMPLETION = 1,
    DEVICES_PER_NIC = NET_VERSION >= 12 ? 8 : 4
};

typedef void logger(int level, unsigned long subsystem, const char *file, int line, const char *format, ...);
typedef int profiler(void **event, int type, void *parent, int64_t plugin, void *data);

#if NET_VERSION >= 8
typedef size_t region_size;
#else
typedef int region_size;
#endif

#if NET_VERSION >= 9
typedef size_t message_size;
#else
typedef int message_size;
#endif

/* Arguments that not all versions have. */
#if NET_VERSION >= 11
#define CONTEXT void *context,
#define INIT_ARGUMENTS void **context, uint64_t comm_id, struct comm_config *config, logger *log, profiler *profile
#elif NET_VERSION == 10
#define CONTEXT
#define INIT_ARGUMENTS logger *log, profiler *profile
#else
#define CONTEXT
#define INIT_ARGUMENTS logger *log
#endif

#if NET_VERSION == 10
#define CONFIG struct comm_config *config,
#else
#define CONFIG
#endif

#if NET_VERSION >= 10
#define PHANDLE void *phandle,
#define PHANDLES __attribute__((unused)) void **phandles,
#else
#define PHANDLE
#define PHANDLES
#endif

#if NET_VERSION >= 7
#define DEVICE_HANDLE , void **device_handle
#else
#define DEVICE_HANDLE
#endif

struct comm_config {
    int traffic_class;
};

struct properties {
    const char *name;
    const char *pci_path;
    uint64_t guid;
    int ptr_support;
#if NET_VERSION >= 8
    int reg_is_global;
#endif
#if NET_VERSION >= 9
    int force_flush;
#endif
    int speed;
    int port;
    float latency;
    int max_comms;
    int max_recvs;
#if NET_VERSION >= 7
    int device_type;
    int device_version;
#endif
#if NET_VERSION >= 9
    int ndevs;
    int devs[DEVICES_PER_NIC];
    size_t max_p2p_bytes;
    size_t max_coll_bytes;
#endif
#if NET_VERSION >= 11
    int max_multi_request_size;
#endif
#if NET_VERSION >= 12
    int16_t rail;
    int16_t plane;
#endif
};

struct net_table {
    const char *name;
    int (*init)(INIT_ARGUMENTS);
    int (*devices)(int *count);
    int (*get_properties)(int device, struct properties *properties);
    int (*listen)(CONTEXT int device, void *handle, void **listener);
    int (*connect)(CONTEXT int device, CONFIG void *handle, void **comm DEVICE_HANDLE);
    int (*accept)(void *listener, void **comm DEVICE_HANDLE);
    int (*reg_mr)(void *comm, void *data, region_size bytes, int type, void **mhandle);
    int (*reg_mr_dma_buf)(void *comm, void *data, size_t bytes, int type, uint64_t offset, int fd, void **mhandle);
    int (*dereg_mr)(void *comm, void *mhandle);
    int (*isend)(void *comm, void *data, message_size bytes, int tag, void *mhandle, PHANDLE void **request);
    int (*irecv)(void *comm, int n, void **data, message_size *bytes, int *tags, void **mhandles,
                 PHANDLES void **request);
    int (*iflush)(void *comm, int n, void **data, int *bytes, void **mhandles, void **request);
    int (*test)(void *request, int *done, int *sizes);
    int (*close_send)(void *comm);
    int (*close_recv)(void *comm);
    int (*close_listen)(void *listener);
#if NET_VERSION >= 7
    int (*get_device_mr)(void *comm, void *mhandle, void **device_mhandle);
    int (*irecv_consumed)(void *comm, int n, void *request);
#endif
#if NET_VERSION >= 9
    int (*make_virtual_device)(int *device, void *properties);
#endif
#if NET_VERSION >= 11
    int (*finalize)(void *context);
    int (*set_net_attributes)(void *context, void *attributes);
#endif
};

#define IS_AT(type, member, offset) _Static_assert(offsetof(struct type, member) == (offset), #member)
#define BY_VERSION(v6, v7, v8, v9, v10, v11, v12) \
    (NET_VERSION == 6 ? (v6) : NET_VERSION == 7 ? (v7) : NET_VERSION == 8 ? (v8) : NET_VERSION == 9 ? (v9) \
     : NET_VERSION == 10 ? (v10) : NET_VERSION == 11 ? (v11) : (v12))

_Static_assert(NET_VERSION >= 6 && NET_VERSION <= 12, "-DNET_VERSION is 6 to 12");
_Static_assert(sizeof(struct properties) == BY_VERSION(48, 56, 64, 104, 104, 112, 128), "properties");
IS_AT(properties, guid, 16);
IS_AT(properties, ptr_support, 24);
IS_AT(properties, speed, BY_VERSION(28, 28, 32, 36, 36, 36, 36));
IS_AT(properties, latency, BY_VERSION(36, 36, 40, 44, 44, 44, 44));
IS_AT(properties, max_recvs, BY_VERSION(44, 44, 48, 52, 52, 52, 52));
#if NET_VERSION >= 7
IS_AT(properties, device_type, BY_VERSION(0, 48, 52, 56, 56, 56, 56));
#endif
#if NET_VERSION >= 9
IS_AT(properties, ndevs, 64);
IS_AT(properties, max_p2p_bytes, BY_VERSION(0, 0, 0, 88, 88, 88, 104));
#endif
#if NET_VERSION >= 11
IS_AT(properties, max_multi_request_size, BY_VERSION(0, 0, 0, 0, 0, 104, 120));
#endif
#if NET_VERSION >= 12
IS_AT(properties, plane, 126);
#endif

_Static_assert(sizeof(struct net_table) == BY_VERSION(136, 152, 152, 160, 160, 176, 176), "table");
IS_AT(net_table, listen, 32);
IS_AT(net_table, reg_mr, 56);
IS_AT(net_table, isend, 80);
IS_AT(net_table, iflush, 96);
IS_AT(net_table, close_listen, 128);
#if NET_VERSION >= 7
IS_AT(net_table, irecv_consumed, 144);
#endif
#if NET_VERSION >= 11
IS_AT(net_table, finalize, 160);
#endif

#endif
