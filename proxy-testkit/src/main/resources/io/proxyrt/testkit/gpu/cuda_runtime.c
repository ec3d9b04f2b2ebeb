/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libcudart's entry points. Versions are those of CUDA 13.0. */
#include "gpu.h"

const char brand[] = "cuda";
const char visible_devices[] = "CUDA_VISIBLE_DEVICES";
const int no_device_code = NO_DEVICE;
const char architecture[] = "sm_90";

enum { VERSION = 13000, MAX_COPY_KIND = 4, INVALID_COPY_KIND = 21, LAZY_ENABLE_PEER_ACCESS = 1 };

#define RUNTIME(name) cuda##name
#include "runtime_calls.h"

EXPORTED int cudaDriverGetVersion(int *version) {
    *version = VERSION;
    return SUCCESS;
}

EXPORTED const char *cudaGetErrorName(int error) {
    const char *name = error_name(error);
    return name == NULL ? "unrecognized error code" : name;
}

EXPORTED int cudaGetDeviceCount(int *count) {
    *count = device_count();
    CALL(cudaGetDeviceCount, SUCCESS);
}

EXPORTED int cudaHostAlloc(void **address, size_t bytes, unsigned int flags) {
    UNSAFE_CALL(cudaHostAlloc, flags > 7 ? INVALID_VALUE : host_allocate(bytes, address));
}

EXPORTED int cudaFreeHost(void *address) {
    UNSAFE_CALL(cudaFreeHost, host_free(address));
}

EXPORTED int cudaEventCreateWithFlags(struct event **event, unsigned int flags) {
    CALL(cudaEventCreateWithFlags, flags > 7 ? INVALID_VALUE : event_create(event));
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
