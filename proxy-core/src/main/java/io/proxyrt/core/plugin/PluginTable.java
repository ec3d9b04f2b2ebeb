/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

/** A table of functions that a library exports. */
public interface PluginTable {
    /**
     * The library.
     *
     * @return as it was opened
     */
    String file();

    /**
     * What the plug-in calls itself, which may change when it is initialized.
     *
     * @return such as {@code AWS Libfabric}
     */
    String name();

    /**
     * The last warning that the plug-in logged, of this and any other runtime.
     *
     * @return empty if there is none
     */
    String lastWarning();
}
