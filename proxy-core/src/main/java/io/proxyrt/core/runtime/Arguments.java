/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** What callers give. */
final class Arguments {
    private Arguments() {
    }

    static <T> T require(T value, String name) {
        if (value == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " is null");
        }
        return value;
    }
}
