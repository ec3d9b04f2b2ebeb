/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Memory of devices and of the host, each range known; and handles of it for other processes. */
#include "gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL_STEP = 512, OLD_BYTE = 0xa5, OLD_BYTES = 4 << 20 };
static const uint64_t IPC_MAGIC = 0x7069636879787270;

/* Sorted by address, without overlaps. */
static struct range *ranges;
static size_t range_count;
static size_t range_room;

static size_t whole_pages(size_t bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* The first that begins behind the address. */
static size_t index_behind(uintptr_t address) {
    size_t low = 0;
    size_t high = range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct range *range_at(uintptr_t address, size_t bytes) {
    size_t behind = index_behind(address);
    if (behind == 0) {
        return NULL;
    }
    struct range *range = &ranges[behind - 1];
    uintptr_t offset = address - range->base;
    return offset <= range->bytes && bytes <= range->bytes - offset ? range : NULL;
}

bool range_of(const void *address, size_t bytes, struct range *found) {
    pthread_mutex_lock(&tables);
    struct range *range = range_at((uintptr_t) address, bytes);
    if (range != NULL) {
        *found = *range;
    }
    pthread_mutex_unlock(&tables);
    return range != NULL;
}

bool may_access(const struct device *device, const struct range *range) {
    if (range->kind == MAPPED_MEMORY) {
        return (range->access >> device->ordinal & 1) != 0;
    }
    if (range->number < 0 || range->number == device->number || range->kind == OPENED_MEMORY) {
        return true;
    }
    struct device *owner = device_of_number(range->number);
    return owner != NULL && (__atomic_load_n(&device->peers, __ATOMIC_ACQUIRE) >> owner->ordinal & 1) != 0;
}

void range_add(const struct range *range) {
    pthread_mutex_lock(&tables);
    if (range_count == range_room) {
        range_room = range_room == 0 ? 64 : 2 * range_room;
        ranges = reallocarray(ranges, range_room, sizeof *ranges);
    }
    size_t at = index_behind(range->base);
    memmove(&ranges[at + 1], &ranges[at], (range_count - at) * sizeof *ranges);
    ranges[at] = *range;
    range_count++;
    pthread_mutex_unlock(&tables);
}

bool range_take(const void *address, enum kind kind, struct range *taken) {
    pthread_mutex_lock(&tables);
    struct range *range = range_at((uintptr_t) address, 0);
    bool is_there = range != NULL && range->base == (uintptr_t) address && range->kind == kind;
    if (is_there) {
        *taken = *range;
        size_t at = range - ranges;
        range_count--;
        memmove(range, range + 1, (range_count - at) * sizeof *ranges);
    }
    pthread_mutex_unlock(&tables);
    return is_there;
}

bool range_grant(const void *address, size_t bytes, uint32_t access) {
    pthread_mutex_lock(&tables);
    struct range *range = range_at((uintptr_t) address, bytes);
    bool is_mapped = range != NULL && range->kind == MAPPED_MEMORY;
    if (is_mapped) {
        range->access |= access;
    }
    pthread_mutex_unlock(&tables);
    return is_mapped;
}

int memory_file(int number, const char *use, size_t bytes) {
    char name[64];
    snprintf(name, sizeof name, "proxyrt-gpu:%s:%d:%s", brand, number, use);
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, (off_t) bytes) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

int memory_file_number(int fd, const char *use, size_t *bytes) {
    char link[64];
    char target[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = '\0';
    char format[64];
    snprintf(format, sizeof format, "/memfd:proxyrt-gpu:%s:%%d:%s %%n", brand, use);
    int number;
    int end = 0;
    struct stat status;
    if (sscanf(target, format, &number, &end) != 1 || end == 0 || fstat(fd, &status) != 0) {
        return -2;
    }
    *bytes = (size_t) status.st_size;
    return number;
}

static bool reserve_room(struct device *device, size_t bytes) {
    pthread_mutex_lock(&tables);
    bool has_room = bytes <= device_memory_bytes() - device->used;
    if (has_room) {
        device->used += bytes;
    }
    pthread_mutex_unlock(&tables);
    return has_room;
}

static void give_room_back(int number, size_t bytes) {
    struct device *device = device_of_number(number);
    pthread_mutex_lock(&tables);
    device->used -= bytes;
    pthread_mutex_unlock(&tables);
}

/* CUDA packs small blocks, 512 bytes apart; HIP begins a page for each. */
static size_t small_offset(size_t bytes) {
    static size_t turn;
    return brand[0] != 'c' || bytes >= GRANULARITY / 2 ? 0
        : __atomic_add_fetch(&turn, 1, __ATOMIC_RELAXED) * SMALL_STEP % PAGE;
}

/* New memory must not pass for zeroed. */
static void make_old(void *address, size_t bytes) {
    memset(address, OLD_BYTE, bytes < OLD_BYTES ? bytes : OLD_BYTES);
}

static int map_file(struct range *range, int fd) {
    range->mapping = mmap(NULL, range->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (range->mapping == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    struct stat status;
    fstat(fd, &status);
    range->inode = status.st_ino;
    range->fd = fd;
    range->references = 1;
    return SUCCESS;
}

int memory_allocate(size_t bytes, void **address) {
    if (bytes == 0) {
        *address = NULL;
        return SUCCESS;
    }
    struct device *device = current_device();
    if (bytes > device_memory_bytes() || !reserve_room(device, bytes)) {
        return OUT_OF_MEMORY;
    }
    size_t offset = small_offset(bytes);
    struct range range = {.bytes = bytes, .kind = DEVICE_MEMORY, .number = device->number,
                          .mapped_bytes = whole_pages(bytes + offset)};
    int fd = memory_file(device->number, "memory", range.mapped_bytes);
    if (fd < 0 || map_file(&range, fd) != SUCCESS) {
        close(fd);
        give_room_back(device->number, bytes);
        return OUT_OF_MEMORY;
    }
    range.base = (uintptr_t) range.mapping + offset;
    make_old((void *) range.base, bytes);
    range_add(&range);
    *address = (void *) range.base;
    return SUCCESS;
}

/* Waits for the device first, as drivers do. */
int memory_free(void *address) {
    struct range range;
    if (address == NULL) {
        return SUCCESS;
    }
    if (!range_of(address, 0, &range) || range.kind != DEVICE_MEMORY) {
        return INVALID_VALUE;
    }
    wait_for_device(device_of_number(range.number));
    if (!range_take(address, DEVICE_MEMORY, &range)) {
        return INVALID_VALUE;
    }
    munmap(range.mapping, range.mapped_bytes);
    close(range.fd);
    give_room_back(range.number, range.bytes);
    return SUCCESS;
}

int host_allocate(size_t bytes, void **address) {
    if (bytes == 0) {
        *address = NULL;
        return SUCCESS;
    }
    if (bytes > SIZE_MAX / 2) {
        return OUT_OF_MEMORY;
    }
    struct range range = {.bytes = bytes, .kind = HOST_MEMORY, .number = -1, .fd = -1,
                          .mapped_bytes = whole_pages(bytes)};
    range.mapping = mmap(NULL, range.mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range.mapping == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    range.base = (uintptr_t) range.mapping;
    make_old(range.mapping, bytes);
    range_add(&range);
    *address = range.mapping;
    return SUCCESS;
}

int host_free(void *address) {
    struct range range;
    if (address == NULL) {
        return SUCCESS;
    }
    if (!range_of(address, 0, &range) || range.kind != HOST_MEMORY) {
        return INVALID_VALUE;
    }
    wait_for_device(NULL);
    if (!range_take(address, HOST_MEMORY, &range)) {
        return INVALID_VALUE;
    }
    munmap(range.mapping, range.mapped_bytes);
    return SUCCESS;
}

static bool overlaps(uintptr_t address, size_t bytes) {
    pthread_mutex_lock(&tables);
    size_t behind = index_behind(address);
    bool is_known = (behind > 0 && address - ranges[behind - 1].base < ranges[behind - 1].bytes)
        || (behind < range_count && ranges[behind].base - address < bytes);
    pthread_mutex_unlock(&tables);
    return is_known;
}

/* Whether every page of it is mapped. */
static bool is_mapped(uintptr_t address, size_t bytes) {
    uintptr_t first = address / PAGE * PAGE;
    size_t pages = (address + bytes - first + PAGE - 1) / PAGE;
    unsigned char *seen = malloc(pages);
    bool is_there = seen != NULL && mincore((void *) first, pages * PAGE, seen) == 0;
    free(seen);
    return is_there;
}

int host_register(void *address, size_t bytes) {
    if (address == NULL || bytes == 0 || bytes > SIZE_MAX / 2 || !is_mapped((uintptr_t) address, bytes)) {
        return INVALID_VALUE;
    }
    if (overlaps((uintptr_t) address, bytes)) {
        return ALREADY_REGISTERED;
    }
    struct range range = {.base = (uintptr_t) address, .bytes = bytes, .kind = REGISTERED_MEMORY, .number = -1,
                          .fd = -1};
    range_add(&range);
    return SUCCESS;
}

int host_unregister(void *address) {
    struct range range;
    wait_for_device(NULL);
    return range_take(address, REGISTERED_MEMORY, &range) ? SUCCESS : NOT_REGISTERED;
}

int host_device_pointer(void *address, void **device_address) {
    struct range range;
    if (!range_of(address, 0, &range) || (range.kind != HOST_MEMORY && range.kind != REGISTERED_MEMORY)) {
        return INVALID_VALUE;
    }
    *device_address = address;
    return SUCCESS;
}

static bool is_of_host(const struct range *range) {
    return range->kind == HOST_MEMORY || range->kind == REGISTERED_MEMORY;
}

/* Attributes have the sizes that drivers give them. */
int pointer_attribute(void *data, int attribute, const void *address, int host_type, int device_type) {
    struct range range;
    if (!range_of(address, 1, &range)) {
        return INVALID_VALUE;
    }
    const struct device *owner = range.number < 0 ? NULL : device_of_number(range.number);
    switch (attribute) {
        case 2: *(uint32_t *) data = is_of_host(&range) ? host_type : device_type; return SUCCESS;
        case 3:
            *(const void **) data = address;
            return may_access(current_device(), &range) ? SUCCESS : INVALID_VALUE;
        case 8: *(bool *) data = false; return SUCCESS;
        case 9: *(int *) data = owner == NULL ? 0 : owner->ordinal; return SUCCESS;
        case 10: *(bool *) data = range.kind == DEVICE_MEMORY; return SUCCESS;
        case 11: *(uintptr_t *) data = range.base; return SUCCESS;
        case 12: *(size_t *) data = range.bytes; return SUCCESS;
        default: return INVALID_VALUE;
    }
}

int address_range(void **base, size_t *bytes, const void *address) {
    struct range range;
    if (!range_of(address, 1, &range) || is_of_host(&range)) {
        return NOT_FOUND;
    }
    *base = (void *) range.base;
    *bytes = range.bytes;
    return SUCCESS;
}

int ipc_export(void *address, struct ipc_handle *handle) {
    struct range range;
    if (!range_of(address, 0, &range) || range.kind != DEVICE_MEMORY || range.base != (uintptr_t) address) {
        return INVALID_VALUE;
    }
    memset(handle, 0, sizeof *handle);
    handle->magic = IPC_MAGIC;
    handle->inode = range.inode;
    handle->bytes = range.bytes;
    handle->offset = range.base - (uintptr_t) range.mapping;
    handle->pid = getpid();
    handle->fd = range.fd;
    handle->number = range.number;
    return SUCCESS;
}

/* Of the process that exported it, if it still lives and still has it. */
static int open_exported(const struct ipc_handle *handle) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", handle->pid, handle->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat status;
    size_t bytes;
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_ino != handle->inode
                    || memory_file_number(fd, "memory", &bytes) != handle->number
                    || bytes < handle->offset || bytes - handle->offset < handle->bytes)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The range that is open already, with one more reference; 0 if it is not. */
static uintptr_t open_again(uint64_t inode) {
    uintptr_t base = 0;
    pthread_mutex_lock(&tables);
    for (size_t i = 0; i < range_count && base == 0; i++) {
        if (ranges[i].kind == OPENED_MEMORY && ranges[i].inode == inode) {
            ranges[i].references++;
            base = ranges[i].base;
        }
    }
    pthread_mutex_unlock(&tables);
    return base;
}

static int map_exported(const struct ipc_handle *handle, int fd, void **address) {
    uintptr_t base = open_again(handle->inode);
    if (base == 0) {
        struct range range = {.bytes = handle->bytes, .kind = OPENED_MEMORY, .number = handle->number,
                              .mapped_bytes = whole_pages(handle->bytes + handle->offset)};
        int code = map_file(&range, fd);
        if (code != SUCCESS) {
            return code;
        }
        range.fd = -1;
        base = range.base = (uintptr_t) range.mapping + handle->offset;
        range_add(&range);
    }
    *address = (void *) base;
    return SUCCESS;
}

/* A process does not open what it exported itself. */
int ipc_open(const struct ipc_handle *handle, void **address) {
    if (handle->magic != IPC_MAGIC) {
        return INVALID_VALUE;
    }
    if (handle->pid == getpid()) {
        return INVALID_CONTEXT;
    }
    struct device *owner = device_of_number(handle->number);
    struct device *device = current_device();
    if (owner != NULL && owner != device && !can_access_peer(device->ordinal, owner->ordinal)) {
        return NOT_SUPPORTED;
    }
    int fd = open_exported(handle);
    if (fd < 0) {
        return INVALID_HANDLE;
    }
    int code = map_exported(handle, fd, address);
    close(fd);
    return code;
}

static bool drop_reference(void *address) {
    pthread_mutex_lock(&tables);
    struct range *range = range_at((uintptr_t) address, 0);
    bool is_used = range != NULL && range->kind == OPENED_MEMORY && range->base == (uintptr_t) address
        && --range->references > 0;
    pthread_mutex_unlock(&tables);
    return is_used;
}

int ipc_close(void *address) {
    struct range range;
    if (drop_reference(address)) {
        return SUCCESS;
    }
    wait_for_device(NULL);
    if (!range_take(address, OPENED_MEMORY, &range)) {
        return INVALID_VALUE;
    }
    munmap(range.mapping, range.mapped_bytes);
    return SUCCESS;
}
