/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libamdhip64's entry points for modules, launches and memory in three steps; and what libhsa-runtime64 adds. */
#include "gpu.h"

enum { UNCACHED = 0x40000000, LAUNCH_PARAM_END = 3 };
/* hipMemoryType: the host's was the first, until there was one for memory that is none of theirs. */
enum { HOST_TYPE = HIP == 5 ? 0 : 1, DEVICE_TYPE = HIP == 5 ? 1 : 2 };

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

#if HIP == 5
_Static_assert(offsetof(struct allocation_properties, location) == 4
               && offsetof(struct allocation_properties, handle_types) == 12
               && offsetof(struct allocation_properties, type) == 16, "as in hip_runtime_api.h");
#endif

static bool is_known_type(int type) {
    return type == PINNED || (HIP != 5 && type == UNCACHED);
}

static int granularity(size_t *bytes, const struct allocation_properties *properties) {
    *bytes = GRANULARITY;
    return is_known_type(properties->type) && properties->location.type == LOCATION_DEVICE ? SUCCESS : INVALID_VALUE;
}

static int create(uint64_t *handle, size_t bytes, const struct allocation_properties *properties) {
    const struct device *device = device_at(properties->location.id);
    if (!is_known_type(properties->type) || (properties->handle_types & ~POSIX_FD) != 0
            || properties->location.type != LOCATION_DEVICE) {
        return INVALID_VALUE;
    }
    return device == NULL ? INVALID_DEVICE : physical_create(bytes, device->number, handle);
}

/* Before ROCm 7.1 it takes the address of the descriptor. */
static int import(void *shared, uint64_t *handle) {
#if HIP < 7
    return shared == NULL ? INVALID_VALUE : physical_import(*(int *) shared, handle);
#else
    return physical_import((int) (intptr_t) shared, handle);
#endif
}

#define DRIVER(name) hip##name
#define MEM_GET_ADDRESS_RANGE hipMemGetAddressRange
#define STREAM_GET_CAPTURE_INFO hipStreamGetCaptureInfo_v2
#define LAUNCH_KERNEL hipModuleLaunchKernel
#define DRIVER_CALL CALL
#define DRIVER_CALL_IN_CONTEXT CALL
#include "driver_calls.h"

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
