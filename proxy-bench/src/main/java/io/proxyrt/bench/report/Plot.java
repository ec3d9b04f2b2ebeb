/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

/** A picture of some figures. */
public interface Plot {
    /**
     * Whether there is nothing to draw.
     *
     * @return true if nothing of it was measured
     */
    boolean isEmpty();

    /**
     * Draws it.
     *
     * @return SVG, on white so that it reads on any page
     */
    String draw();
}
