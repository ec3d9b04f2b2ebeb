/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import java.util.List;

/** Tells the configuration which options a module understands; found by {@link java.util.ServiceLoader}. */
public interface OptionsProvider {
    /**
     * What its options are of.
     *
     * @return a heading
     */
    String title();

    /**
     * The module's options.
     *
     * @return in the order in which they should be listed
     */
    List<Option<?>> options();
}
