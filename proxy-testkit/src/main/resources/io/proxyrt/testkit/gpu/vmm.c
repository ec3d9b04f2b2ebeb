/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Memory in three steps: physical memory, which a descriptor can stand for; addresses; and access to what is mapped. */
#include "gpu.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct physical {
    int fd; /* -1 once it is released */
    int number;
    size_t bytes;
};

struct reservation {
    uintptr_t base;
    size_t bytes; /* 0 if it is free */
};

static struct physical *physicals;
static uint64_t physical_count;
static struct reservation *reservations;
static size_t reservation_count;

static bool is_granular(size_t bytes) {
    return bytes % GRANULARITY == 0;
}

static int add_physical(int fd, int number, size_t bytes, uint64_t *added) {
    pthread_mutex_lock(&tables);
    physicals = reallocarray(physicals, physical_count + 1, sizeof *physicals);
    physicals[physical_count] = (struct physical) {.fd = fd, .number = number, .bytes = bytes};
    *added = ++physical_count;
    pthread_mutex_unlock(&tables);
    return SUCCESS;
}

static bool find_physical(uint64_t id, struct physical *found) {
    pthread_mutex_lock(&tables);
    bool is_there = id > 0 && id <= physical_count && physicals[id - 1].fd >= 0;
    if (is_there) {
        *found = physicals[id - 1];
    }
    pthread_mutex_unlock(&tables);
    return is_there;
}

int physical_create(size_t bytes, int number, uint64_t *created) {
    if (bytes == 0 || !is_granular(bytes)) {
        return INVALID_VALUE;
    }
    int fd = bytes > device_memory_bytes() ? -1 : memory_file(number, "physical", bytes);
    return fd < 0 ? OUT_OF_MEMORY : add_physical(fd, number, bytes, created);
}

/* What is mapped of it stays. */
int physical_release(uint64_t id) {
    struct physical physical;
    if (!find_physical(id, &physical)) {
        return INVALID_VALUE;
    }
    pthread_mutex_lock(&tables);
    physicals[id - 1].fd = -1;
    pthread_mutex_unlock(&tables);
    close(physical.fd);
    return SUCCESS;
}

int physical_export(uint64_t id, int *fd) {
    struct physical physical;
    if (!find_physical(id, &physical)) {
        return INVALID_VALUE;
    }
    *fd = fcntl(physical.fd, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? OUT_OF_MEMORY : SUCCESS;
}

int physical_import(int fd, uint64_t *imported) {
    size_t bytes;
    int number = memory_file_number(fd, "physical", &bytes);
    if (number < -1) {
        return INVALID_VALUE;
    }
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    return own < 0 ? OUT_OF_MEMORY : add_physical(own, number, bytes, imported);
}

static void add_reservation(uintptr_t base, size_t bytes) {
    pthread_mutex_lock(&tables);
    size_t at = 0;
    while (at < reservation_count && reservations[at].bytes != 0) {
        at++;
    }
    if (at == reservation_count) {
        reservations = reallocarray(reservations, ++reservation_count, sizeof *reservations);
    }
    reservations[at] = (struct reservation) {.base = base, .bytes = bytes};
    pthread_mutex_unlock(&tables);
}

static bool take_reservation(uintptr_t base, size_t bytes) {
    bool is_there = false;
    pthread_mutex_lock(&tables);
    for (size_t i = 0; i < reservation_count && !is_there; i++) {
        is_there = reservations[i].base == base && reservations[i].bytes == bytes;
        if (is_there) {
            reservations[i].bytes = 0;
        }
    }
    pthread_mutex_unlock(&tables);
    return is_there;
}

static bool is_reserved(uintptr_t base, size_t bytes) {
    bool is_there = false;
    pthread_mutex_lock(&tables);
    for (size_t i = 0; i < reservation_count && !is_there; i++) {
        uintptr_t offset = base - reservations[i].base;
        is_there = offset < reservations[i].bytes && bytes <= reservations[i].bytes - offset;
    }
    pthread_mutex_unlock(&tables);
    return is_there;
}

/* Begins at a multiple of the granularity, as devices' large pages do. */
int address_reserve(size_t bytes, size_t alignment, void **address) {
    if (bytes == 0 || !is_granular(bytes) || (alignment & (alignment - 1)) != 0) {
        return INVALID_VALUE;
    }
    size_t step = alignment < GRANULARITY ? GRANULARITY : alignment;
    char *wide = bytes > SIZE_MAX / 2 - step ? MAP_FAILED
        : mmap(NULL, bytes + step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (wide == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    size_t before = (step - (uintptr_t) wide % step) % step;
    if (before > 0) {
        munmap(wide, before);
    }
    if (step > before) {
        munmap(wide + before + bytes, step - before);
    }
    *address = wide + before;
    add_reservation((uintptr_t) *address, bytes);
    return SUCCESS;
}

int address_free(void *address, size_t bytes) {
    if (!take_reservation((uintptr_t) address, bytes)) {
        return INVALID_VALUE;
    }
    munmap(address, bytes);
    return SUCCESS;
}

/* No device may touch it yet. */
int physical_map(void *address, size_t bytes, size_t offset, uint64_t id) {
    struct physical physical;
    struct range range;
    if (!find_physical(id, &physical) || offset != 0 || bytes == 0 || !is_granular(bytes) || bytes > physical.bytes
            || !is_reserved((uintptr_t) address, bytes) || range_of(address, bytes, &range)) {
        return INVALID_VALUE;
    }
    if (mmap(address, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, physical.fd, 0) == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    range = (struct range) {.base = (uintptr_t) address, .bytes = bytes, .kind = MAPPED_MEMORY,
                            .number = physical.number, .fd = fcntl(physical.fd, F_DUPFD_CLOEXEC, 0),
                            .mapping = address, .mapped_bytes = bytes};
    range_add(&range);
    return SUCCESS;
}

/* Its addresses stay reserved. */
int physical_unmap(void *address, size_t bytes) {
    struct range range;
    if (!range_of(address, bytes, &range) || range.kind != MAPPED_MEMORY || range.bytes != bytes) {
        return INVALID_VALUE;
    }
    wait_for_device(NULL);
    if (!range_take(address, MAPPED_MEMORY, &range)) {
        return INVALID_VALUE;
    }
    mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    close(range.fd);
    return SUCCESS;
}

static int grant(void *address, size_t bytes, int ordinal) {
    struct range range;
    struct device *device = device_at(ordinal);
    if (device == NULL) {
        return INVALID_DEVICE;
    }
    if (!range_of(address, bytes, &range) || range.kind != MAPPED_MEMORY) {
        return INVALID_VALUE;
    }
    struct device *owner = device_of_number(range.number);
    if (owner != NULL && owner != device && !can_access_peer(ordinal, owner->ordinal)) {
        return INVALID_DEVICE;
    }
    if (mprotect(address, bytes, PROT_READ | PROT_WRITE) != 0) {
        return OUT_OF_MEMORY;
    }
    return range_grant(address, bytes, 1U << ordinal) ? SUCCESS : INVALID_VALUE;
}

int set_access(void *address, size_t bytes, const struct access *access, size_t count) {
    int code = count == 0 ? INVALID_VALUE : SUCCESS;
    for (size_t i = 0; i < count && code == SUCCESS; i++) {
        code = access[i].flags != READ_WRITE || access[i].location.type != LOCATION_DEVICE ? INVALID_VALUE
            : grant(address, bytes, access[i].location.id);
    }
    return code;
}

/* Small blocks are parts of larger ones, which no driver exports. */
int export_dma_buf(const void *address, size_t bytes, int *fd, uint64_t *offset) {
    struct range range;
    if (bytes == 0 || bytes % PAGE != 0 || (uintptr_t) address % PAGE != 0 || !range_of(address, bytes, &range)
            || (range.kind != DEVICE_MEMORY && range.kind != MAPPED_MEMORY) || range.bytes < GRANULARITY) {
        return INVALID_VALUE;
    }
    *offset = (uintptr_t) address - (uintptr_t) range.mapping;
    *fd = fcntl(range.fd, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? OUT_OF_MEMORY : SUCCESS;
}
