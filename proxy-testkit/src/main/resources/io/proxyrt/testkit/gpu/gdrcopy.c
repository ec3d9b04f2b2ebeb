/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* libgdrapi: what a device has, the CPU reads where it lies. Pages are those of the GPU. */
#include "gpu.h"

#include <stdlib.h>

enum { GPU_PAGE = 65536, NOT_PERMITTED = 1, BAD_ARGUMENT = 22, FORCE_PCIE = 1, WRITE_COMBINING = 1 };

struct gdr {
    int pins;
};

/* gdr_mh_t */
struct handle {
    unsigned long pinned;
};

struct pinned {
    unsigned long address;
    size_t bytes;
    bool is_mapped;
};

/* gdr_info_v2_t */
struct gdr_info {
    uint64_t address, mapped_bytes;
    uint32_t page_bytes;
    uint64_t cycles;
    uint32_t cycles_per_ms;
    unsigned int is_mapped : 1, is_write_combining : 1;
    int mapping_type;
};

static struct pinned *pinned_of(struct handle handle) {
    return (struct pinned *) handle.pinned;
}

EXPORTED struct gdr *gdr_open(void) {
    return injected("gdr_open") != SUCCESS ? NULL : calloc(1, sizeof(struct gdr));
}

EXPORTED int gdr_close(struct gdr *gdr) {
    if (gdr->pins > 0) {
        abort();
    }
    free(gdr);
    return injected("gdr_close");
}

static int pin(const char *call, struct gdr *gdr, unsigned long address, size_t bytes, struct handle *handle) {
    struct range range;
    int code = injected(call);
    if (code != SUCCESS) {
        return code;
    }
    if (address % GPU_PAGE != 0 || bytes == 0 || bytes % GPU_PAGE != 0
            || !range_of((void *) address, bytes, &range) || range.kind != DEVICE_MEMORY) {
        return BAD_ARGUMENT;
    }
    struct pinned *pinned = calloc(1, sizeof *pinned);
    *pinned = (struct pinned) {.address = address, .bytes = bytes};
    handle->pinned = (unsigned long) pinned;
    gdr->pins++;
    return SUCCESS;
}

EXPORTED int gdr_pin_buffer(struct gdr *gdr, unsigned long address, size_t bytes, uint64_t token, uint32_t space,
                            struct handle *handle) {
    return token != 0 || space != 0 ? BAD_ARGUMENT : pin("gdr_pin_buffer", gdr, address, bytes, handle);
}

EXPORTED int gdr_pin_buffer_v2(struct gdr *gdr, unsigned long address, size_t bytes, uint32_t flags,
                               struct handle *handle) {
    return flags > FORCE_PCIE ? BAD_ARGUMENT : pin("gdr_pin_buffer_v2", gdr, address, bytes, handle);
}

EXPORTED int gdr_unpin_buffer(struct gdr *gdr, struct handle handle) {
    struct pinned *pinned = pinned_of(handle);
    if (pinned->is_mapped) {
        abort();
    }
    free(pinned);
    gdr->pins--;
    return injected("gdr_unpin_buffer");
}

EXPORTED int gdr_get_info_v2(struct gdr *gdr, struct handle handle, struct gdr_info *info) {
    const struct pinned *pinned = pinned_of(handle);
    *info = (struct gdr_info) {.address = pinned->address, .mapped_bytes = pinned->bytes, .page_bytes = GPU_PAGE,
        .is_mapped = pinned->is_mapped, .is_write_combining = 1, .mapping_type = WRITE_COMBINING};
    return gdr->pins == 0 ? NOT_PERMITTED : injected("gdr_get_info_v2");
}

EXPORTED int gdr_map(struct gdr *gdr, struct handle handle, void **address, size_t bytes) {
    struct pinned *pinned = pinned_of(handle);
    int code = injected("gdr_map");
    if (code != SUCCESS || gdr->pins == 0 || bytes > pinned->bytes) {
        return code != SUCCESS ? code : BAD_ARGUMENT;
    }
    pinned->is_mapped = true;
    *address = (void *) pinned->address;
    return SUCCESS;
}

EXPORTED int gdr_unmap(struct gdr *gdr, struct handle handle, void *address, size_t bytes) {
    struct pinned *pinned = pinned_of(handle);
    if (gdr->pins == 0 || !pinned->is_mapped || address != (void *) pinned->address || bytes > pinned->bytes) {
        return BAD_ARGUMENT;
    }
    pinned->is_mapped = false;
    return injected("gdr_unmap");
}

EXPORTED void gdr_runtime_get_version(int *major, int *minor) {
    *major = 2;
    *minor = 5;
}

EXPORTED int gdr_driver_get_version(struct gdr *gdr, int *major, int *minor) {
    gdr_runtime_get_version(major, minor);
    return gdr == NULL ? BAD_ARGUMENT : SUCCESS;
}
