/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * The entry points that libcudart and libamdhip64 have alike but for their prefix. The including file has defined
 * what differs: RUNTIME(name), VERSION, MAX_COPY_KIND, INVALID_COPY_KIND, LAZY_ENABLE_PEER_ACCESS.
 */
#ifndef PROXYRT_RUNTIME_CALLS_H
#define PROXYRT_RUNTIME_CALLS_H

#include "gpu.h"

/* It is passed by value, as cudaIpcMemHandle_t and hipIpcMemHandle_t are. */
_Static_assert(sizeof(struct ipc_handle) == 64, "as in driver_types.h, hip_runtime_api.h");

EXPORTED int RUNTIME(RuntimeGetVersion)(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORTED int RUNTIME(GetLastError)(void) {
    return last_error();
}

EXPORTED int RUNTIME(SetDevice)(int device) {
    return leave(set_current_device(QUOTED(RUNTIME(SetDevice)), device));
}

EXPORTED int RUNTIME(GetDevice)(int *device) {
    *device = current_device()->ordinal;
    CALL(RUNTIME(GetDevice), SUCCESS);
}

EXPORTED int RUNTIME(DeviceGetPCIBusId)(char *text, int length, int device) {
    CALL(RUNTIME(DeviceGetPCIBusId), pci_bus_id(device, text, length));
}

EXPORTED int RUNTIME(Malloc)(void **address, size_t bytes) {
    UNSAFE_CALL(RUNTIME(Malloc), memory_allocate(bytes, address));
}

EXPORTED int RUNTIME(Free)(void *address) {
    UNSAFE_CALL(RUNTIME(Free), memory_free(address));
}

EXPORTED int RUNTIME(HostGetDevicePointer)(void **device_address, void *address, unsigned int flags) {
    CALL(RUNTIME(HostGetDevicePointer), flags != 0 ? INVALID_VALUE : host_device_pointer(address, device_address));
}

EXPORTED int RUNTIME(HostRegister)(void *address, size_t bytes, unsigned int flags) {
    UNSAFE_CALL(RUNTIME(HostRegister), flags > 15 ? INVALID_VALUE : host_register(address, bytes));
}

EXPORTED int RUNTIME(HostUnregister)(void *address) {
    UNSAFE_CALL(RUNTIME(HostUnregister), host_unregister(address));
}

EXPORTED int RUNTIME(Memset)(void *address, int value, size_t bytes) {
    CALL(RUNTIME(Memset), stream_fill_now(address, value, bytes));
}

EXPORTED int RUNTIME(MemcpyAsync)(void *to, const void *from, size_t bytes, int kind, struct stream *stream) {
    CALL(RUNTIME(MemcpyAsync), kind < 0 || kind > MAX_COPY_KIND ? INVALID_COPY_KIND
         : stream_copy_async(stream, to, from, bytes));
}

EXPORTED int RUNTIME(MemcpyPeerAsync)(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                      struct stream *stream) {
    CALL(RUNTIME(MemcpyPeerAsync), stream_copy_peer(stream, to, to_device, from, from_device, bytes));
}

EXPORTED int RUNTIME(StreamCreateWithFlags)(struct stream **stream, unsigned int flags) {
    CALL(RUNTIME(StreamCreateWithFlags), flags > 1 ? INVALID_VALUE : stream_create(stream));
}

EXPORTED int RUNTIME(StreamDestroy)(struct stream *stream) {
    CALL(RUNTIME(StreamDestroy), stream_destroy(stream));
}

EXPORTED int RUNTIME(StreamQuery)(struct stream *stream) {
    UNSAFE_CALL(RUNTIME(StreamQuery), stream_query(stream));
}

EXPORTED int RUNTIME(StreamSynchronize)(struct stream *stream) {
    UNSAFE_CALL(RUNTIME(StreamSynchronize), stream_wait(stream));
}

EXPORTED int RUNTIME(StreamWaitEvent)(struct stream *stream, struct event *event, unsigned int flags) {
    CALL(RUNTIME(StreamWaitEvent), flags > 1 ? INVALID_VALUE : stream_await(stream, event, flags == 1));
}

EXPORTED int RUNTIME(EventDestroy)(struct event *event) {
    CALL(RUNTIME(EventDestroy), event_destroy(event));
}

EXPORTED int RUNTIME(EventRecord)(struct event *event, struct stream *stream) {
    CALL(RUNTIME(EventRecord), stream_record(stream, event, false));
}

EXPORTED int RUNTIME(EventQuery)(struct event *event) {
    UNSAFE_CALL(RUNTIME(EventQuery), event_query(event));
}

EXPORTED int RUNTIME(IpcGetMemHandle)(struct ipc_handle *handle, void *address) {
    CALL(RUNTIME(IpcGetMemHandle), ipc_export(address, handle));
}

EXPORTED int RUNTIME(IpcOpenMemHandle)(void **address, struct ipc_handle handle, unsigned int flags) {
    CALL(RUNTIME(IpcOpenMemHandle), flags != LAZY_ENABLE_PEER_ACCESS ? INVALID_VALUE : ipc_open(&handle, address));
}

EXPORTED int RUNTIME(IpcCloseMemHandle)(void *address) {
    CALL(RUNTIME(IpcCloseMemHandle), ipc_close(address));
}

EXPORTED int RUNTIME(DeviceCanAccessPeer)(int *can, int device, int peer) {
    CALL(RUNTIME(DeviceCanAccessPeer), peer_access(can, device, peer));
}

EXPORTED int RUNTIME(DeviceEnablePeerAccess)(int peer, unsigned int flags) {
    UNSAFE_CALL(RUNTIME(DeviceEnablePeerAccess), flags != 0 ? INVALID_VALUE : enable_peer_access(peer));
}

/* HIP has it from 7 on. */
#if !defined HIP || HIP >= 7
EXPORTED int RUNTIME(EventRecordWithFlags)(struct event *event, struct stream *stream, unsigned int flags) {
    CALL(RUNTIME(EventRecordWithFlags), flags > 1 ? INVALID_VALUE : stream_record(stream, event, flags == 1));
}
#endif

EXPORTED int RUNTIME(LaunchHostFunc)(struct stream *stream, void (*function)(void *), void *data) {
    CALL(RUNTIME(LaunchHostFunc), stream_host(stream, function, data));
}

EXPORTED int RUNTIME(StreamBeginCapture)(struct stream *stream, int mode) {
    CALL(RUNTIME(StreamBeginCapture), capture_begin(stream, mode));
}

EXPORTED int RUNTIME(ThreadExchangeStreamCaptureMode)(int *mode) {
    CALL(RUNTIME(ThreadExchangeStreamCaptureMode), capture_exchange_mode(mode));
}

EXPORTED int RUNTIME(StreamEndCapture)(struct stream *stream, struct graph **graph) {
    CALL(RUNTIME(StreamEndCapture), capture_end(stream, graph));
}

EXPORTED int RUNTIME(StreamIsCapturing)(struct stream *stream, int *status) {
    CALL(RUNTIME(StreamIsCapturing), capture_status(stream, status));
}

EXPORTED int RUNTIME(GraphInstantiateWithFlags)(struct executable **made, struct graph *graph,
                                                unsigned long long flags) {
    UNSAFE_CALL(RUNTIME(GraphInstantiateWithFlags), graph_instantiate(made, graph, flags));
}

EXPORTED int RUNTIME(GraphLaunch)(struct executable *executable, struct stream *stream) {
    CALL(RUNTIME(GraphLaunch), graph_launch(executable, stream));
}

EXPORTED int RUNTIME(GraphDestroy)(struct graph *graph) {
    CALL(RUNTIME(GraphDestroy), graph_destroy(graph));
}

EXPORTED int RUNTIME(GraphExecDestroy)(struct executable *executable) {
    CALL(RUNTIME(GraphExecDestroy), executable_destroy(executable));
}

EXPORTED int RUNTIME(UserObjectCreate)(struct user_object **made, void *data, void (*destroy)(void *),
                                       unsigned int references, unsigned int flags) {
    CALL(RUNTIME(UserObjectCreate), user_object_create(made, data, destroy, references, flags));
}

EXPORTED int RUNTIME(GraphRetainUserObject)(struct graph *graph, struct user_object *object, unsigned int count,
                                            unsigned int flags) {
    CALL(RUNTIME(GraphRetainUserObject), graph_retain(graph, object, count, flags));
}

#endif
