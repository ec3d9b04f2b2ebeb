/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */

/* What the checking plug-ins have in common. FAILING makes all of their functions fail. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define P(n) ((void *) (uintptr_t) (n))
#define LISTENER P(0x1200000010)
#define MHANDLE P(0x3000000030)
#define REQUEST P(0x7000000070)
#define CONTEXT P(0x5000000050)

typedef void (*logger)(int level, unsigned long flags, const char *file, int line, const char *format, ...);

static logger say;
static int inits;
static int finals;

#ifdef FAILING
#define BEGIN do { if (say) say(2, ~0UL, "checking", __LINE__, "%s fails", __func__); return FAILING; } while (0)
#else
#define BEGIN do { } while (0)
#endif
#define CHECK(condition) do { if (!(condition)) { \
        say(2, ~0UL, "checking", __LINE__, "%s: not %s", __func__, #condition); return 3; } } while (0)

static int begin(logger log) {
    say = log;
    inits++;
    say(3, ~0UL, "checking", __LINE__, "initialized %d times", inits);
    BEGIN;
    return 0;
}

static int closeListen(void *comm) {
    BEGIN;
    CHECK(comm == LISTENER);
    return 0;
}

#if V >= 11
static int finalize(void *context) {
    BEGIN;
    CHECK(context == CONTEXT);
    finals++;
    return 0;
}
#endif
