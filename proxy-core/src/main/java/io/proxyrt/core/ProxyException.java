/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.io.Serial;
import java.util.Objects;

/**
 * What every control-path call throws. The message says what failed, on which rank, connection or device, and what to
 * do about it; {@link #result()} says of what kind the failure is.
 */
public final class ProxyException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final ProxyResult result;

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
        super(message, cause);
        this.result = Objects.requireNonNull(result);
        assert result.isError() : result;
    }

    /**
     * The kind of failure.
     *
     * @return never {@link ProxyResult#SUCCESS} or {@link ProxyResult#IN_PROGRESS}
     */
    public ProxyResult result() {
        return result;
    }
}
