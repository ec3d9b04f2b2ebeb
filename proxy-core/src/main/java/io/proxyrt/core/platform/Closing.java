/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/** Closes what an owner has, each part whatever happened to the one before. One thread. */
public final class Closing {
    private ProxyException failure;

    /** Nothing is closed yet. */
    public Closing() {
    }

    /**
     * Closes a part.
     *
     * @param resource null is closed already
     * @return this
     */
    public Closing add(AutoCloseable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (Exception e) {
            // Ours say what they are.
            note(new ProxyException(ProxyResult.SYSTEM_ERROR, e instanceof ProxyException ? e.getMessage()
                    : "cannot close " + resource + ": " + e, e));
        }
        return this;
    }

    /**
     * To be called when all parts were added.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if a part did not close: the first failure, which carries
     *                        the others
     */
    public void end() {
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
