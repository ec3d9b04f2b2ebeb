/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** Opens nothing. */
record NoNetLibraries(String whyNot) implements NetLibraries {
    @Override
    public NetLibrary open(String file) {
        throw refusal(file);
    }

    @Override
    public CollNetLibrary openCollNet(String file) {
        throw refusal(file);
    }

    @Override
    public TunerLibrary openTuner(String file) {
        throw refusal(file);
    }

    private ProxyException refusal(String file) {
        return new ProxyException(ProxyResult.INVALID_USAGE, "cannot load " + file + ": " + whyNot);
    }
}
