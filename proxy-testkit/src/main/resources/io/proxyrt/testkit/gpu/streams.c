/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Streams: a bounded queue and a thread that goes through it; and events, which tell how far it has come. */
#include "commands.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_STREAMS = 4096, SPINS = 64 };

static struct stream *streams[MAX_STREAMS];

static bool is_open(const struct stream *stream) {
    return __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == OPEN;
}

void event_drop(struct event *event) {
    if (__atomic_sub_fetch(&event->references, 1, __ATOMIC_ACQ_REL) == 0) {
        free(event);
    }
}

static uint64_t event_done(const struct event *event) {
    return __atomic_load_n(&event->done, __ATOMIC_ACQUIRE);
}

static int64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

/* Looks every now and then whether that is still wanted. */
static void be_slow(void) {
    if (slowness_ns() > 0) {
        static const struct timespec moment = {.tv_nsec = 1000000};
        int64_t begin = now_ns();
        while (now_ns() - begin < slowness_ns()) {
            nanosleep(&moment, NULL);
        }
    }
}

static void await_event(const struct stream *stream, const struct command *command) {
    while (event_done(command->event) < command->value
           && __atomic_load_n(&stream->device->sticky, __ATOMIC_ACQUIRE) == SUCCESS) {
        sched_yield();
    }
}

static int run_copy(const struct command *command) {
    int code = injected("copy");
    return code != SUCCESS ? code : guarded_copy(command->to, command->from, (int) command->value, command->bytes);
}

static int run_launch(const struct device *device, const struct command *command) {
    int code = injected("kernel");
    return code != SUCCESS ? code : launch_run(device, &command->launch);
}

/* Once its device has failed, a stream does no work any more. */
static void run(struct stream *stream, struct command *command) {
    bool has_failed = __atomic_load_n(&stream->device->sticky, __ATOMIC_ACQUIRE) != SUCCESS;
    int code = SUCCESS;
    switch (command->what) {
        case COPY: code = has_failed ? SUCCESS : run_copy(command); break;
        case WRITE:
            if (!has_failed) {
                __atomic_store_n((uint64_t *) command->to, command->value, __ATOMIC_RELEASE);
            }
            break;
        case LAUNCH: code = has_failed ? SUCCESS : run_launch(stream->device, command); break;
        case RECORD:
            __atomic_store_n(&command->event->done, command->value, __ATOMIC_RELEASE);
            break;
        case AWAIT: await_event(stream, command); break;
        case HOST:
            if (!has_failed) {
                command->host(command->to);
            }
            break;
    }
    if (command->event != NULL) {
        event_drop(command->event);
    }
    if (command->recipe != NULL) {
        recipe_drop(command->recipe);
    }
    if (code != SUCCESS) {
        stick(stream->device, code);
    }
}

/* Waits for a command; false if there will be none any more. A thread that just worked looks a few times first. */
static bool has_command(struct stream *stream) {
    for (int i = 0; i < SPINS; i++) {
        if (__atomic_load_n(&stream->posted, __ATOMIC_ACQUIRE) > stream->done) {
            return true;
        }
        sched_yield();
    }
    pthread_mutex_lock(&stream->lock);
    while (stream->posted == stream->done && is_open(stream)) {
        pthread_cond_wait(&stream->added, &stream->lock);
    }
    bool is_there = stream->posted > stream->done;
    pthread_mutex_unlock(&stream->lock);
    return is_there;
}

static void *work(void *argument) {
    struct stream *stream = argument;
    while (has_command(stream)) {
        be_slow();
        run(stream, &stream->commands[stream->done % QUEUE]);
        pthread_mutex_lock(&stream->lock);
        __atomic_store_n(&stream->done, stream->done + 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&stream->removed);
        pthread_mutex_unlock(&stream->lock);
    }
    __atomic_store_n(&stream->state, UNUSED, __ATOMIC_RELEASE);
    return NULL;
}

static struct stream *new_stream(void) {
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream != NULL) {
        pthread_mutex_init(&stream->lock, NULL);
        pthread_cond_init(&stream->added, NULL);
        pthread_cond_init(&stream->removed, NULL);
    }
    return stream;
}

/* One that is open, and of the current device; NULL if there is no room. */
static struct stream *take_stream(void) {
    struct stream *stream = NULL;
    pthread_mutex_lock(&tables);
    for (int i = 0; i < MAX_STREAMS && stream == NULL; i++) {
        if (streams[i] == NULL) {
            streams[i] = new_stream();
        }
        if (streams[i] == NULL) {
            break;
        }
        if (__atomic_load_n(&streams[i]->state, __ATOMIC_ACQUIRE) == UNUSED) {
            stream = streams[i];
            stream->device = current_device();
            __atomic_store_n(&stream->state, OPEN, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&tables);
    return stream;
}

static int start(struct stream *stream) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int error = pthread_create(&thread, &attributes, work, stream);
    pthread_attr_destroy(&attributes);
    return error == 0 ? SUCCESS : OUT_OF_MEMORY;
}

int stream_create(struct stream **created) {
    struct stream *stream = take_stream();
    if (stream == NULL) {
        return OUT_OF_MEMORY;
    }
    int code = start(stream);
    if (code != SUCCESS) {
        __atomic_store_n(&stream->state, UNUSED, __ATOMIC_RELEASE);
        return code;
    }
    *created = stream;
    return SUCCESS;
}

/* Returns at once; what is on the stream is done all the same. */
int stream_destroy(struct stream *stream) {
    if (stream == NULL || !is_open(stream)) {
        return INVALID_HANDLE;
    }
    pthread_mutex_lock(&stream->lock);
    __atomic_store_n(&stream->state, ENDING, __ATOMIC_RELEASE);
    pthread_cond_signal(&stream->added);
    pthread_mutex_unlock(&stream->lock);
    return SUCCESS;
}

static struct stream *null_stream(void) {
    static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
    struct device *device = current_device();
    pthread_mutex_lock(&making);
    if (device->null_stream == NULL) {
        stream_create(&device->null_stream);
    }
    pthread_mutex_unlock(&making);
    return device->null_stream;
}

struct stream *stream_resolve(struct stream *stream) {
    struct stream *meant = stream == NULL ? null_stream() : stream;
    return meant != NULL && is_open(meant) ? meant : NULL;
}

int stream_query(struct stream *stream) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL) {
        return INVALID_HANDLE;
    }
    if (is_capturing(meant)) {
        return capture_refuse(meant);
    }
    bool is_done = __atomic_load_n(&meant->done, __ATOMIC_ACQUIRE) == __atomic_load_n(&meant->posted, __ATOMIC_ACQUIRE);
    int sticky = __atomic_load_n(&meant->device->sticky, __ATOMIC_ACQUIRE);
    return sticky != SUCCESS ? sticky : is_done ? SUCCESS : NOT_READY;
}

static void wait_until_idle(struct stream *stream) {
    pthread_mutex_lock(&stream->lock);
    uint64_t target = stream->posted;
    while (stream->done < target) {
        pthread_cond_wait(&stream->removed, &stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
}

int stream_wait(struct stream *stream) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL) {
        return INVALID_HANDLE;
    }
    if (is_capturing(meant)) {
        return capture_refuse(meant);
    }
    wait_until_idle(meant);
    return __atomic_load_n(&meant->device->sticky, __ATOMIC_ACQUIRE);
}

struct stream *stream_next(const struct device *device, int *index) {
    struct stream *found = NULL;
    pthread_mutex_lock(&tables);
    for (; found == NULL && *index < MAX_STREAMS && streams[*index] != NULL; (*index)++) {
        if (device == NULL || streams[*index]->device == device) {
            found = streams[*index];
        }
    }
    pthread_mutex_unlock(&tables);
    return found;
}

void wait_for_device(const struct device *device) {
    int index = 0;
    for (struct stream *next = stream_next(device, &index); next != NULL; next = stream_next(device, &index)) {
        wait_until_idle(next);
    }
}

int stream_post(struct stream *stream, const struct command *command) {
    if (is_capturing(stream)) {
        return capture_add(stream, command);
    }
    pthread_mutex_lock(&stream->lock);
    while (stream->posted - stream->done == QUEUE) {
        pthread_cond_wait(&stream->removed, &stream->lock);
    }
    stream->commands[stream->posted % QUEUE] = *command;
    __atomic_store_n(&stream->posted, stream->posted + 1, __ATOMIC_RELEASE);
    pthread_cond_signal(&stream->added);
    pthread_mutex_unlock(&stream->lock);
    return SUCCESS;
}

/* No copy goes to memory that no driver knows, nor to memory without access yet. */
static bool is_copyable(const void *address, size_t bytes) {
    struct range range;
    return range_of(address, bytes, &range) && (range.kind != MAPPED_MEMORY || range.access != 0);
}

static bool is_of_host(const void *address) {
    struct range range;
    return range_of(address, 0, &range) && (range.kind == HOST_MEMORY || range.kind == REGISTERED_MEMORY);
}

static int stream_copy(struct stream *stream, void *to, const void *from, size_t bytes) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL) {
        return INVALID_HANDLE;
    }
    if (bytes == 0) {
        return SUCCESS;
    }
    if (!is_copyable(to, bytes) || !is_copyable(from, bytes)) {
        return INVALID_VALUE;
    }
    return stream_post(meant, &(struct command) {.what = COPY, .to = to, .from = from, .bytes = bytes});
}

/* Between pieces of host memory the real ones copy while the caller waits, whatever kind of copy it says it is. */
int stream_copy_async(struct stream *stream, void *to, const void *from, size_t bytes) {
    int code = stream_copy(stream, to, from, bytes);
    return code == SUCCESS && is_of_host(to) && is_of_host(from) ? stream_wait(stream) : code;
}

static bool is_of(const void *address, size_t bytes, int ordinal) {
    struct range range;
    const struct device *device = device_at(ordinal);
    return device != NULL && range_of(address, bytes, &range) && range.number == device->number;
}

int stream_copy_peer(struct stream *stream, void *to, int to_device, const void *from, int from_device, size_t bytes) {
    bool is_right = is_of(to, bytes, to_device) && is_of(from, bytes, from_device);
    return is_right ? stream_copy(stream, to, from, bytes) : INVALID_VALUE;
}

int stream_copy_batch(struct stream *stream, void **to, void **from, const size_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == 0 || !is_copyable(to[i], bytes[i]) || !is_copyable(from[i], bytes[i])) {
            return INVALID_VALUE;
        }
    }
    int code = SUCCESS;
    for (size_t i = count; i > 0 && code == SUCCESS; i--) {
        code = stream_copy(stream, to[i - 1], from[i - 1], bytes[i - 1]);
    }
    return code;
}

int stream_fill_now(void *to, int value, size_t bytes) {
    struct stream *stream = stream_resolve(NULL);
    if (stream == NULL) {
        return INVALID_HANDLE;
    }
    if (!is_copyable(to, bytes)) {
        return INVALID_VALUE;
    }
    stream_post(stream, &(struct command) {.what = COPY, .to = to, .value = (uint64_t) value, .bytes = bytes});
    return stream_wait(stream);
}

int stream_write(struct stream *stream, void *to, uint64_t value) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL) {
        return INVALID_HANDLE;
    }
    if ((uintptr_t) to % sizeof value != 0 || !is_copyable(to, sizeof value)) {
        return INVALID_VALUE;
    }
    return stream_post(meant, &(struct command) {.what = WRITE, .to = to, .value = value});
}

/* A kernel goes to a stream of the current device only. */
int stream_launch(struct stream *stream, const struct kernel_launch *launch) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL || meant->device != current_device()) {
        return INVALID_HANDLE;
    }
    return stream_post(meant, &(struct command) {.what = LAUNCH, .launch = *launch});
}

int event_create(struct event **created) {
    struct event *event = calloc(1, sizeof *event);
    if (event == NULL) {
        return OUT_OF_MEMORY;
    }
    event->ordinal = current_device()->ordinal;
    event->references = 1;
    *created = event;
    return SUCCESS;
}

int event_destroy(struct event *event) {
    if (event == NULL) {
        return INVALID_HANDLE;
    }
    event_drop(event);
    return SUCCESS;
}

int event_query(struct event *event) {
    if (event == NULL) {
        return INVALID_HANDLE;
    }
    int sticky = __atomic_load_n(&device_at(event->ordinal)->sticky, __ATOMIC_ACQUIRE);
    bool is_done = event_done(event) >= __atomic_load_n(&event->recorded, __ATOMIC_ACQUIRE);
    return sticky != SUCCESS ? sticky : is_done ? SUCCESS : NOT_READY;
}

/* In a capture it has to be external, and nowhere else. */
static int check_order(struct stream *stream, bool is_external) {
    bool is_captured = is_capturing(stream);
    return is_captured == is_external ? SUCCESS : is_captured ? capture_refuse(stream) : INVALID_VALUE;
}

int stream_record(struct stream *stream, struct event *event, bool is_external) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL || event == NULL || event->ordinal != meant->device->ordinal) {
        return INVALID_HANDLE;
    }
    int code = check_order(meant, is_external);
    if (code != SUCCESS) {
        return code;
    }
    uint64_t value = is_external ? 0 : __atomic_add_fetch(&event->recorded, 1, __ATOMIC_ACQ_REL);
    __atomic_add_fetch(&event->references, 1, __ATOMIC_ACQ_REL);
    return stream_post(meant, &(struct command) {.what = RECORD, .event = event, .value = value});
}

/* For what was recorded last before this call, or before each launch of the graph; of any device. */
int stream_await(struct stream *stream, struct event *event, bool is_external) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL || event == NULL) {
        return INVALID_HANDLE;
    }
    int code = check_order(meant, is_external);
    if (code != SUCCESS) {
        return code;
    }
    uint64_t value = __atomic_load_n(&event->recorded, __ATOMIC_ACQUIRE);
    __atomic_add_fetch(&event->references, 1, __ATOMIC_ACQ_REL);
    return stream_post(meant, &(struct command) {.what = AWAIT, .event = event, .value = value});
}

int stream_host(struct stream *stream, void (*function)(void *), void *data) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL || function == NULL) {
        return INVALID_HANDLE;
    }
    return stream_post(meant, &(struct command) {.what = HOST, .host = function, .to = data});
}
