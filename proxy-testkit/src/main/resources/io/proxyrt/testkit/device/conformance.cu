/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// The kernels of DeviceConformance, for NVRTC, hipRTC and nvcc.
typedef unsigned long long u64;

static __device__ u64 first_index() {
    return (u64) blockIdx.x * blockDim.x + threadIdx.x;
}

static __device__ u64 threads() {
    return (u64) gridDim.x * blockDim.x;
}

extern "C" __global__ void fill(u64 *out, u64 count, u64 first) {
    for (u64 i = first_index(); i < count; i += threads()) {
        out[i] = first + i;
    }
}

extern "C" __global__ void add(u64 *out, u64 *a, u64 *b, u64 count) {
    for (u64 i = first_index(); i < count; i += threads()) {
        out[i] = a[i] + b[i];
    }
}

// By one thread. The clock is looked at in every turn, so that others have theirs.
extern "C" __global__ void hold(volatile u64 *word, u64 limit) {
    long long last = 0;
    for (u64 i = 0; i < limit && *word == 0 && last >= 0; i++) {
        last = clock64();
    }
    __threadfence_system();
}
