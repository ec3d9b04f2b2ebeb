/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.io.Serial;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * What every control-path call throws. The message says what failed, on which rank, connection or device, and what to
 * do about it; {@link #result()} says of what kind the failure is.
 */
public final class ProxyException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private static final int UNKNOWN = -1;

    /** Its code. */
    private final ProxyResult result;
    /** The rank that caused it, or a negative number. */
    private final int culprit;

    /**
     * A failure without a cause of its own.
     *
     * @param result  its kind; an {@linkplain ProxyResult#isError() error}
     * @param message what, where, and what to do
     */
    public ProxyException(ProxyResult result, String message) {
        this(result, message, null);
    }

    /**
     * A failure caused by another.
     *
     * @param result  its kind; an {@linkplain ProxyResult#isError() error}
     * @param message what, where, and what to do
     * @param cause   may be null
     */
    public ProxyException(ProxyResult result, String message, Throwable cause) {
        this(result, message, cause, UNKNOWN);
    }

    private ProxyException(ProxyResult result, String message, Throwable cause, int culprit) {
        super(message, cause);
        this.result = Objects.requireNonNull(result);
        this.culprit = culprit;
        assert result.isError() : result;
    }

    /**
     * A failure that is another rank's doing.
     *
     * @param culprit that rank
     * @param message what it did
     * @return of kind {@link ProxyResult#REMOTE_ERROR}
     */
    public static ProxyException ofPeer(int culprit, String message) {
        return new ProxyException(ProxyResult.REMOTE_ERROR, message, null, culprit);
    }

    /**
     * The kind of failure.
     *
     * @return never {@link ProxyResult#SUCCESS} or {@link ProxyResult#IN_PROGRESS}
     */
    public ProxyResult result() {
        return result;
    }

    /**
     * The rank that died or left, where this failure, or what caused it, is known for certain to be its doing.
     *
     * @return empty if that is not known
     */
    public OptionalInt culprit() {
        ProxyException blame = blame();
        return blame == null ? OptionalInt.empty() : OptionalInt.of(blame.culprit);
    }

    /**
     * The failure that {@link #culprit()} is the culprit of.
     *
     * @return this one, or a cause of it; null if no rank is known
     */
    public ProxyException blame() {
        if (culprit != UNKNOWN) {
            return this;
        }
        return getCause() instanceof ProxyException cause ? cause.blame() : null;
    }
}
