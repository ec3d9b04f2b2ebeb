/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* What a compiled kernel and its driver agree on. C and C++. */
#ifndef PROXYRT_KERNEL_ABI_H
#define PROXYRT_KERNEL_ABI_H

struct kernel_index {
    unsigned int x, y, z;
};

/* What a thread may know of itself. */
struct kernel_thread {
    struct kernel_index thread, block, block_size, grid_size;
};

/* What it asks of the driver. */
struct kernel_calls {
    void (*barrier)(void);
    unsigned long (*clock_ns)(void);
};

#endif
