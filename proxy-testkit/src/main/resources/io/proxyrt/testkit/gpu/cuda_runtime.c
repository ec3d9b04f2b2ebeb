/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libcudart's entry points. Versions are those of CUDA 13.0. */
#include "gpu.h"

#include <stdio.h>
#include <string.h>

const char brand[] = "cuda";
const char visible_devices[] = "CUDA_VISIBLE_DEVICES";
const int no_device_code = NO_DEVICE;
const char architecture[] = "sm_90";

enum { VERSION = 13000, PROPERTIES_BYTES = 1008, TOTAL_MEMORY_OFFSET = 288 };

bool is_architecture(const char *name) {
    return strcmp(name, architecture) == 0;
}

/* A call does what follows unless it has to fail. */
#define CALL(name, result) \
    int code = enter(#name); \
    return leave(code != SUCCESS ? code : (result))

typedef struct {
    struct ipc_handle handle;
} cudaIpcMemHandle_t;

_Static_assert(sizeof(cudaIpcMemHandle_t) == 64, "as in driver_types.h");

EXPORTED int cudaRuntimeGetVersion(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORTED int cudaDriverGetVersion(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORTED const char *cudaGetErrorName(int error) {
    const char *name = error_text(error, RUNTIME_NAME);
    return name == NULL ? "unrecognized error code" : name;
}

EXPORTED const char *cudaGetErrorString(int error) {
    const char *text = error_text(error, ERROR_TEXT);
    return text == NULL ? "unrecognized error code" : text;
}

EXPORTED int cudaGetLastError(void) {
    return last_error(true);
}

EXPORTED int cudaPeekAtLastError(void) {
    return last_error(false);
}

EXPORTED int cudaGetDeviceCount(int *count) {
    *count = device_count();
    CALL(cudaGetDeviceCount, SUCCESS);
}

EXPORTED int cudaSetDevice(int device) {
    return leave(set_current_device("cudaSetDevice", device));
}

EXPORTED int cudaGetDevice(int *device) {
    *device = current_device()->ordinal;
    CALL(cudaGetDevice, SUCCESS);
}

EXPORTED int cudaDeviceSynchronize(void) {
    int failed = enter("cudaDeviceSynchronize");
    if (failed == SUCCESS) {
        wait_for_device(current_device());
        failed = current_device()->sticky;
    }
    return leave(failed);
}

/* As for all that cuda.h lists; the runtime's numbers are the driver's. */
int cuda_attribute(int *value, int attribute, int ordinal) {
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

EXPORTED int cudaDeviceGetAttribute(int *value, int attribute, int device) {
    CALL(cudaDeviceGetAttribute, cuda_attribute(value, attribute, device));
}

EXPORTED int cudaDeviceGetPCIBusId(char *text, int length, int device) {
    CALL(cudaDeviceGetPCIBusId, pci_bus_id(device, text, length));
}

static int fill_properties(char *properties, int ordinal) {
    if (device_at(ordinal) == NULL) {
        return INVALID_DEVICE;
    }
    size_t bytes = device_memory_bytes();
    memset(properties, 0, PROPERTIES_BYTES);
    device_name(ordinal, properties, 256);
    memcpy(properties + TOTAL_MEMORY_OFFSET, &bytes, sizeof bytes);
    return SUCCESS;
}

EXPORTED int cudaGetDeviceProperties(void *properties, int device) {
    CALL(cudaGetDeviceProperties, fill_properties(properties, device));
}

EXPORTED int cudaMemGetInfo(size_t *available, size_t *total) {
    *total = device_memory_bytes();
    *available = *total - current_device()->used;
    CALL(cudaMemGetInfo, SUCCESS);
}

EXPORTED int cudaMalloc(void **address, size_t bytes) {
    CALL(cudaMalloc, memory_allocate(bytes, address));
}

EXPORTED int cudaFree(void *address) {
    CALL(cudaFree, memory_free(address));
}

EXPORTED int cudaHostAlloc(void **address, size_t bytes, unsigned int flags) {
    CALL(cudaHostAlloc, flags > 7 ? INVALID_VALUE : host_allocate(bytes, address));
}

EXPORTED int cudaMallocHost(void **address, size_t bytes) {
    CALL(cudaMallocHost, host_allocate(bytes, address));
}

EXPORTED int cudaFreeHost(void *address) {
    CALL(cudaFreeHost, host_free(address));
}

EXPORTED int cudaHostGetDevicePointer(void **device_address, void *address, unsigned int flags) {
    CALL(cudaHostGetDevicePointer, flags != 0 ? INVALID_VALUE : host_device_pointer(address, device_address));
}

EXPORTED int cudaHostRegister(void *address, size_t bytes, unsigned int flags) {
    CALL(cudaHostRegister, flags > 15 ? INVALID_VALUE : host_register(address, bytes));
}

EXPORTED int cudaHostUnregister(void *address) {
    CALL(cudaHostUnregister, host_unregister(address));
}

EXPORTED int cudaMemset(void *address, int value, size_t bytes) {
    CALL(cudaMemset, stream_fill_now(address, value, bytes));
}

EXPORTED int cudaMemsetAsync(void *address, int value, size_t bytes, struct stream *stream) {
    CALL(cudaMemsetAsync, stream_fill(stream, address, value, bytes));
}

EXPORTED int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
    CALL(cudaMemcpy, kind < 0 || kind > 4 ? 21 : stream_copy_now(to, from, bytes));
}

EXPORTED int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct stream *stream) {
    CALL(cudaMemcpyAsync, kind < 0 || kind > 4 ? 21 : stream_copy_async(stream, to, from, bytes));
}

EXPORTED int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                 struct stream *stream) {
    CALL(cudaMemcpyPeerAsync, stream_copy_peer(stream, to, to_device, from, from_device, bytes));
}

EXPORTED int cudaStreamCreateWithFlags(struct stream **stream, unsigned int flags) {
    CALL(cudaStreamCreateWithFlags, flags > 1 ? INVALID_VALUE : stream_create(stream));
}

EXPORTED int cudaStreamDestroy(struct stream *stream) {
    CALL(cudaStreamDestroy, stream_destroy(stream));
}

EXPORTED int cudaStreamQuery(struct stream *stream) {
    CALL(cudaStreamQuery, stream_query(stream));
}

EXPORTED int cudaStreamSynchronize(struct stream *stream) {
    CALL(cudaStreamSynchronize, stream_wait(stream));
}

EXPORTED int cudaStreamWaitEvent(struct stream *stream, struct event *event, unsigned int flags) {
    CALL(cudaStreamWaitEvent, flags > 1 ? INVALID_VALUE : stream_await(stream, event));
}

EXPORTED int cudaEventCreateWithFlags(struct event **event, unsigned int flags) {
    CALL(cudaEventCreateWithFlags, flags > 7 ? INVALID_VALUE : event_create(event));
}

EXPORTED int cudaEventDestroy(struct event *event) {
    CALL(cudaEventDestroy, event_destroy(event));
}

EXPORTED int cudaEventRecord(struct event *event, struct stream *stream) {
    CALL(cudaEventRecord, stream_record(stream, event));
}

EXPORTED int cudaEventQuery(struct event *event) {
    CALL(cudaEventQuery, event_query(event));
}

EXPORTED int cudaEventSynchronize(struct event *event) {
    CALL(cudaEventSynchronize, event_wait(event));
}

EXPORTED int cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *address) {
    CALL(cudaIpcGetMemHandle, ipc_export(address, &handle->handle));
}

EXPORTED int cudaIpcOpenMemHandle(void **address, cudaIpcMemHandle_t handle, unsigned int flags) {
    CALL(cudaIpcOpenMemHandle, flags != 1 ? INVALID_VALUE : ipc_open(&handle.handle, address));
}

EXPORTED int cudaIpcCloseMemHandle(void *address) {
    CALL(cudaIpcCloseMemHandle, ipc_close(address));
}

EXPORTED int cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    CALL(cudaDeviceCanAccessPeer, peer_access(can, device, peer));
}

/* Devices that reach each other do so by NVLink: rank 0, the best, and the rest are there. */
static int peer_attribute(int *value, int attribute, int device, int peer) {
    int result = attribute < 1 || attribute > 4 ? INVALID_VALUE : peer_access(value, device, peer);
    if (result == SUCCESS && attribute == 1) {
        *value = 0;
    }
    return result;
}

EXPORTED int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
    CALL(cudaDeviceGetP2PAttribute, peer_attribute(value, attribute, device, peer));
}

EXPORTED int cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
    CALL(cudaDeviceEnablePeerAccess, flags != 0 ? INVALID_VALUE : enable_peer_access(peer));
}

EXPORTED int cudaDeviceDisablePeerAccess(int peer) {
    CALL(cudaDeviceDisablePeerAccess, disable_peer_access(peer));
}

static int flush(int target, int scope) {
    return target != 0 || (scope != 100 && scope != 200) ? INVALID_VALUE : SUCCESS;
}

EXPORTED int cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
    CALL(cudaDeviceFlushGPUDirectRDMAWrites, flush(target, scope));
}

EXPORTED int cuFlushGPUDirectRDMAWrites(int target, int scope) {
    int code = enter_context("cuFlushGPUDirectRDMAWrites");
    return code != SUCCESS ? code : flush(target, scope);
}
