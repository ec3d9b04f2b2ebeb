/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/**
 * Says why there is no compiler.
 *
 * @param whyNot for people
 */
record MissingCompiler(String whyNot) implements GpuCompiler {
    @Override
    public String version() {
        return "";
    }

    @Override
    public byte[] compile(String name, String source, String architecture) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, name + " cannot be compiled: " + whyNot);
    }
}
