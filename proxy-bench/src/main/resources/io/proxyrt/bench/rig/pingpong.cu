/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
// A word to a thread of the host and back, again and again. Both words are in pinned memory of the host; clocks gets
// when each answer was seen. A look at the host's memory takes a microsecond, whatever it finds: one that is begun
// before the answer can be there delays the next. A wait that takes too long ends the kernel, and leaves the rest of the
// clocks at 0.

typedef unsigned long long u64;

extern "C" __global__ void pingPong(u64 *tail, u64 *head, long long *clocks, u64 rounds, u64 pause,
        u64 limit) {
    if (threadIdx.x != 0 || blockIdx.x != 0) {
        return;
    }
    for (u64 round = 1; round <= rounds; round++) {
        // As after the data of a slot: what was stored before is visible to the host before the tail is.
        __threadfence_system();
        *(volatile u64 *) tail = round;
        long long start = clock64();
        while ((u64) (clock64() - start) < pause) {
        }
        while (*(volatile u64 *) head != round) {
            if ((u64) (clock64() - start) > limit) {
                return;
            }
        }
        clocks[round - 1] = clock64();
    }
}
