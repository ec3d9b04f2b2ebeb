/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** Refusals, worded as the FFM binding words those of libibverbs. */
final class SoftErrors {
    static final int EIO = 5;
    static final int ENOMEM = 12;
    static final int EINVAL = 22;

    private SoftErrors() {
    }

    static ProxyException refused(String what, int errno) {
        String name = switch (errno) {
            case EIO -> "EIO";
            case ENOMEM -> "ENOMEM";
            case EINVAL -> "EINVAL";
            default -> throw new AssertionError(errno);
        };
        return new ProxyException(ProxyResult.SYSTEM_ERROR, what + ": " + name + " (" + errno + ")");
    }

    /** Of what is used after it was closed, as the library's verbs refuse it. */
    static void requireOpen(boolean isClosed, String what) {
        if (isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, what + " is closed");
        }
    }

    static ProxyException busy(String what, int users) {
        return new ProxyException(ProxyResult.INVALID_USAGE, "cannot close " + what + ": EBUSY (16), " + users
                + " that belong to it are open still; close them first");
    }
}
