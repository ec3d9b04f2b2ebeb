/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libamdhip64's entry points for devices, memory, streams and events, as of ROCm 5, 6 or 7. */
#include "gpu.h"

#include <stdio.h>
#include <string.h>

const char brand[] = "hip";
const char visible_devices[] = "HIP_VISIBLE_DEVICES";

#if HIP == 5
enum { VERSION = 50221153, PROPERTIES_BYTES = 792, ARCHITECTURE_OFFSET = 396, TOTAL_MEMORY_OFFSET = 256 };
const int no_device_code = INVALID_DEVICE;
const char architecture[] = "gfx90a";
#elif HIP == 6
enum { VERSION = 60443484, PROPERTIES_BYTES = 1472, ARCHITECTURE_OFFSET = 1160, TOTAL_MEMORY_OFFSET = 288 };
const int no_device_code = NO_DEVICE;
const char architecture[] = "gfx942";
#else
enum { VERSION = 70151831, PROPERTIES_BYTES = 1472, ARCHITECTURE_OFFSET = 1160, TOTAL_MEMORY_OFFSET = 288 };
const int no_device_code = NO_DEVICE;
const char architecture[] = "gfx942";
#endif

/* hipIpcMemLazyEnablePeerAccess */
enum { LAZY_ENABLE_PEER_ACCESS = HIP == 5 ? 0 : 1 };
enum { HOST_FLAGS = 0x7 | 0x20000000 | 0x40000000 | (int) 0x80000000 };
enum { MAX_COPY_KIND = 4, INVALID_COPY_KIND = INVALID_VALUE };

#define RUNTIME(name) hip##name
#include "runtime_calls.h"

EXPORTED const char *hipGetErrorName(int error) {
    const char *name = error_name(error);
    return name == NULL ? "hipErrorUnknown" : name;
}

/* The one call that says the same in all versions where there is no device. */
EXPORTED int hipGetDeviceCount(int *count) {
    *count = device_count();
    if (*count == 0) {
        return leave(NO_DEVICE);
    }
    CALL(hipGetDeviceCount, SUCCESS);
}

EXPORTED int hipDeviceTotalMem(size_t *bytes, int device) {
    *bytes = device_memory_bytes();
    CALL(hipDeviceTotalMem, device_at(device) == NULL ? INVALID_DEVICE : SUCCESS);
}

static int attribute_of(int *value, int attribute, int ordinal) {
    const struct device *device = device_at(ordinal);
    if (device == NULL) {
        return INVALID_DEVICE;
    }
    switch (attribute) {
        case 2: *value = ASYNC_ENGINES; return SUCCESS;
        case 56: *value = MAX_BLOCK_THREADS; return SUCCESS;
        case 63: *value = PROCESSORS; return SUCCESS;
        case 74: *value = MAX_SHARED_BYTES; return SUCCESS;
        case 87: *value = 1; return SUCCESS;
        case 89: *value = 1; return HIP == 5 ? INVALID_VALUE : SUCCESS; /* virtual memory management */
        /* A pointer, for which the caller has to have eight bytes. */
        case 10005: *(uint32_t **) value = device->hdp; return SUCCESS;
        case 10016: *value = 1; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

EXPORTED int hipDeviceGetAttribute(int *value, int attribute, int device) {
    CALL(hipDeviceGetAttribute, attribute_of(value, attribute, device));
}

static int fill_properties(char *properties, int ordinal) {
    if (device_at(ordinal) == NULL) {
        return INVALID_DEVICE;
    }
    size_t bytes = device_memory_bytes();
    memset(properties, 0, PROPERTIES_BYTES);
    device_name(ordinal, properties, 256);
    memcpy(properties + TOTAL_MEMORY_OFFSET, &bytes, sizeof bytes);
    sprintf(properties + ARCHITECTURE_OFFSET, "%s:sramecc+:xnack-", architecture);
    return SUCCESS;
}

#if HIP == 5
EXPORTED int hipGetDeviceProperties(void *properties, int device) {
    CALL(hipGetDeviceProperties, fill_properties(properties, device));
}
#else
EXPORTED int hipGetDevicePropertiesR0600(void *properties, int device) {
    CALL(hipGetDevicePropertiesR0600, fill_properties(properties, device));
}
#endif

EXPORTED int hipExtMallocWithFlags(void **address, size_t bytes, unsigned int flags) {
    UNSAFE_CALL(hipExtMallocWithFlags, flags > 3 ? INVALID_VALUE : memory_allocate(bytes, address));
}

EXPORTED int hipHostMalloc(void **address, size_t bytes, unsigned int flags) {
    UNSAFE_CALL(hipHostMalloc, (flags & ~(unsigned int) HOST_FLAGS) != 0 ? INVALID_VALUE : host_allocate(bytes, address));
}

EXPORTED int hipHostFree(void *address) {
    UNSAFE_CALL(hipHostFree, host_free(address));
}

EXPORTED int hipStreamWriteValue64(struct stream *stream, void *address, uint64_t value, unsigned int flags) {
    CALL(hipStreamWriteValue64, flags != 0 ? INVALID_VALUE : stream_write(stream, address, value));
}

EXPORTED int hipEventCreateWithFlags(struct event **event, unsigned int flags) {
    CALL(hipEventCreateWithFlags, (flags & ~7U & 0x3fffffff) != 0 ? INVALID_VALUE : event_create(event));
}
