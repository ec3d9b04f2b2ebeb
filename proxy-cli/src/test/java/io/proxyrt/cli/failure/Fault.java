/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

/** What comes over a rank of a job. */
enum Fault {
    KILL("its process is killed"),
    STOP_3S("its process is stopped for 3 s"),
    STOP("its process is stopped for good"),
    LEAVE("it throws, and closes by try-with-resources"),
    HEAP("its heap is exhausted, and it closes so"),
    THREADS("the system gives it no thread"),
    DESCRIPTORS("it has no descriptor left"),
    MEMORY("shared memory is full"),
    NEVER("it never calls"),
    OTHER("it calls another collective"),
    SIZE("it calls with another count");

    private final String text;

    Fault(String text) {
        this.text = text;
    }

    /** For the table in docs/transports.md. */
    String text() {
        return text;
    }
}
