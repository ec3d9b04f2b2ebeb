/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

/** Finds connections for the progress thread. */
@FunctionalInterface
public interface ConnectionLookup {
    /**
     * The connection with this id.
     *
     * @param id index and generation, not to be trusted
     * @return null if there is none
     */
    ProxyConnection find(long id);
}
