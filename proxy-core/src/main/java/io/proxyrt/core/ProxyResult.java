/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/**
 * The outcome of a call, numbered as {@code ncclResult_t}, so that logs and wire frames read the same on both sides.
 *
 * <p>Data-path calls return an {@code int}: greater than zero for work done, zero for nothing to do, and the negated
 * {@link #code()} of an error. Control-path calls throw {@link ProxyException}.
 */
public enum ProxyResult {
    /** The call did what it was asked for. */
    SUCCESS,
    /** A call to a device's own runtime failed. */
    UNHANDLED_DEVICE_ERROR,
    /** The operating system refused something: a file, a socket, memory. */
    SYSTEM_ERROR,
    /** An invariant of the runtime does not hold: a bug of ours, please report it. */
    INTERNAL_ERROR,
    /** A value is out of its range. */
    INVALID_ARGUMENT,
    /** A valid value at the wrong time, or in the wrong combination. */
    INVALID_USAGE,
    /** A peer failed, went away, or spoke garbage. */
    REMOTE_ERROR,
    /** Not an error: ask again. */
    IN_PROGRESS,
    /** A deadline passed. */
    TIMEOUT;

    private static final ProxyResult[] BY_CODE = values();

    /**
     * The number on the wire and in a negated data-path return.
     *
     * @return 0 for {@link #SUCCESS}, else positive
     */
    public int code() {
        return ordinal();
    }

    /**
     * Whether this is a failure.
     *
     * @return false for {@link #SUCCESS} and {@link #IN_PROGRESS}
     */
    public boolean isError() {
        return this != SUCCESS && this != IN_PROGRESS;
    }

    /**
     * The result with this code.
     *
     * @param code as received; an unknown number is still an answer, and never a success
     * @return the result, {@link #INTERNAL_ERROR} for an unknown code
     */
    public static ProxyResult of(int code) {
        return code < 0 || code >= BY_CODE.length ? INTERNAL_ERROR : BY_CODE[code];
    }
}
