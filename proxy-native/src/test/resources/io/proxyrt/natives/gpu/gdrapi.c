/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Plays libgdrapi with memory of the host. It is as strict as the library and its driver, and keeps a list of calls. */
#include "standin.h"
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define GPU_PAGE 65536UL

#ifndef LIBRARY_MINOR
#define LIBRARY_MINOR 5
#endif
#ifndef MAPPING_TYPE
#define MAPPING_TYPE 1 /* write-combining */
#endif
/* What is mapped before the page that was asked for, for a driver may align. */
#ifndef BEFORE
#define BEFORE 0UL
#endif
#ifndef CONTENT
#define CONTENT 0
#endif

/* 1: gdr_open finds no gdrdrv, and takes dma-bufs, as the library does from 2.6 on. */
#ifndef DMA_BUF
#define DMA_BUF 0
#endif

typedef struct gdr {
    int pins;
    int fd;
} *gdr_t;

typedef struct {
    unsigned long h;
} gdr_mh_t;

typedef struct {
    uint64_t va;
    uint64_t mapped_size;
    uint32_t page_size;
    uint64_t tm_cycles;
    uint32_t cycles_per_ms;
    unsigned mapped : 1;
    unsigned wc_mapping : 1;
    int mapping_type;
} gdr_info_v2_t;

struct pinned {
    unsigned long address;
    size_t size;
    char *map;
};

static struct pinned *last;

#ifdef CLOSE_STATUS
__attribute__((constructor)) static void fail_close(void) {
    standin_fail("close", CLOSE_STATUS);
}
#endif

/* For the test: reads of a device that has left the bus. */
void standin_lose(void) {
    memset(last->map, 0xff, last->size + BEFORE);
}

gdr_t gdr_open(void) {
    called("open");
#ifdef NO_DRIVER
    return NULL;
#else
    gdr_t g = calloc(1, sizeof(struct gdr));
    g->fd = DMA_BUF ? -1 : 1;
    return g;
#endif
}

int gdr_close(gdr_t g) {
    int status = called("close");
    if (g->pins != 0) {
        abort();
    }
    free(g);
    return status;
}

static int pin(gdr_t g, unsigned long address, size_t size, gdr_mh_t *handle) {
    if (address % GPU_PAGE != 0 || size % GPU_PAGE != 0 || size == 0) {
        return EINVAL;
    }
    last = calloc(1, sizeof *last);
    last->address = address;
    last->size = size;
    handle->h = (unsigned long) last;
    g->pins++;
    return 0;
}

int gdr_pin_buffer(gdr_t g, unsigned long address, size_t size, uint64_t token, uint32_t space, gdr_mh_t *handle) {
    int status = called("pin");
    return status != 0 ? status : token != 0 || space != 0 ? EINVAL : pin(g, address, size, handle);
}

#ifndef NO_FLAGS
int gdr_pin_buffer_v2(gdr_t g, unsigned long address, size_t size, uint32_t flags, gdr_mh_t *handle) {
    int status = called("pin_v2");
    return status != 0 ? status : flags > 1 ? EINVAL : pin(g, address, size, handle);
}
#endif

int gdr_unpin_buffer(gdr_t g, gdr_mh_t handle) {
    struct pinned *pinned = (struct pinned *) handle.h;
    int status = called("unpin");
    if (pinned->map != NULL) {
        abort();
    }
    free(pinned);
    g->pins--;
    return status;
}

int gdr_get_info_v2(gdr_t g, gdr_mh_t handle, gdr_info_v2_t *info) {
    struct pinned *pinned = (struct pinned *) handle.h;
    int status = called("info");
    (void) g;
    if (status == 0) {
        memset(info, 0x55, sizeof *info);
        info->va = pinned->address - BEFORE;
        info->mapped_size = pinned->size + BEFORE;
        info->page_size = GPU_PAGE;
        info->mapped = pinned->map != NULL;
        info->wc_mapping = MAPPING_TYPE == 1;
        info->mapping_type = MAPPING_TYPE;
    }
    return status;
}

#ifndef NO_MAP
int gdr_map(gdr_t g, gdr_mh_t handle, void **va, size_t size) {
    struct pinned *pinned = (struct pinned *) handle.h;
    int status = called("map");
    (void) g;
    if (status != 0 || size != pinned->size) {
        return status != 0 ? status : EINVAL;
    }
    char *map = mmap(NULL, size + BEFORE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return errno;
    }
    memset(map, 0xaa, size + BEFORE);
    memset(map + BEFORE, CONTENT, size);
    pinned->map = map;
    *va = map;
    return 0;
}
#endif

int gdr_unmap(gdr_t g, gdr_mh_t handle, void *va, size_t size) {
    struct pinned *pinned = (struct pinned *) handle.h;
    int status = called("unmap");
    (void) g;
    if (va != pinned->map || size != pinned->size || munmap(va, size + BEFORE) != 0) {
        abort();
    }
    pinned->map = NULL;
    return status;
}

void gdr_runtime_get_version(int *major, int *minor) {
    *major = 2;
    *minor = LIBRARY_MINOR;
}

int gdr_driver_get_version(gdr_t g, int *major, int *minor) {
    /* The library has an assert here. */
    if (g->fd <= 0) {
        abort();
    }
#ifdef DRIVER_STATUS
    (void) major;
    (void) minor;
    return DRIVER_STATUS;
#else
    *major = 2;
    *minor = 4;
    return 0;
#endif
}

#ifndef NO_ATTRIBUTES
int gdr_get_attribute(gdr_t g, int attribute, int *value) {
    if (LIBRARY_MINOR < 6 || attribute < 1 || attribute > 3) {
        return -EINVAL;
    }
    *value = attribute == 3 ? g->fd == -1 : 0;
    return 0;
}
#endif
