/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* Graphs: what was captured on one stream, launched as often as one likes. Nothing forks. */
#include "commands.h"

#include <stdlib.h>

enum { NOT_CAPTURING, CAPTURING, INVALIDATED };
enum { GLOBAL, THREAD_LOCAL, RELAXED };
enum { NO_SYNC = 1, MOVE = 1 };

static __thread int thread_mode = GLOBAL;

struct user_object {
    void *data;
    void (*destroy)(void *);
    struct user_object *next;
};

struct recipe {
    int references;
    size_t count, room;
    struct command *commands;
    struct user_object *objects;
};

struct graph { struct recipe *recipe; };
struct executable { struct recipe *recipe; };

static struct recipe *hold(struct recipe *recipe) {
    __atomic_add_fetch(&recipe->references, 1, __ATOMIC_ACQ_REL);
    return recipe;
}

void recipe_drop(struct recipe *recipe) {
    if (__atomic_sub_fetch(&recipe->references, 1, __ATOMIC_ACQ_REL) > 0) {
        return;
    }
    for (size_t i = 0; i < recipe->count; i++) {
        if (recipe->commands[i].event != NULL) {
            event_drop(recipe->commands[i].event);
        }
    }
    for (struct user_object *object = recipe->objects; object != NULL;) {
        struct user_object *next = object->next;
        object->destroy(object->data);
        free(object);
        object = next;
    }
    free(recipe->commands);
    free(recipe);
}

bool is_capturing(const struct stream *stream) {
    return __atomic_load_n(&stream->captured, __ATOMIC_ACQUIRE) != NULL;
}

int capture_refuse(struct stream *stream) {
    stream->is_invalid = true;
    return CAPTURE_UNSUPPORTED;
}

/* The event's reference is the recipe's from here on. */
int capture_add(struct stream *stream, const struct command *command) {
    struct recipe *recipe = stream->captured;
    if (stream->is_invalid) {
        if (command->event != NULL) {
            event_drop(command->event);
        }
        return CAPTURE_INVALIDATED;
    }
    if (recipe->count == recipe->room) {
        size_t room = recipe->room == 0 ? 16 : 2 * recipe->room;
        struct command *more = realloc(recipe->commands, room * sizeof *more);
        if (more == NULL) {
            return OUT_OF_MEMORY;
        }
        recipe->commands = more;
        recipe->room = room;
    }
    recipe->commands[recipe->count++] = *command;
    return SUCCESS;
}

int capture_exchange_mode(int *mode) {
    if (*mode < GLOBAL || *mode > RELAXED) {
        return INVALID_VALUE;
    }
    int before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return SUCCESS;
}

static bool forbids(const struct stream *stream) {
    return is_capturing(stream) && (stream->capture_mode == GLOBAL && thread_mode == GLOBAL
           || stream->capture_mode != RELAXED && pthread_equal(stream->capturer, pthread_self()));
}

bool capture_forbids(void) {
    bool is_forbidden = false;
    int index = 0;
    for (struct stream *stream = NULL; thread_mode != RELAXED && (stream = stream_next(NULL, &index)) != NULL;) {
        if (forbids(stream)) {
            stream->is_invalid = true;
            is_forbidden = true;
        }
    }
    return is_forbidden;
}

/* The default stream cannot be captured. */
int capture_begin(struct stream *stream, int mode) {
    struct stream *meant = stream == NULL ? NULL : stream_resolve(stream);
    if (meant == NULL || is_capturing(meant) || mode < 0 || mode > 2) {
        return stream == NULL ? CAPTURE_UNSUPPORTED : INVALID_VALUE;
    }
    struct recipe *recipe = calloc(1, sizeof *recipe);
    if (recipe == NULL) {
        return OUT_OF_MEMORY;
    }
    meant->is_invalid = false;
    meant->capture_mode = mode;
    meant->capturer = pthread_self();
    __atomic_store_n(&meant->captured, hold(recipe), __ATOMIC_RELEASE);
    return SUCCESS;
}

int capture_end(struct stream *stream, struct graph **graph) {
    struct stream *meant = stream_resolve(stream);
    *graph = NULL;
    if (meant == NULL || !is_capturing(meant)) {
        return INVALID_VALUE;
    }
    struct recipe *recipe = meant->captured;
    struct graph *made = meant->is_invalid ? NULL : calloc(1, sizeof *made);
    __atomic_store_n(&meant->captured, NULL, __ATOMIC_RELEASE);
    if (made == NULL) {
        recipe_drop(recipe);
        return meant->is_invalid ? CAPTURE_INVALIDATED : OUT_OF_MEMORY;
    }
    made->recipe = recipe;
    *graph = made;
    return SUCCESS;
}

int capture_status(struct stream *stream, int *status) {
    return capture_info(stream, status, NULL, NULL);
}

/* A graph that is captured is known by its recipe, which is its first member. */
int capture_info(struct stream *stream, int *status, uint64_t *id, struct graph **graph) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL) {
        return INVALID_HANDLE;
    }
    *status = !is_capturing(meant) ? NOT_CAPTURING : meant->is_invalid ? INVALIDATED : CAPTURING;
    if (id != NULL && *status == CAPTURING) {
        *id = (uint64_t) (uintptr_t) meant->captured;
    }
    if (graph != NULL && *status == CAPTURING) {
        *graph = (struct graph *) &meant->captured;
    }
    return SUCCESS;
}

int graph_instantiate(struct executable **made, struct graph *graph, unsigned long long flags) {
    *made = graph == NULL || flags != 0 ? NULL : calloc(1, sizeof **made);
    if (*made == NULL) {
        return INVALID_VALUE;
    }
    (*made)->recipe = hold(graph->recipe);
    return SUCCESS;
}

int graph_launch(struct executable *executable, struct stream *stream) {
    struct stream *meant = stream_resolve(stream);
    if (meant == NULL || executable == NULL || is_capturing(meant)) {
        return INVALID_HANDLE;
    }
    struct recipe *recipe = executable->recipe;
    for (size_t i = 0; i < recipe->count; i++) {
        struct command command = recipe->commands[i];
        if (command.event != NULL) {
            uint64_t *recorded = &command.event->recorded;
            command.value = command.what == RECORD ? __atomic_add_fetch(recorded, 1, __ATOMIC_ACQ_REL)
                    : __atomic_load_n(recorded, __ATOMIC_ACQUIRE);
            __atomic_add_fetch(&command.event->references, 1, __ATOMIC_ACQ_REL);
        }
        command.recipe = hold(recipe);
        stream_post(meant, &command);
    }
    return SUCCESS;
}

int graph_destroy(struct graph *graph) {
    if (graph == NULL) {
        return INVALID_VALUE;
    }
    recipe_drop(graph->recipe);
    free(graph);
    return SUCCESS;
}

int executable_destroy(struct executable *executable) {
    if (executable == NULL) {
        return INVALID_VALUE;
    }
    recipe_drop(executable->recipe);
    free(executable);
    return SUCCESS;
}

int user_object_create(struct user_object **made, void *data, void (*destroy)(void *), unsigned int references,
                       unsigned int flags) {
    *made = destroy == NULL || references != 1 || flags != NO_SYNC ? NULL : calloc(1, sizeof **made);
    if (*made == NULL) {
        return INVALID_VALUE;
    }
    **made = (struct user_object) {.data = data, .destroy = destroy};
    return SUCCESS;
}

int graph_retain(struct graph *graph, struct user_object *object, unsigned int count, unsigned int flags) {
    if (graph == NULL || object == NULL || count != 1 || flags != MOVE) {
        return INVALID_VALUE;
    }
    object->next = graph->recipe->objects;
    graph->recipe->objects = object;
    return SUCCESS;
}
