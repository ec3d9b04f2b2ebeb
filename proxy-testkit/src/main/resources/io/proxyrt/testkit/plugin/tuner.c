/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/*
 * A tuner plug-in for tests: ncclTunerPlugin_vN for N = TUNER_VERSION, 2 to 6. It asks for rings and Simple for
 * all-reduces, with at most 3 channels, halves chunks, and adds 100 us to what a ring's Simple costs. Of version 2, it
 * asks for one channel more if there is CollNet, and for two more if there is NVLS. TUNER_FAULT says what it does wrong.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SUCCESS = 0, INTERNAL_ERROR = 3, INVALID_ARGUMENT = 4, REMOTE_ERROR = 6 };
enum { ALL_REDUCE = 4, RING = 1, SIMPLE = 2, PAT = 6, LL = 0, ALGORITHMS = 7, PROTOCOLS = 3 };
enum fault { NONE, INIT_FAILS, INFO_FAILS, NEGATIVE_TIMES, NO_NUMBERS, MANY_CHANNELS, FINALIZE_FAILS, BAD_CONSTANTS,
    IMPOSSIBLE_WAY, FEW_CHANNELS };

typedef void logger(int level, unsigned long subsystem, const char *file, int line, const char *format, ...);

struct domains { int count, min, max; };

struct constants {
    double base[7][3], hardware[3][7][3], ll[4][3], ring_ll128[4][3], tree_ll128[4][3], tree[4][3], nvls_tree[4][3];
};

_Static_assert(sizeof(struct domains) == 12, "ncclNvlDomainInfo_v5_t");
_Static_assert(sizeof(struct constants) == 1152, "ncclTunerConstants_v5_t");
_Static_assert(offsetof(struct constants, ll) == 672, "llMaxBws");
_Static_assert(offsetof(struct constants, nvls_tree) == 1056, "perChMaxNVLSTreeBws");

struct context { logger *log; size_t ranks, nodes; };

static int begin(void **context, size_t ranks, size_t nodes, logger *log) {
    if (TUNER_FAULT == INIT_FAILS) {
        log(2, 0x40, __FILE__, __LINE__, "no table for %d ranks on %d nodes", (int) ranks, (int) nodes);
        return REMOTE_ERROR;
    }
    struct context *made = malloc(sizeof *made);
    *made = (struct context) {log, ranks, nodes};
    *context = made;
    return SUCCESS;
}

static int end(void *context) {
    struct context *made = context;
    if (TUNER_FAULT == FINALIZE_FAILS) {
        made->log(2, 0x40, __FILE__, __LINE__, "still tuning");
        return INTERNAL_ERROR;
    }
    free(made);
    return SUCCESS;
}

#if TUNER_VERSION >= 5
static int init(void **context, uint64_t comm, size_t ranks, size_t nodes, logger *log, struct domains *domains,
        struct constants *constants) {
    if (comm != 0x123456789abcdef0u || domains->count != (int) nodes || domains->max != (int) (ranks / nodes)
            || constants->base[RING][SIMPLE] != 8.4 || constants->nvls_tree[3][2] != 80) {
        return INVALID_ARGUMENT;
    }
    constants->base[RING][SIMPLE] = TUNER_FAULT == BAD_CONSTANTS ? NAN : constants->base[RING][SIMPLE] + 100;
    return begin(context, ranks, nodes, log);
}
#else
static int init(size_t ranks, size_t nodes, logger *log, void **context) {
    return begin(context, ranks, nodes, log);
}
#endif

#if TUNER_VERSION == 2
static int info(void *context, int function, size_t bytes, int coll_net, int nvls, int pipe_ops, int *algorithm,
        int *protocol, int *channels) {
    if (!context || bytes != 1 << 20 || coll_net < 0 || coll_net > 1 || nvls < 0 || nvls > 1 || pipe_ops != 1) {
        return INVALID_ARGUMENT;
    }
    if (TUNER_FAULT == INFO_FAILS) {
        return INTERNAL_ERROR;
    }
    if (function == ALL_REDUCE) {
        *algorithm = TUNER_FAULT == IMPOSSIBLE_WAY ? PAT : TUNER_FAULT == NO_NUMBERS ? 99 : RING;
        *protocol = SIMPLE;
        *channels = 3 + coll_net + 2 * nvls;
    }
    return SUCCESS;
}
#else
static int change(int function, float (*times)[PROTOCOLS], int *channels) {
    if (TUNER_FAULT == INFO_FAILS) {
        times[RING][LL] = 0;
        *channels = 1;
        return INTERNAL_ERROR;
    }
    for (int i = 0; i < ALGORITHMS * PROTOCOLS; i++) {
        times[0][i] = TUNER_FAULT == NEGATIVE_TIMES ? -5 : TUNER_FAULT == NO_NUMBERS ? NAN : times[0][i];
    }
    if (TUNER_FAULT == IMPOSSIBLE_WAY) {
        times[PAT][LL] = 0;
    }
    if (function == ALL_REDUCE && TUNER_FAULT != NEGATIVE_TIMES && TUNER_FAULT != NO_NUMBERS) {
        times[RING][SIMPLE] = 0;
        *channels = TUNER_FAULT == MANY_CHANNELS ? 1000000 : TUNER_FAULT == FEW_CHANNELS ? -7 : 3;
    }
    return SUCCESS;
}

static int info(void *context, int function, size_t bytes, int pipe_ops, float **times, int algorithms, int protocols,
#if TUNER_VERSION >= 4
        int registered,
#endif
        int *channels) {
#if TUNER_VERSION >= 4
    if (registered != 0) {
        return INVALID_ARGUMENT;
    }
#endif
    if (!context || bytes != 1 << 20 || pipe_ops != 1 || algorithms != ALGORITHMS || protocols != PROTOCOLS
            || *channels != 0) {
        return INVALID_ARGUMENT;
    }
    return change(function, (float (*)[PROTOCOLS]) times, channels);
}
#endif

#if TUNER_VERSION >= 6
static int chunk(void *context, int function, size_t bytes, int algorithm, int protocol, int channels, size_t *size) {
    if (!context || function != ALL_REDUCE || bytes != 1 << 20 || algorithm != RING || protocol != SIMPLE
            || channels != 3) {
        return INVALID_ARGUMENT;
    }
    *size /= 2;
    return SUCCESS;
}
#endif

#define JOIN(a, b) a##b
#define NAME(version) JOIN(ncclTunerPlugin_v, version)

__attribute__((visibility("default"))) const struct {
    const char *name;
    void *init, *info, *end;
#if TUNER_VERSION >= 6
    void *chunk;
#endif
} NAME(TUNER_VERSION) = {
    "Stand-in", init, info, end,
#if TUNER_VERSION >= 6
    chunk
#endif
};
