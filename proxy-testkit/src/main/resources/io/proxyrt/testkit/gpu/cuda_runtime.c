/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libcudart's entry points. Versions are those of CUDA 13.0. */
#include "gpu.h"

#include <string.h>

const char brand[] = "cuda";
const char visible_devices[] = "CUDA_VISIBLE_DEVICES";
const int no_device_code = NO_DEVICE;
const char architecture[] = "sm_90";

enum { VERSION = 13000 };

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
    const char *name = error_name(error);
    return name == NULL ? "unrecognized error code" : name;
}

EXPORTED int cudaGetLastError(void) {
    return last_error();
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

EXPORTED int cudaDeviceGetPCIBusId(char *text, int length, int device) {
    CALL(cudaDeviceGetPCIBusId, pci_bus_id(device, text, length));
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
