/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * The entry points that libcuda and libamdhip64 have alike but for their prefix. The including file has defined
 * what differs: DRIVER(name), MEM_GET_ADDRESS_RANGE, STREAM_GET_CAPTURE_INFO, LAUNCH_KERNEL, LAUNCH_PARAM_END,
 * HOST_TYPE, DEVICE_TYPE; DRIVER_CALL and DRIVER_CALL_IN_CONTEXT, as CALL is, the latter where CUDA's driver wants the
 * thread to have a context; struct allocation_properties, granularity, create, import.
 */
#ifndef PROXYRT_DRIVER_CALLS_H
#define PROXYRT_DRIVER_CALLS_H

#include "gpu.h"

_Static_assert(sizeof(struct allocation_properties) == 32 && sizeof(struct access) == 12,
               "as in cuda.h, hip_runtime_api.h");

EXPORTED int DRIVER(Init)(unsigned int flags) {
    DRIVER_CALL(DRIVER(Init), flags != 0 ? INVALID_VALUE : SUCCESS);
}

EXPORTED int DRIVER(DeviceGet)(int *device, int ordinal) {
    *device = ordinal;
    DRIVER_CALL(DRIVER(DeviceGet), device_at(ordinal) == NULL ? INVALID_DEVICE : SUCCESS);
}

EXPORTED int DRIVER(DeviceGetName)(char *name, int length, int device) {
    DRIVER_CALL(DRIVER(DeviceGetName), device_name(device, name, length));
}

EXPORTED int DRIVER(PointerGetAttribute)(void *data, int attribute, const void *address) {
    DRIVER_CALL_IN_CONTEXT(DRIVER(PointerGetAttribute),
                           pointer_attribute(data, attribute, address, HOST_TYPE, DEVICE_TYPE));
}

EXPORTED int MEM_GET_ADDRESS_RANGE(void **base, size_t *bytes, const void *address) {
    DRIVER_CALL_IN_CONTEXT(MEM_GET_ADDRESS_RANGE, address_range(base, bytes, address));
}

EXPORTED int DRIVER(ModuleLoadData)(struct module **module, const void *image) {
    DRIVER_CALL_IN_CONTEXT(DRIVER(ModuleLoadData), capture_forbids() ? CAPTURE_UNSUPPORTED
                           : module_load(image, module));
}

EXPORTED int DRIVER(ModuleUnload)(struct module *module) {
    DRIVER_CALL_IN_CONTEXT(DRIVER(ModuleUnload), capture_forbids() ? CAPTURE_UNSUPPORTED : module_unload(module));
}

EXPORTED int DRIVER(ModuleGetFunction)(struct kernel **kernel, struct module *module, const char *name) {
    DRIVER_CALL_IN_CONTEXT(DRIVER(ModuleGetFunction), module_kernel(module, name, kernel));
}

EXPORTED int LAUNCH_KERNEL(struct kernel *kernel, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                           unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                           struct stream *stream, void **parameters, void **extra) {
    struct kernel_launch wanted = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    DRIVER_CALL_IN_CONTEXT(LAUNCH_KERNEL, launch(stream, &wanted, kernel, shared_bytes, parameters, extra,
                                                 LAUNCH_PARAM_END));
}

EXPORTED int DRIVER(MemGetAllocationGranularity)(size_t *bytes, const struct allocation_properties *properties,
                                                 int option) {
    DRIVER_CALL(DRIVER(MemGetAllocationGranularity), option < 0 || option > 1 ? INVALID_VALUE
                : granularity(bytes, properties));
}

EXPORTED int DRIVER(MemCreate)(uint64_t *handle, size_t bytes, const struct allocation_properties *properties,
                                unsigned long long flags) {
    DRIVER_CALL(DRIVER(MemCreate), flags != 0 ? INVALID_VALUE : create(handle, bytes, properties));
}

EXPORTED int DRIVER(MemRelease)(uint64_t handle) {
    DRIVER_CALL(DRIVER(MemRelease), physical_release(handle));
}

EXPORTED int DRIVER(MemExportToShareableHandle)(void *shared, uint64_t handle, int type, unsigned long long flags) {
    DRIVER_CALL(DRIVER(MemExportToShareableHandle), type != POSIX_FD || flags != 0 ? INVALID_VALUE
                : physical_export(handle, shared));
}

EXPORTED int DRIVER(MemImportFromShareableHandle)(uint64_t *handle, void *shared, int type) {
    DRIVER_CALL(DRIVER(MemImportFromShareableHandle), type != POSIX_FD ? INVALID_VALUE : import(shared, handle));
}

EXPORTED int DRIVER(MemAddressReserve)(void **address, size_t bytes, size_t alignment, void *hint,
                                        unsigned long long flags) {
    (void) hint;
    DRIVER_CALL(DRIVER(MemAddressReserve), flags != 0 ? INVALID_VALUE : address_reserve(bytes, alignment, address));
}

EXPORTED int DRIVER(MemAddressFree)(void *address, size_t bytes) {
    DRIVER_CALL(DRIVER(MemAddressFree), address_free(address, bytes));
}

EXPORTED int DRIVER(MemMap)(void *address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
    DRIVER_CALL(DRIVER(MemMap), flags != 0 ? INVALID_VALUE : physical_map(address, bytes, offset, handle));
}

EXPORTED int DRIVER(MemUnmap)(void *address, size_t bytes) {
    DRIVER_CALL(DRIVER(MemUnmap), physical_unmap(address, bytes));
}

EXPORTED int DRIVER(MemSetAccess)(void *address, size_t bytes, const struct access *access, size_t count) {
    DRIVER_CALL(DRIVER(MemSetAccess), set_access(address, bytes, access, count));
}

EXPORTED int STREAM_GET_CAPTURE_INFO(struct stream *stream, int *status, uint64_t *id, struct graph **graph,
                                     const void **dependencies, size_t *count) {
    DRIVER_CALL_IN_CONTEXT(STREAM_GET_CAPTURE_INFO, dependencies != NULL || count != NULL ? NOT_SUPPORTED
                           : capture_info(stream, status, id, graph));
}

#endif
