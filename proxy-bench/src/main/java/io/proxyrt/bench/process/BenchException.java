/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.process;

/** A measurement that could not be made, or an op that was lost: the whole run fails. */
public final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * A failure.
     *
     * @param message what failed, and what to do
     */
    public BenchException(String message) {
        super(message);
    }

    /**
     * A failure.
     *
     * @param message what failed, and what to do
     * @param cause   why
     */
    public BenchException(String message, Throwable cause) {
        super(message, cause);
    }
}
