/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * A GPU driver over host memory and threads, for tests where there is no GPU. This is what the CUDA and the HIP entry
 * points (cuda_runtime.c, cuda_driver.c, hip.c, hip_driver.c, rtc.c) share; those that differ by their prefix alone are
 * in runtime_calls.h and driver_calls.h. One library is one brand, CUDA or HIP.
 *
 * What it takes after is what drivers do and callers trip over: the current device is the thread's; memory comes with
 * old bytes; queues are bounded, and a full one blocks; freeing waits for the device; an error of a kernel
 * or a copy sticks to the device; access to memory has to be given before it is used.
 */
#ifndef PROXYRT_GPU_H
#define PROXYRT_GPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORTED __attribute__((visibility("default")))

/* What is in an entry point: it does what follows, unless it has to fail. */
#define CALL(name, result) \
    int code = enter(QUOTED(name)); \
    return leave(code != SUCCESS ? code : (result))

/* The same of what a capture forbids to other threads, and to its own: that fails, and ends the capture. */
#define UNSAFE_CALL(name, result) CALL(name, capture_forbids() ? CAPTURE_UNSUPPORTED : (result))

#define QUOTED(name) AS_IT_IS(name)
#define AS_IT_IS(name) #name

/* Which library this is: -DCUDA, or -DHIP=5, 6 or 7. */
#ifdef CUDA
#define COMPILER_DEFINES "-D__CUDACC__", "-D__CUDACC_RTC__"
#else
#define COMPILER_DEFINES "-D__HIPCC__", "-D__HIPCC_RTC__", "-D__HIP__", "-D__HIP_PLATFORM_AMD__"
#endif

enum {
    MAX_DEVICES = 16,
    MAX_BLOCK_THREADS = 256,
    MAX_SHARED_BYTES = 48 << 10,
    MAX_ARGUMENTS = 24,
    PROCESSORS = 4,
    ASYNC_ENGINES = 2,
    PAGE = 4096,
    GRANULARITY = 2 << 20
};

/* CUDA and HIP agree on these numbers, if not on the names: errors.c has those. */
enum code {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    PEER_ACCESS_NOT_ENABLED = 705,
    ALREADY_REGISTERED = 712,
    NOT_REGISTERED = 713,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901
};

/* ---- devices.c ---- */

struct stream;

struct device {
    int ordinal; /* as this process counts */
    int number;  /* as the host does: what CUDA_VISIBLE_DEVICES chooses from */
    int sticky;  /* what every call returns since a kernel or a copy failed; 0 if none did */
    uint32_t peers; /* a bit for each ordinal whose memory its kernels may touch */
    size_t used;
    uint32_t *hdp; /* a word that flushes the host data path */
    struct stream *null_stream;
};

extern const char brand[]; /* of the library: "cuda", "hip" */
extern const char visible_devices[]; /* the variable that chooses */
extern const int no_device_code;
extern pthread_mutex_t tables; /* of devices, ranges and streams */

/* Begins every call: SUCCESS, what was asked for by a test, or what sticks to the current device. */
int enter(const char *call);
/* As enter, where a thread has to have a context of its own. */
int enter_context(const char *call);
/* Remembers the last error of the thread. */
int leave(int code);
/* And forgets it. */
int last_error(void);

int device_count(void);
struct device *device_at(int ordinal); /* NULL if there is none */
struct device *device_of_number(int number); /* NULL if it is not visible */
struct device *current_device(void);
int set_current_device(const char *call, int ordinal);
bool can_access_peer(int ordinal, int peer);
int enable_peer_access(int peer);
int pci_bus_id(int ordinal, char *text, int bytes);
int device_name(int ordinal, char *text, int bytes);
int peer_access(int *can, int ordinal, int peer);
size_t device_memory_bytes(void);
/* Of all devices of this brand, such as sm_90. */
extern const char architecture[];
bool is_architecture(const char *name);
/* Fails the device for good. */
void stick(struct device *device, int code);
/* What a test asked for under this name, outside of calls: "kernel", "copy". */
int injected(const char *point);
long slowness_ns(void);

/* ---- errors.c ---- */

/* As the library of this brand has it; NULL if there is no such error. */
const char *error_name(int code);

/* ---- memory.c ---- */

enum kind { DEVICE_MEMORY, HOST_MEMORY, REGISTERED_MEMORY, MAPPED_MEMORY, OPENED_MEMORY };

struct range {
    uintptr_t base;
    size_t bytes;
    enum kind kind;
    int number; /* of the device whose memory it is, -1 for the host's */
    int fd;     /* of the memory, -1 if it has none */
    int references;
    uint32_t access; /* a bit for each ordinal that may touch it, for MAPPED_MEMORY */
    ino_t inode;
    void *mapping;
    size_t mapped_bytes;
};

struct ipc_handle {
    uint64_t magic, inode, bytes, offset;
    int32_t pid, fd, number, version;
    unsigned char unused[16];
};

int memory_allocate(size_t bytes, void **address);
int memory_free(void *address);
int host_allocate(size_t bytes, void **address);
int host_free(void *address);
int host_register(void *address, size_t bytes);
int host_unregister(void *address);
int host_device_pointer(void *address, void **device_address);
/* What a pointer's attributes say, with the numbers that the brand has for the host's memory and a device's. */
int pointer_attribute(void *data, int attribute, const void *address, int host_type, int device_type);
/* The range that has an address, unless it is the host's: of that only attributes tell. */
int address_range(void **base, size_t *bytes, const void *address);
int ipc_export(void *address, struct ipc_handle *handle);
int ipc_open(const struct ipc_handle *handle, void **address);
int ipc_close(void *address);
/* A copy of the range that has all of this; false if there is none. */
bool range_of(const void *address, size_t bytes, struct range *found);
/* Whether kernels of a device may touch it. */
bool may_access(const struct device *device, const struct range *range);
void range_add(const struct range *range);
/* Takes out the one that begins there and is of that kind. */
bool range_take(const void *address, enum kind kind, struct range *taken);
bool range_grant(const void *address, size_t bytes, uint32_t access);
/* A new file of memory, whose name tells whose it is; -1 if there is no room. */
int memory_file(int number, const char *use, size_t bytes);
/* Whose it is; -2 if it is no such file. */
int memory_file_number(int fd, const char *use, size_t *bytes);

/* ---- vmm.c ---- */

enum { LOCATION_DEVICE = 1, READ_WRITE = 3, POSIX_FD = 1, PINNED = 1 };

/* CUmemLocation, hipMemLocation */
struct location {
    int type, id;
};

/* CUmemAccessDesc, hipMemAccessDesc */
struct access {
    struct location location;
    int flags;
};

/* Physical memory goes by numbers, which are never used twice. */
int physical_create(size_t bytes, int number, uint64_t *created);
int physical_release(uint64_t physical);
int physical_export(uint64_t physical, int *fd);
int physical_import(int fd, uint64_t *imported);
int address_reserve(size_t bytes, size_t alignment, void **address);
int address_free(void *address, size_t bytes);
int physical_map(void *address, size_t bytes, size_t offset, uint64_t physical);
int physical_unmap(void *address, size_t bytes);
int set_access(void *address, size_t bytes, const struct access *access, size_t count);
int export_dma_buf(const void *address, size_t bytes, int *fd, uint64_t *offset);

/* ---- streams.c ---- */

struct event;
struct module;
struct kernel;
struct kernel_launch;

int stream_create(struct stream **created);
int stream_destroy(struct stream *stream);
int stream_query(struct stream *stream);
int stream_wait(struct stream *stream);
int stream_copy_async(struct stream *stream, void *to, const void *from, size_t bytes);
/* Between two devices, each of which has to have what is said to be its. */
int stream_copy_peer(struct stream *stream, void *to, int to_device, const void *from, int from_device, size_t bytes);
/* All of them or none, the last first: their order is not defined. */
int stream_copy_batch(struct stream *stream, void **to, void **from, const size_t *bytes, size_t count);
/* On the null stream, and waits for it. */
int stream_fill_now(void *to, int value, size_t bytes);
int stream_write(struct stream *stream, void *to, uint64_t value);
int stream_launch(struct stream *stream, const struct kernel_launch *launch);
/* External ones are nodes of the graph that is captured, and done by each launch of it. */
int stream_record(struct stream *stream, struct event *event, bool is_external);
int stream_await(struct stream *stream, struct event *event, bool is_external);
/* Has the stream's thread call a function, which calls no driver. */
int stream_host(struct stream *stream, void (*function)(void *), void *data);
int event_create(struct event **created);
int event_destroy(struct event *event);
int event_query(struct event *event);
/* Waits until nothing is under way on a device; on all, if it is NULL. */
void wait_for_device(const struct device *device);

/* ---- graphs.c ---- */

struct graph;
struct executable;
struct user_object;

int capture_begin(struct stream *stream, int mode);
/* Of this thread, which gets the mode that it had. */
int capture_exchange_mode(int *mode);
/* Whether a capture forbids this thread what may wait for it. If so, that is no graph any more. */
bool capture_forbids(void);
int capture_end(struct stream *stream, struct graph **graph);
/* 0 if it is not, 1 if it is, 2 if something was done that cannot be captured. */
int capture_status(struct stream *stream, int *status);
/* And the graph that it will be; NULL for what is not wanted. */
int capture_info(struct stream *stream, int *status, uint64_t *id, struct graph **graph);
int graph_instantiate(struct executable **made, struct graph *graph, unsigned long long flags);
int graph_launch(struct executable *executable, struct stream *stream);
int graph_destroy(struct graph *graph);
int executable_destroy(struct executable *executable);
/* What a graph needs, and what is called when it is gone, with all that was made of it, and is no longer launched. */
int user_object_create(struct user_object **made, void *data, void (*destroy)(void *), unsigned int references,
                       unsigned int flags);
int graph_retain(struct graph *graph, struct user_object *object, unsigned int count, unsigned int flags);

/* ---- kernels.c ---- */

struct size3 { uint32_t x, y, z; };

struct kernel_launch {
    struct kernel *kernel;
    struct size3 grid, block;
    uint32_t argument_count;
    uint64_t arguments[MAX_ARGUMENTS];
};

int module_load(const void *image, struct module **loaded);
int module_unload(struct module *module);
int module_kernel(struct module *module, const char *name, struct kernel **found);
/* Puts it on a stream, with what cuLaunchKernel and hipModuleLaunchKernel have for arguments; end ends the latter. */
int launch(struct stream *stream, struct kernel_launch *launch, struct kernel *kernel, uint32_t shared_bytes,
           void **parameters, void **extra, intptr_t end);
/* Runs all blocks to their end, on the calling thread and others. */
int launch_run(const struct device *device, const struct kernel_launch *launch);
/* A copy that ends with ILLEGAL_ADDRESS where a plain one ends the process; of a value if it is from nowhere. */
int guarded_copy(void *to, const void *from, int value, size_t bytes);

/* ---- compiler.c ---- */

struct program;
struct program *program_create(const char *source, const char *name);
void program_destroy(struct program *program);
/* Whether it compiled. */
bool program_compile(struct program *program, const char *architecture);
const char *program_log(const struct program *program);
const void *program_code(const struct program *program, size_t *bytes);

#endif
