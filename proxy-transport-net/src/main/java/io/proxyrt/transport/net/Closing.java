/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** Closes what a connection owns, each part whatever happened to the one before. */
final class Closing {
    private ProxyException failure;

    /** Null is closed already. */
    Closing add(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception e) {
            note(new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot close " + resource + ": " + e, e));
        }
        return this;
    }

    /** Throws the first failure, which carries the others. */
    void end() {
        if (failure != null) {
            throw failure;
        }
    }

    private void note(ProxyException e) {
        if (failure == null) {
            failure = e;
        } else {
            failure.addSuppressed(e);
        }
    }
}
