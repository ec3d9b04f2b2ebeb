/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Devices, whose the thread's is, peers, and what tests ask for: failing calls and slow streams. */
#include "gpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INJECTIONS = 32, DEFAULT_DEVICES = 2, FIRST_BUS = 0xc1 };
static const size_t MEMORY_BYTES = 64UL << 30;

struct injection {
    char call[64];
    long left;
    int code;
};

pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

static struct device devices[MAX_DEVICES];
static int count;
static bool has_peers = true;
static atomic_long slow_ns;

static struct injection injections[MAX_INJECTIONS];
static int injection_count;
static atomic_int pending_injections;

static __thread int current;
static __thread bool is_bound;
static __thread int last;

static void add_device(int number, int total) {
    if (number >= 0 && number < total && count < MAX_DEVICES) {
        struct device *device = &devices[count];
        device->ordinal = count++;
        device->number = number;
        device->hdp = calloc(1, sizeof(uint32_t));
    }
}

static void add_devices(int total, const char *visible) {
    if (visible == NULL) {
        for (int i = 0; i < total; i++) {
            add_device(i, total);
        }
        return;
    }
    for (const char *at = visible; *at != '\0';) {
        char *end;
        long number = strtol(at, &end, 10);
        if (end == at) {
            return;
        }
        add_device((int) number, total);
        at = *end == ',' ? end + 1 : end;
    }
}

static long number_of(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    return text == NULL ? otherwise : strtol(text, NULL, 10);
}

/* The n-th call from now on returns the code, once. The points "copy" and "kernel" are those of the device. */
EXPORTED int proxyrt_gpu_fail(const char *call, long nth, int code) {
    pthread_mutex_lock(&tables);
    int result = INVALID_VALUE;
    if (injection_count < MAX_INJECTIONS && strlen(call) < sizeof injections[0].call && nth > 0) {
        struct injection *injection = &injections[injection_count++];
        strcpy(injection->call, call);
        injection->left = nth;
        injection->code = code;
        atomic_fetch_add(&pending_injections, 1);
        result = SUCCESS;
    }
    pthread_mutex_unlock(&tables);
    return result;
}

/* Everything on a stream takes that much longer. */
EXPORTED void proxyrt_gpu_slow(long ns) {
    atomic_store(&slow_ns, ns);
}

/* As a new process finds it, but for the memory and the streams that are there. */
EXPORTED void proxyrt_gpu_reset(void) {
    pthread_mutex_lock(&tables);
    injection_count = 0;
    atomic_store(&pending_injections, 0);
    for (int i = 0; i < count; i++) {
        devices[i].sticky = SUCCESS;
        devices[i].peers = 0;
    }
    pthread_mutex_unlock(&tables);
    atomic_store(&slow_ns, 0);
}

/* As STAND_IN_GPU_FAIL has it: call:n:code, with commas between several. */
static void add_injections(const char *text) {
    char call[64];
    long nth;
    int code;
    int length;
    while (text != NULL && sscanf(text, "%63[^:]:%ld:%d%n", call, &nth, &code, &length) == 3) {
        proxyrt_gpu_fail(call, nth, code);
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
}

__attribute__((constructor)) static void set_up(void) {
    add_devices((int) number_of("STAND_IN_GPU_DEVICES", DEFAULT_DEVICES), getenv(visible_devices));
    has_peers = number_of("STAND_IN_GPU_PEERS", 1) != 0;
    atomic_store(&slow_ns, number_of("STAND_IN_GPU_SLOW_NS", 0));
    add_injections(getenv("STAND_IN_GPU_FAIL"));
}

static int take_injection(const char *call) {
    int code = SUCCESS;
    pthread_mutex_lock(&tables);
    for (int i = 0; i < injection_count && code == SUCCESS; i++) {
        if (strcmp(injections[i].call, call) == 0 && injections[i].left > 0 && --injections[i].left == 0) {
            atomic_fetch_sub(&pending_injections, 1);
            code = injections[i].code;
        }
    }
    pthread_mutex_unlock(&tables);
    return code;
}

int injected(const char *point) {
    return atomic_load_explicit(&pending_injections, memory_order_relaxed) == 0 ? SUCCESS : take_injection(point);
}

/* Errors after which a context is of no use. */
static bool is_sticky(int code) {
    return code == ILLEGAL_ADDRESS || code == 214 || code == 702 || (code >= 714 && code <= 719);
}

static int sticky(const struct device *device) {
    return __atomic_load_n(&device->sticky, __ATOMIC_ACQUIRE);
}

static int begin(const char *call) {
    if (count == 0) {
        return no_device_code;
    }
    int code = injected(call);
    if (is_sticky(code)) {
        stick(current_device(), code);
    }
    return code;
}

int enter(const char *call) {
    int code = begin(call);
    return code != SUCCESS ? code : sticky(current_device());
}

int enter_context(const char *call) {
    int code = enter(call);
    return code == SUCCESS && !is_bound ? INVALID_CONTEXT : code;
}

int leave(int code) {
    if (code != SUCCESS && code != NOT_READY) {
        last = code;
    }
    return code;
}

int last_error(void) {
    int code = last;
    last = SUCCESS;
    return code;
}

int device_count(void) {
    return count;
}

struct device *device_at(int ordinal) {
    return ordinal >= 0 && ordinal < count ? &devices[ordinal] : NULL;
}

struct device *device_of_number(int number) {
    for (int i = 0; i < count; i++) {
        if (devices[i].number == number) {
            return &devices[i];
        }
    }
    return NULL;
}

bool is_architecture(const char *name) {
    return strcmp(name, architecture) == 0;
}

/* Runtime calls make the context that a thread lacks. */
struct device *current_device(void) {
    return &devices[current];
}

/* Leaves a device that has failed for one that has not. */
int set_current_device(const char *call, int ordinal) {
    int code = begin(call);
    if (code == SUCCESS && device_at(ordinal) == NULL) {
        code = INVALID_DEVICE;
    }
    if (code == SUCCESS) {
        code = sticky(device_at(ordinal));
        current = ordinal;
        is_bound = true;
    }
    return code;
}

bool can_access_peer(int ordinal, int peer) {
    return ordinal != peer && has_peers;
}

int enable_peer_access(int peer) {
    struct device *device = current_device();
    if (device_at(peer) == NULL || !can_access_peer(device->ordinal, peer)) {
        return INVALID_DEVICE;
    }
    uint32_t before = __atomic_fetch_or(&device->peers, 1U << peer, __ATOMIC_ACQ_REL);
    return (before >> peer & 1) != 0 ? PEER_ACCESS_ALREADY_ENABLED : SUCCESS;
}

int peer_access(int *can, int ordinal, int peer) {
    if (device_at(ordinal) == NULL || device_at(peer) == NULL) {
        return INVALID_DEVICE;
    }
    *can = can_access_peer(ordinal, peer);
    return SUCCESS;
}

/* CUDA writes it in upper case, HIP in lower. */
int pci_bus_id(int ordinal, char *text, int bytes) {
    const struct device *device = device_at(ordinal);
    if (device == NULL) {
        return INVALID_DEVICE;
    }
    snprintf(text, (size_t) bytes, brand[0] == 'c' ? "%04X:%02X:%02X.0" : "%04x:%02x:%02x.0", 0,
             FIRST_BUS + device->number, 0);
    return SUCCESS;
}

int device_name(int ordinal, char *text, int bytes) {
    if (device_at(ordinal) == NULL) {
        return INVALID_DEVICE;
    }
    snprintf(text, (size_t) bytes, "proxyrt stand-in for %s", brand);
    return SUCCESS;
}

size_t device_memory_bytes(void) {
    return MEMORY_BYTES;
}

void stick(struct device *device, int code) {
    int none = SUCCESS;
    __atomic_compare_exchange_n(&device->sticky, &none, code, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

long slowness_ns(void) {
    return atomic_load_explicit(&slow_ns, memory_order_relaxed);
}
