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
enum { HOST_FLAGS = 0x7 | 0x20000000 | 0x40000000 | (int) 0x80000000, MAX_COPY_KIND = 4 };

bool is_architecture(const char *name) {
    return strcmp(name, architecture) == 0;
}

/* A call does what follows unless it has to fail. */
#define CALL(name, result) \
    int code = enter(#name); \
    return leave(code != SUCCESS ? code : (result))

typedef struct {
    struct ipc_handle handle;
} hipIpcMemHandle_t;

_Static_assert(sizeof(hipIpcMemHandle_t) == 64, "as in hip_runtime_api.h");

EXPORTED int hipInit(unsigned int flags) {
    CALL(hipInit, flags != 0 ? INVALID_VALUE : SUCCESS);
}

EXPORTED int hipRuntimeGetVersion(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORTED const char *hipGetErrorName(int error) {
    const char *name = error_name(error);
    return name == NULL ? "hipErrorUnknown" : name;
}

EXPORTED int hipGetLastError(void) {
    return last_error();
}

/* The one call that says the same in all versions where there is no device. */
EXPORTED int hipGetDeviceCount(int *count) {
    *count = device_count();
    if (*count == 0) {
        return leave(NO_DEVICE);
    }
    CALL(hipGetDeviceCount, SUCCESS);
}

EXPORTED int hipSetDevice(int device) {
    return leave(set_current_device("hipSetDevice", device));
}

EXPORTED int hipGetDevice(int *device) {
    *device = current_device()->ordinal;
    CALL(hipGetDevice, SUCCESS);
}

EXPORTED int hipDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    CALL(hipDeviceGet, device_at(ordinal) == NULL ? INVALID_DEVICE : SUCCESS);
}

EXPORTED int hipDeviceGetName(char *name, int length, int device) {
    CALL(hipDeviceGetName, device_name(device, name, length));
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
        case 5: *value = 1000000; return SUCCESS; /* kHz: a clock tick is a nanosecond */
        case 15: *value = 0; return SUCCESS;
        case 23: *value = 9; return SUCCESS;
        case 56: *value = MAX_BLOCK_THREADS; return SUCCESS;
        case 61: *value = 0; return SUCCESS;
        case 63: *value = PROCESSORS; return SUCCESS;
        case 67: *value = 0xc1 + device->number; return SUCCESS;
        case 68: *value = 0; return SUCCESS;
        case 69: *value = 0; return SUCCESS;
        case 74: *value = MAX_SHARED_BYTES; return SUCCESS;
        case 87: *value = 1; return SUCCESS;
        case 89: *value = 1; return HIP == 5 ? INVALID_VALUE : SUCCESS; /* virtual memory management */
        /* A pointer, for which the caller has to have eight bytes. */
        case 10005: *(uint32_t **) value = &device->hdp[0]; return SUCCESS;
        case 10006: *(uint32_t **) value = &device->hdp[1]; return SUCCESS;
        case 10011: *value = 1; return SUCCESS;
        case 10013: *value = 1; return SUCCESS;
        case 10016: *value = 1; return SUCCESS;
        case 10017: *value = 100000; return HIP == 5 ? INVALID_VALUE : SUCCESS; /* kHz of the wall clock */
        default: return INVALID_VALUE;
    }
}

EXPORTED int hipDeviceGetAttribute(int *value, int attribute, int device) {
    CALL(hipDeviceGetAttribute, attribute_of(value, attribute, device));
}

EXPORTED int hipDeviceGetPCIBusId(char *text, int length, int device) {
    CALL(hipDeviceGetPCIBusId, pci_bus_id(device, text, length));
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

EXPORTED int hipMalloc(void **address, size_t bytes) {
    CALL(hipMalloc, memory_allocate(bytes, address));
}

EXPORTED int hipExtMallocWithFlags(void **address, size_t bytes, unsigned int flags) {
    CALL(hipExtMallocWithFlags, flags > 3 ? INVALID_VALUE : memory_allocate(bytes, address));
}

EXPORTED int hipFree(void *address) {
    CALL(hipFree, memory_free(address));
}

EXPORTED int hipHostMalloc(void **address, size_t bytes, unsigned int flags) {
    CALL(hipHostMalloc, (flags & ~(unsigned int) HOST_FLAGS) != 0 ? INVALID_VALUE : host_allocate(bytes, address));
}

EXPORTED int hipHostFree(void *address) {
    CALL(hipHostFree, host_free(address));
}

EXPORTED int hipHostGetDevicePointer(void **device_address, void *address, unsigned int flags) {
    CALL(hipHostGetDevicePointer, flags != 0 ? INVALID_VALUE : host_device_pointer(address, device_address));
}

EXPORTED int hipHostRegister(void *address, size_t bytes, unsigned int flags) {
    CALL(hipHostRegister, flags > 15 ? INVALID_VALUE : host_register(address, bytes));
}

EXPORTED int hipHostUnregister(void *address) {
    CALL(hipHostUnregister, host_unregister(address));
}

EXPORTED int hipMemset(void *address, int value, size_t bytes) {
    CALL(hipMemset, stream_fill_now(address, value, bytes));
}

EXPORTED int hipMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct stream *stream) {
    CALL(hipMemcpyAsync, kind < 0 || kind > MAX_COPY_KIND
                                     ? INVALID_VALUE : stream_copy_async(stream, to, from, bytes));
}

EXPORTED int hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                struct stream *stream) {
    CALL(hipMemcpyPeerAsync, stream_copy_peer(stream, to, to_device, from, from_device, bytes));
}

EXPORTED int hipStreamCreateWithFlags(struct stream **stream, unsigned int flags) {
    CALL(hipStreamCreateWithFlags, flags > 1 ? INVALID_VALUE : stream_create(stream));
}

EXPORTED int hipStreamDestroy(struct stream *stream) {
    CALL(hipStreamDestroy, stream_destroy(stream));
}

EXPORTED int hipStreamQuery(struct stream *stream) {
    CALL(hipStreamQuery, stream_query(stream));
}

EXPORTED int hipStreamSynchronize(struct stream *stream) {
    CALL(hipStreamSynchronize, stream_wait(stream));
}

EXPORTED int hipStreamWaitEvent(struct stream *stream, struct event *event, unsigned int flags) {
    CALL(hipStreamWaitEvent, flags > 1 ? INVALID_VALUE : stream_await(stream, event));
}

EXPORTED int hipStreamWriteValue64(struct stream *stream, void *address, uint64_t value, unsigned int flags) {
    CALL(hipStreamWriteValue64, flags != 0 ? INVALID_VALUE : stream_write(stream, address, value));
}

EXPORTED int hipEventCreateWithFlags(struct event **event, unsigned int flags) {
    CALL(hipEventCreateWithFlags, (flags & ~7U & 0x3fffffff) != 0 ? INVALID_VALUE : event_create(event));
}

EXPORTED int hipEventDestroy(struct event *event) {
    CALL(hipEventDestroy, event_destroy(event));
}

EXPORTED int hipEventRecord(struct event *event, struct stream *stream) {
    CALL(hipEventRecord, stream_record(stream, event));
}

EXPORTED int hipEventQuery(struct event *event) {
    CALL(hipEventQuery, event_query(event));
}

EXPORTED int hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *address) {
    CALL(hipIpcGetMemHandle, ipc_export(address, &handle->handle));
}

EXPORTED int hipIpcOpenMemHandle(void **address, hipIpcMemHandle_t handle, unsigned int flags) {
    CALL(hipIpcOpenMemHandle, flags != LAZY_ENABLE_PEER_ACCESS ? INVALID_VALUE : ipc_open(&handle.handle, address));
}

EXPORTED int hipIpcCloseMemHandle(void *address) {
    CALL(hipIpcCloseMemHandle, ipc_close(address));
}

EXPORTED int hipDeviceCanAccessPeer(int *can, int device, int peer) {
    CALL(hipDeviceCanAccessPeer, peer_access(can, device, peer));
}

EXPORTED int hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
    CALL(hipDeviceEnablePeerAccess, flags != 0 ? INVALID_VALUE : enable_peer_access(peer));
}

