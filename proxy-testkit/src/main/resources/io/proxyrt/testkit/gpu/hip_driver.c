/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libamdhip64's entry points for modules, launches and memory in three steps; and what libhsa-runtime64 adds. */
#include "gpu.h"

enum { LOCATION_DEVICE = 1, READ_WRITE = 3, POSIX_FD = 1, PINNED = 1, UNCACHED = 0x40000000, LAUNCH_PARAM_END = 3 };

#define CALL(name, result) \
    int code = enter(#name); \
    return leave(code != SUCCESS ? code : (result))

struct location {
    int type, id;
};

/* hipMemAllocationProp: the one difference in layout that the compiler does not tell of. */
struct allocation_properties {
#if HIP == 5
    unsigned char compression;
    struct location location;
    int handle_types;
    int type;
    unsigned char rdma_capable;
    unsigned short usage;
    void *win32;
#else
    int type;
    int handle_types;
    struct location location;
    void *win32;
    struct {
        unsigned char compression, rdma_capable;
        unsigned short usage;
    } flags;
#endif
};

/* hipMemAccessDesc */
struct access {
    struct location location;
    int flags;
};

_Static_assert(sizeof(struct allocation_properties) == 32 && sizeof(struct access) == 12, "as in hip_runtime_api.h");
#if HIP == 5
_Static_assert(offsetof(struct allocation_properties, location) == 4
               && offsetof(struct allocation_properties, handle_types) == 12
               && offsetof(struct allocation_properties, type) == 16, "as in hip_runtime_api.h");
#endif

EXPORTED int hipModuleLoadData(struct module **module, const void *image) {
    CALL(hipModuleLoadData, module_load(image, module));
}

EXPORTED int hipModuleUnload(struct module *module) {
    CALL(hipModuleUnload, module_unload(module));
}

EXPORTED int hipModuleGetFunction(struct kernel **kernel, struct module *module, const char *name) {
    CALL(hipModuleGetFunction, module_kernel(module, name, kernel));
}

EXPORTED int hipModuleLaunchKernel(struct kernel *kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared_bytes, struct stream *stream, void **parameters, void **extra) {
    struct kernel_launch wanted = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    CALL(hipModuleLaunchKernel, launch(stream, &wanted, kernel, shared_bytes, parameters, extra, LAUNCH_PARAM_END));
}

static bool is_known_type(int type) {
    return type == PINNED || (HIP != 5 && type == UNCACHED);
}

static int granularity(size_t *bytes, const struct allocation_properties *properties) {
    *bytes = GRANULARITY;
    return is_known_type(properties->type) && properties->location.type == LOCATION_DEVICE ? SUCCESS : INVALID_VALUE;
}

EXPORTED int hipMemGetAllocationGranularity(size_t *bytes, const struct allocation_properties *properties, int option) {
    CALL(hipMemGetAllocationGranularity, option < 0 || option > 1 ? INVALID_VALUE : granularity(bytes, properties));
}

static int create(uint64_t *handle, size_t bytes, const struct allocation_properties *properties) {
    const struct device *device = device_at(properties->location.id);
    if (!is_known_type(properties->type) || (properties->handle_types & ~POSIX_FD) != 0
            || properties->location.type != LOCATION_DEVICE) {
        return INVALID_VALUE;
    }
    return device == NULL ? INVALID_DEVICE : physical_create(bytes, device->number, handle);
}

EXPORTED int hipMemCreate(uint64_t *handle, size_t bytes, const struct allocation_properties *properties,
                          unsigned long long flags) {
    CALL(hipMemCreate, flags != 0 ? INVALID_VALUE : create(handle, bytes, properties));
}

EXPORTED int hipMemRelease(uint64_t handle) {
    CALL(hipMemRelease, physical_release(handle));
}

EXPORTED int hipMemExportToShareableHandle(void *shared, uint64_t handle, int type, unsigned long long flags) {
    CALL(hipMemExportToShareableHandle, type != POSIX_FD || flags != 0 ? INVALID_VALUE
         : physical_export(handle, shared));
}

/* Before ROCm 7.1 it takes the address of the descriptor. */
static int descriptor_of(void *shared) {
#if HIP < 7
    return *(int *) shared;
#else
    return (int) (intptr_t) shared;
#endif
}

EXPORTED int hipMemImportFromShareableHandle(uint64_t *handle, void *shared, int type) {
    CALL(hipMemImportFromShareableHandle, type != POSIX_FD || shared == NULL ? INVALID_VALUE
         : physical_import(descriptor_of(shared), handle));
}

EXPORTED int hipMemAddressReserve(void **address, size_t bytes, size_t alignment, void *hint,
                                  unsigned long long flags) {
    (void) hint;
    CALL(hipMemAddressReserve, flags != 0 ? INVALID_VALUE : address_reserve(bytes, alignment, address));
}

EXPORTED int hipMemAddressFree(void *address, size_t bytes) {
    CALL(hipMemAddressFree, address_free(address, bytes));
}

EXPORTED int hipMemMap(void *address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
    CALL(hipMemMap, flags != 0 ? INVALID_VALUE : physical_map(address, bytes, offset, handle));
}

EXPORTED int hipMemUnmap(void *address, size_t bytes) {
    CALL(hipMemUnmap, physical_unmap(address, bytes));
}

static int grant(void *address, size_t bytes, const struct access *access, size_t count) {
    int code = count == 0 ? INVALID_VALUE : SUCCESS;
    for (size_t i = 0; i < count && code == SUCCESS; i++) {
        code = access[i].flags != READ_WRITE || access[i].location.type != LOCATION_DEVICE ? INVALID_VALUE
            : set_access(address, bytes, access[i].location.id);
    }
    return code;
}

EXPORTED int hipMemSetAccess(void *address, size_t bytes, const struct access *access, size_t count) {
    CALL(hipMemSetAccess, grant(address, bytes, access, count));
}

/* ---- libhsa-runtime64 ---- */

enum { HSA_SUCCESS = 0, HSA_ERROR_INVALID_ARGUMENT = 0x1001, HSA_DMABUF_SUPPORTED = 0x204 };

EXPORTED int hsa_status_string(int status, const char **text) {
    *text = status == HSA_SUCCESS ? "HSA_STATUS_SUCCESS: The function has been executed successfully."
        : "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the actual arguments does not meet a precondition.";
    return status == HSA_SUCCESS || status == HSA_ERROR_INVALID_ARGUMENT ? HSA_SUCCESS : HSA_ERROR_INVALID_ARGUMENT;
}

EXPORTED int hsa_system_get_info(int attribute, void *value) {
    if (attribute != HSA_DMABUF_SUPPORTED) {
        return HSA_ERROR_INVALID_ARGUMENT;
    }
    *(bool *) value = HIP != 5;
    return HSA_SUCCESS;
}

#if HIP != 5
EXPORTED int hsa_amd_portable_export_dmabuf(const void *address, size_t bytes, int *fd, uint64_t *offset) {
    int code = injected("hsa_amd_portable_export_dmabuf");
    return code != SUCCESS ? code
        : export_dma_buf(address, bytes, fd, offset) == SUCCESS ? HSA_SUCCESS : HSA_ERROR_INVALID_ARGUMENT;
}
#endif
