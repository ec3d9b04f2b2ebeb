/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Modules, their kernels, and launches. The blocks of a grid all run at once: kernels' blocks wait for each other. */
#include "blocks.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_GRID = 1024 };

/* ---- grids ---- */

struct grid {
    const struct kernel_launch *launch;
    uint32_t next;
    uint32_t left;
    int code;
};

/* Threads that wait for blocks to run. There are as many as blocks, for blocks may wait for each other. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    pthread_cond_t ended;
    struct grid *grids[4 * MAX_GRID]; /* one entry for each block that was not begun */
    uint32_t waiting;
    uint32_t busy;
    uint32_t threads;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

/* Called and left with the lock. */
static void run_next_block(struct grid *grid) {
    struct size3 size = grid->launch->grid;
    uint32_t at = grid->next++;
    pthread_mutex_unlock(&pool.lock);
    int code = run_block(grid->launch, (struct kernel_index) {at % size.x, at / size.x % size.y,
                                                              at / size.x / size.y});
    pthread_mutex_lock(&pool.lock);
    grid->code = code != SUCCESS ? code : grid->code;
    if (--grid->left == 0) {
        pthread_cond_broadcast(&pool.ended);
    }
}

static void *run_blocks(void *unused) {
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.waiting == 0) {
            pthread_cond_wait(&pool.posted, &pool.lock);
        }
        pool.busy++;
        run_next_block(pool.grids[--pool.waiting]);
        pool.busy--;
    }
    return unused;
}

/* Called with the lock. */
static bool start_thread(void) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    bool is_started = pthread_create(&thread, &attributes, run_blocks, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pool.threads += is_started;
    return is_started;
}

/* All blocks but one, which is the caller's. Called with the lock. */
static bool post_blocks(struct grid *grid, uint32_t count) {
    if (pool.waiting + count > sizeof pool.grids / sizeof pool.grids[0]) {
        return false;
    }
    while (pool.threads < pool.busy + pool.waiting + count) {
        if (!start_thread()) {
            return false;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        pool.grids[pool.waiting++] = grid;
    }
    pthread_cond_broadcast(&pool.posted);
    return true;
}

/* Arguments that are addresses of memory which the device may not touch are seen here; others by the fault. */
static bool has_access(const struct device *device, const struct kernel_launch *launch) {
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        struct range range;
        if (range_of((const void *) launch->arguments[i], 0, &range) && !may_access(device, &range)) {
            return false;
        }
    }
    return true;
}

int launch_run(const struct device *device, const struct kernel_launch *launch) {
    handle_faults_once();
    if (!has_access(device, launch)) {
        return ILLEGAL_ADDRESS;
    }
    uint32_t blocks = launch->grid.x * launch->grid.y * launch->grid.z;
    struct grid grid = {.launch = launch, .left = blocks};
    pthread_mutex_lock(&pool.lock);
    bool has_threads = post_blocks(&grid, blocks - 1);
    if (has_threads) {
        run_next_block(&grid);
    }
    while (has_threads && grid.left > 0) {
        pthread_cond_wait(&pool.ended, &pool.lock);
    }
    pthread_mutex_unlock(&pool.lock);
    return has_threads ? grid.code : LAUNCH_OUT_OF_RESOURCES;
}

static int check_launch(const struct kernel_launch *launch, const struct kernel *kernel, uint32_t shared_bytes) {
    uint64_t blocks = (uint64_t) launch->grid.x * launch->grid.y * launch->grid.z;
    uint64_t threads = (uint64_t) launch->block.x * launch->block.y * launch->block.z;
    if (kernel == NULL || kernel->module->library == NULL || kernel->module->device != current_device()) {
        return INVALID_HANDLE;
    }
    if (blocks == 0 || threads == 0 || threads > MAX_BLOCK_THREADS || shared_bytes > MAX_SHARED_BYTES) {
        return INVALID_VALUE;
    }
    return blocks > MAX_GRID ? LAUNCH_OUT_OF_RESOURCES : SUCCESS;
}

/* What BUFFER_POINTER (1), BUFFER_SIZE (2) and the brand's END enclose. */
static bool read_extra(struct kernel_launch *launch, void **extra, intptr_t end) {
    const void *buffer = NULL;
    size_t bytes = 0;
    for (; (intptr_t) extra[0] != end; extra += 2) {
        switch ((intptr_t) extra[0]) {
            case 1: buffer = extra[1]; break;
            case 2: bytes = *(size_t *) extra[1]; break;
            default: return false;
        }
    }
    if (bytes % sizeof(uint64_t) != 0 || bytes > sizeof launch->arguments || (buffer == NULL && bytes > 0)) {
        return false;
    }
    launch->argument_count = bytes / sizeof(uint64_t);
    memcpy(launch->arguments, buffer, bytes);
    return true;
}

/* Arguments come in a buffer only: their number is not to be had from a shared library. */
int launch(struct stream *stream, struct kernel_launch *launch, struct kernel *kernel, uint32_t shared_bytes,
           void **parameters, void **extra, intptr_t end) {
    int code = check_launch(launch, kernel, shared_bytes);
    if (code != SUCCESS) {
        return code;
    }
    if (parameters != NULL) {
        return NOT_SUPPORTED;
    }
    if (extra != NULL && !read_extra(launch, extra, end)) {
        return INVALID_VALUE;
    }
    launch->kernel = kernel;
    return stream_launch(stream, launch);
}

/* ---- modules ---- */

/* How long it is: the compiler's libraries end with the table of their sections. 0 if it is no library. */
static size_t image_bytes(const char *image) {
    static const char magic[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64};
    for (size_t i = 0; i < sizeof magic; i++) {
        if (image[i] != magic[i]) {
            return 0;
        }
    }
    const Elf64_Ehdr *header = (const Elf64_Ehdr *) image;
    return header->e_shoff + (size_t) header->e_shnum * header->e_shentsize;
}

/* From a file of its own: modules that are loaded twice share nothing. It stays open as long as the module is loaded,
 * for dlopen takes two libraries of one name for the same. */
static void *open_image(const char *image, size_t bytes, int *file) {
    char path[64];
    void *library = NULL;
    *file = memfd_create("proxyrt-gpu-module", MFD_CLOEXEC);
    if (*file >= 0 && write(*file, image, bytes) == (ssize_t) bytes) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL) {
        close(*file);
    }
    return library;
}

int module_load(const void *image, struct module **loaded) {
    size_t bytes = image == NULL ? 0 : image_bytes(image);
    int file = -1;
    void *library = bytes == 0 ? NULL : open_image(image, bytes, &file);
    if (library == NULL) {
        return INVALID_IMAGE;
    }
    const struct kernel_calls **to_calls = dlsym(library, "kernel_calls");
    slot_of_thread *slot = (slot_of_thread *) dlsym(library, "kernel_thread_slot");
    const char *architecture = dlsym(library, "kernel_architecture");
    if (to_calls == NULL || slot == NULL || architecture == NULL || !is_architecture(architecture)) {
        dlclose(library);
        close(file);
        return NO_BINARY;
    }
    struct module *module = calloc(1, sizeof *module);
    *to_calls = &kernel_calls;
    module->library = library;
    module->file = file;
    module->slot = slot;
    module->device = current_device();
    *loaded = module;
    return SUCCESS;
}

/* Its few bytes stay, so that who uses it afterwards is told. */
int module_unload(struct module *module) {
    if (module == NULL || module->library == NULL) {
        return INVALID_HANDLE;
    }
    wait_for_device(module->device);
    dlclose(module->library);
    close(module->file);
    module->library = NULL;
    return SUCCESS;
}

static struct kernel *known_kernel(struct module *module, const char *name) {
    for (int i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0) {
            return &module->kernels[i];
        }
    }
    return NULL;
}

static struct kernel *new_kernel(struct module *module, const char *name) {
    entry *entry_of_kernel = (entry *) dlsym(module->library, name);
    if (entry_of_kernel == NULL || module->kernel_count == MAX_KERNELS || strlen(name) >= NAME_BYTES) {
        return NULL;
    }
    struct kernel *kernel = &module->kernels[module->kernel_count++];
    kernel->module = module;
    kernel->entry = entry_of_kernel;
    strcpy(kernel->name, name);
    return kernel;
}

int module_kernel(struct module *module, const char *name, struct kernel **found) {
    if (module == NULL || module->library == NULL) {
        return INVALID_HANDLE;
    }
    pthread_mutex_lock(&tables);
    struct kernel *kernel = known_kernel(module, name);
    *found = kernel != NULL ? kernel : new_kernel(module, name);
    pthread_mutex_unlock(&tables);
    return *found != NULL ? SUCCESS : NOT_FOUND;
}
