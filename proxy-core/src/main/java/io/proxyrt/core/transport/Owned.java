/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayDeque;
import java.util.Deque;

/** What has to be closed, the last first, each whatever becomes of the others; or to be kept after all. One thread. */
public final class Owned implements AutoCloseable {
    private final Deque<AutoCloseable> all = new ArrayDeque<>();

    /** Nothing yet. */
    public Owned() {
    }

    /**
     * Has one more closed.
     *
     * @param <T>      its type
     * @param resource may be null: then nothing is
     * @return the same
     */
    public <T extends AutoCloseable> T add(T resource) {
        if (resource != null) {
            all.push(resource);
        }
        return resource;
    }

    /** All went well: another owner closes them. */
    public void release() {
        all.clear();
    }

    /** {@inheritDoc} Throws the first failure, with the others, when all have been closed. */
    @Override
    public void close() {
        ProxyException failure = null;
        while (!all.isEmpty()) {
            AutoCloseable resource = all.pop();
            try {
                resource.close();
            } catch (Exception e) {
                ProxyException next = new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot close " + resource + ": "
                        + e, e);
                if (failure == null) {
                    failure = next;
                } else {
                    failure.addSuppressed(next);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
