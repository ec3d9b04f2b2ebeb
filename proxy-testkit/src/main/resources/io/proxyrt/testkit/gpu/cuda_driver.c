/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libcuda's entry points: modules, launches, memory in three steps. A thread needs a context: cudaSetDevice. */
#include "gpu.h"

#include <stdlib.h>

enum { LOCATION_HOST_NUMA = 3, LAUNCH_PARAM_END = 0, HOST_TYPE = 1, DEVICE_TYPE = 2 };

/* No driver's error is the runtime's last one. */
#define DRIVER_CALL(name, result) \
    int code = enter(QUOTED(name)); \
    return code != SUCCESS ? code : (result)

#define DRIVER_CALL_IN_CONTEXT(name, result) \
    int code = enter_context(QUOTED(name)); \
    return code != SUCCESS ? code : (result)

/* CUmemAllocationProp */
struct allocation_properties {
    int type, handle_types;
    struct location location;
    void *win32;
    struct {
        unsigned char compression, rdma_capable;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
};

EXPORTED int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = device_memory_bytes();
    DRIVER_CALL(cuDeviceTotalMem_v2, device_at(device) == NULL ? INVALID_DEVICE : SUCCESS);
}

static int attribute_of(int *value, int attribute, int ordinal) {
    if (device_at(ordinal) == NULL) {
        return INVALID_DEVICE;
    }
    switch (attribute) {
        case 1: *value = MAX_BLOCK_THREADS; return SUCCESS;
        case 8: *value = MAX_SHARED_BYTES; return SUCCESS;
        case 10: *value = 1; return SUCCESS;
        case 16: *value = PROCESSORS; return SUCCESS;
        case 40: *value = ASYNC_ENGINES; return SUCCESS;
        case 75: *value = 9; return SUCCESS;
        case 76: *value = 0; return SUCCESS;
        case 103: *value = 1; return SUCCESS;
        case 110: *value = 1; return SUCCESS;
        case 117: *value = 1; return SUCCESS;
        /* Adapters' writes to the first device come in no order, to others as its owner has to see them. */
        case 118: *value = ordinal == 0 ? 0 : 100; return SUCCESS;
        case 124: *value = 1; return SUCCESS;
        /* Where a control daemon is said to be, it is. */
        case 133: *value = getenv("CUDA_MPS_PIPE_DIRECTORY") != NULL; return SUCCESS;
        case 134: *value = 0; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

EXPORTED int cuDeviceGetAttribute(int *value, int attribute, int device) {
    DRIVER_CALL(cuDeviceGetAttribute, attribute_of(value, attribute, device));
}

EXPORTED int cuStreamWriteValue64_v2(struct stream *stream, void *address, uint64_t value, unsigned int flags) {
    DRIVER_CALL_IN_CONTEXT(cuStreamWriteValue64_v2, flags > 1 ? INVALID_VALUE : stream_write(stream, address, value));
}

/* CUmemcpyAttributes */
struct copy_attributes {
    int source_order;
    struct location source, target;
    unsigned int flags;
};

enum { ORDER_STREAM = 1 };

EXPORTED int cuMemcpyBatchAsync(void **to, void **from, size_t *bytes, size_t count, struct copy_attributes *attributes,
                                size_t *first, size_t attribute_count, size_t *failed, struct stream *stream) {
    bool is_known = count > 0 && stream != NULL && failed != NULL && attribute_count == 1 && first[0] == 0
            && attributes->source_order == ORDER_STREAM && attributes->flags == 0;
    DRIVER_CALL_IN_CONTEXT(cuMemcpyBatchAsync,
                           is_known ? stream_copy_batch(stream, to, from, bytes, count) : INVALID_VALUE);
}

static int granularity(size_t *bytes, const struct allocation_properties *properties) {
    *bytes = GRANULARITY;
    return properties->type == PINNED ? SUCCESS : INVALID_VALUE;
}

static int create(uint64_t *handle, size_t bytes, const struct allocation_properties *properties) {
    const struct device *device = device_at(properties->location.id);
    if (properties->type != PINNED || (properties->handle_types & ~POSIX_FD) != 0) {
        return INVALID_VALUE;
    }
    if (properties->location.type == LOCATION_HOST_NUMA) {
        return physical_create(bytes, -1, handle);
    }
    if (properties->location.type != LOCATION_DEVICE || device == NULL) {
        return INVALID_DEVICE;
    }
    return physical_create(bytes, device->number, handle);
}

static int import(void *shared, uint64_t *handle) {
    return physical_import((int) (intptr_t) shared, handle);
}

#define DRIVER(name) cu##name
#define MEM_GET_ADDRESS_RANGE cuMemGetAddressRange_v2
#define STREAM_GET_CAPTURE_INFO cuStreamGetCaptureInfo_v2
#define LAUNCH_KERNEL cuLaunchKernel
#include "driver_calls.h"

static int export_range(int *fd, const void *address, size_t bytes) {
    uint64_t offset;
    return export_dma_buf(address, bytes, fd, &offset);
}

EXPORTED int cuMemGetHandleForAddressRange(void *handle, void *address, size_t bytes, int type,
                                           unsigned long long flags) {
    DRIVER_CALL_IN_CONTEXT(cuMemGetHandleForAddressRange, type != 1 || flags > 1 ? INVALID_VALUE
                           : export_range(handle, address, bytes));
}

static int flush(int target, int scope) {
    return target != 0 || (scope != 100 && scope != 200) ? INVALID_VALUE : SUCCESS;
}

EXPORTED int cuFlushGPUDirectRDMAWrites(int target, int scope) {
    DRIVER_CALL_IN_CONTEXT(cuFlushGPUDirectRDMAWrites, flush(target, scope));
}
