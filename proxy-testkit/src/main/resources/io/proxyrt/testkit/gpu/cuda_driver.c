/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libcuda's entry points: modules, launches, memory in three steps. A thread needs a context: cudaSetDevice. */
#include "gpu.h"

enum { LOCATION_DEVICE = 1, LOCATION_HOST_NUMA = 3, READ_WRITE = 3, POSIX_FD = 1, PINNED = 1,
       LAUNCH_PARAM_END = 0 };

#define CALL(name, result) \
    int code = enter(#name); \
    return code != SUCCESS ? code : (result)

#define CALL_IN_CONTEXT(name, result) \
    int code = enter_context(#name); \
    return code != SUCCESS ? code : (result)

struct location {
    int type, id;
};

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

/* CUmemAccessDesc */
struct access {
    struct location location;
    int flags;
};

_Static_assert(sizeof(struct allocation_properties) == 32 && sizeof(struct access) == 12, "as in cuda.h");

EXPORTED int cuInit(unsigned int flags) {
    CALL(cuInit, flags != 0 ? INVALID_VALUE : SUCCESS);
}

EXPORTED int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    CALL(cuDeviceGet, device_at(ordinal) == NULL ? INVALID_DEVICE : SUCCESS);
}

EXPORTED int cuDeviceGetName(char *name, int length, int device) {
    CALL(cuDeviceGetName, device_name(device, name, length));
}

EXPORTED int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = device_memory_bytes();
    CALL(cuDeviceTotalMem_v2, device_at(device) == NULL ? INVALID_DEVICE : SUCCESS);
}

/* As for all that cuda.h lists. */
static int attribute_of(int *value, int attribute, int ordinal) {
    const struct device *device = device_at(ordinal);
    if (device == NULL) {
        return INVALID_DEVICE;
    }
    switch (attribute) {
        case 1: *value = MAX_BLOCK_THREADS; return SUCCESS;
        case 8: *value = MAX_SHARED_BYTES; return SUCCESS;
        case 97: *value = MAX_SHARED_BYTES; return SUCCESS;
        case 10: *value = 1; return SUCCESS;
        case 13: *value = 1000000; return SUCCESS; /* kHz: a clock tick is a nanosecond */
        case 16: *value = PROCESSORS; return SUCCESS;
        case 33: *value = 0xc1 + device->number; return SUCCESS;
        case 34: *value = 0; return SUCCESS;
        case 40: *value = ASYNC_ENGINES; return SUCCESS;
        case 41: *value = 1; return SUCCESS;
        case 50: *value = 0; return SUCCESS;
        case 75: *value = 9; return SUCCESS;
        case 76: *value = 0; return SUCCESS;
        case 86: *value = 0; return SUCCESS;
        case 91: *value = 1; return SUCCESS;
        case 92: *value = 0; return SUCCESS; /* although the second version of stream operations works */
        case 102: *value = 1; return SUCCESS;
        case 103: *value = 1; return SUCCESS;
        case 110: *value = 1; return SUCCESS;
        case 116: *value = 1; return SUCCESS;
        case 117: *value = 1; return SUCCESS;
        case 118: *value = 100; return SUCCESS;
        case 124: *value = 1; return SUCCESS;
        case 128: *value = 0; return SUCCESS;
        case 134: *value = 0; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

EXPORTED int cuDeviceGetAttribute(int *value, int attribute, int device) {
    CALL(cuDeviceGetAttribute, attribute_of(value, attribute, device));
}

EXPORTED int cuModuleLoadData(struct module **module, const void *image) {
    CALL_IN_CONTEXT(cuModuleLoadData, module_load(image, module));
}

EXPORTED int cuModuleUnload(struct module *module) {
    CALL_IN_CONTEXT(cuModuleUnload, module_unload(module));
}

EXPORTED int cuModuleGetFunction(struct kernel **kernel, struct module *module, const char *name) {
    CALL_IN_CONTEXT(cuModuleGetFunction, module_kernel(module, name, kernel));
}

EXPORTED int cuLaunchKernel(struct kernel *kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                            unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                            struct stream *stream, void **parameters, void **extra) {
    struct kernel_launch wanted = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    CALL_IN_CONTEXT(cuLaunchKernel, launch(stream, &wanted, kernel, shared_bytes, parameters, extra,
                                           LAUNCH_PARAM_END));
}

EXPORTED int cuStreamWriteValue64_v2(struct stream *stream, void *address, uint64_t value, unsigned int flags) {
    CALL_IN_CONTEXT(cuStreamWriteValue64_v2, flags > 1 ? INVALID_VALUE : stream_write(stream, address, value));
}

static int granularity(size_t *bytes, const struct allocation_properties *properties) {
    *bytes = GRANULARITY;
    return properties->type == PINNED ? SUCCESS : INVALID_VALUE;
}

EXPORTED int cuMemGetAllocationGranularity(size_t *bytes, const struct allocation_properties *properties, int option) {
    CALL(cuMemGetAllocationGranularity, option < 0 || option > 1 ? INVALID_VALUE : granularity(bytes, properties));
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

EXPORTED int cuMemCreate(uint64_t *handle, size_t bytes, const struct allocation_properties *properties,
                         unsigned long long flags) {
    CALL(cuMemCreate, flags != 0 ? INVALID_VALUE : create(handle, bytes, properties));
}

EXPORTED int cuMemRelease(uint64_t handle) {
    CALL(cuMemRelease, physical_release(handle));
}

EXPORTED int cuMemExportToShareableHandle(void *shared, uint64_t handle, int type, unsigned long long flags) {
    CALL(cuMemExportToShareableHandle, type != POSIX_FD || flags != 0 ? INVALID_VALUE
         : physical_export(handle, shared));
}

EXPORTED int cuMemImportFromShareableHandle(uint64_t *handle, void *shared, int type) {
    CALL(cuMemImportFromShareableHandle, type != POSIX_FD ? INVALID_VALUE
         : physical_import((int) (intptr_t) shared, handle));
}

EXPORTED int cuMemAddressReserve(void **address, size_t bytes, size_t alignment, void *hint, unsigned long long flags) {
    (void) hint;
    CALL(cuMemAddressReserve, flags != 0 ? INVALID_VALUE : address_reserve(bytes, alignment, address));
}

EXPORTED int cuMemAddressFree(void *address, size_t bytes) {
    CALL(cuMemAddressFree, address_free(address, bytes));
}

EXPORTED int cuMemMap(void *address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
    CALL(cuMemMap, flags != 0 ? INVALID_VALUE : physical_map(address, bytes, offset, handle));
}

EXPORTED int cuMemUnmap(void *address, size_t bytes) {
    CALL(cuMemUnmap, physical_unmap(address, bytes));
}

static int grant(void *address, size_t bytes, const struct access *access, size_t count) {
    int code = count == 0 ? INVALID_VALUE : SUCCESS;
    for (size_t i = 0; i < count && code == SUCCESS; i++) {
        code = access[i].flags != READ_WRITE || access[i].location.type != LOCATION_DEVICE ? INVALID_VALUE
            : set_access(address, bytes, access[i].location.id);
    }
    return code;
}

EXPORTED int cuMemSetAccess(void *address, size_t bytes, const struct access *access, size_t count) {
    CALL(cuMemSetAccess, grant(address, bytes, access, count));
}

static int export_range(int *fd, const void *address, size_t bytes) {
    uint64_t offset;
    return export_dma_buf(address, bytes, fd, &offset);
}

EXPORTED int cuMemGetHandleForAddressRange(void *handle, void *address, size_t bytes, int type,
                                           unsigned long long flags) {
    CALL_IN_CONTEXT(cuMemGetHandleForAddressRange, type != 1 || flags > 1 ? INVALID_VALUE
                    : export_range(handle, address, bytes));
}

static int flush(int target, int scope) {
    return target != 0 || (scope != 100 && scope != 200) ? INVALID_VALUE : SUCCESS;
}

EXPORTED int cuFlushGPUDirectRDMAWrites(int target, int scope) {
    CALL_IN_CONTEXT(cuFlushGPUDirectRDMAWrites, flush(target, scope));
}
