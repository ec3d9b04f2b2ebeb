/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* What is on a stream, which streams.c and graphs.c share. */
#ifndef PROXYRT_COMMANDS_H
#define PROXYRT_COMMANDS_H

#include "gpu.h"

enum { QUEUE = 1024 };

struct event {
    int ordinal;
    int references; /* the owner's, and one for each command that is under way */
    uint64_t recorded;
    uint64_t done;
};

enum what { COPY, WRITE, LAUNCH, RECORD, AWAIT, HOST };

/* What a graph does, in order; it, what was made of it, and each launch under way have a reference. */
struct recipe;

struct command {
    enum what what;
    void *to;
    const void *from; /* NULL: a value is to fill it */
    size_t bytes;
    uint64_t value;
    struct event *event;
    void (*host)(void *);
    struct recipe *recipe; /* NULL if it is no graph's */
    struct kernel_launch launch;
};

enum state { UNUSED, OPEN, ENDING };

/* Never freed, but used again: a call with a stream that was destroyed finds it so. */
struct stream {
    enum state state;
    struct device *device;
    pthread_mutex_t lock;
    pthread_cond_t added; /* or destroyed */
    pthread_cond_t removed;
    uint64_t posted;
    uint64_t done;
    struct recipe *captured; /* NULL if commands are done */
    bool is_invalid;         /* what is captured will be no graph */
    int capture_mode;
    pthread_t capturer;
    struct command commands[QUEUE];
};

/* The stream that is meant; NULL if it is none. */
struct stream *stream_resolve(struct stream *stream);
/* Blocks while the queue is full, as drivers do. */
int stream_post(struct stream *stream, const struct command *command);
void event_drop(struct event *event);

/* Whether commands are captured. */
bool is_capturing(const struct stream *stream);
/* What cannot be captured ends a capture, and is refused. */
int capture_refuse(struct stream *stream);
int capture_add(struct stream *stream, const struct command *command);
void recipe_drop(struct recipe *recipe);
/* A stream of the device, or of any if that is NULL, from the index on, which goes behind it; NULL if there is none. */
struct stream *stream_next(const struct device *device, int *index);

#endif
