/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* What a library that plays another one has for its test: a list of calls, and calls that fail. */
#include <stdio.h>
#include <string.h>

static char calls[1 << 16];
static char failing[64];
static int failing_status;

/* Notes a call; what it fails of, or 0. */
static int called(const char *name) {
    strncat(calls, name, sizeof calls - strlen(calls) - 2);
    strcat(calls, " ");
    return strcmp(name, failing) == 0 ? failing_status : 0;
}

/* For the test: the calls since it asked last. */
const char *standin_calls(void) {
    static char told[sizeof calls];
    strcpy(told, calls);
    calls[0] = 0;
    return told;
}

/* For the test: what all calls of a name fail of from now on. */
void standin_fail(const char *name, int status) {
    snprintf(failing, sizeof failing, "%s", name);
    failing_status = status;
}
