/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* What blocks.c and kernels.c share. */
#ifndef PROXYRT_BLOCKS_H
#define PROXYRT_BLOCKS_H

#include "gpu.h"
#include "kernel_abi.h"

enum { MAX_KERNELS = 64, NAME_BYTES = 128 };

typedef void entry(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                   uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                   uint64_t, uint64_t, uint64_t, uint64_t);
typedef struct kernel_thread **slot_of_thread(void);

struct kernel {
    struct module *module;
    entry *entry;
    char name[NAME_BYTES];
};

struct module {
    void *library;
    int file;
    slot_of_thread *slot;
    struct device *device;
    int kernel_count;
    struct kernel kernels[MAX_KERNELS];
};

extern const struct kernel_calls kernel_calls;

/* Runs one block to its end: SUCCESS or ILLEGAL_ADDRESS. */
int run_block(const struct kernel_launch *launch, struct kernel_index index);
/* Before anything touches memory for a device. */
void handle_faults_once(void);

#endif
