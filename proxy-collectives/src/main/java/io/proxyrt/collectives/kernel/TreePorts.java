/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

/**
 * A rank's connections in a tree.
 *
 * @param toUp     to the parent; null at the root
 * @param fromUp   from the parent; null at the root
 * @param toDown   to the children
 * @param fromDown from the children, in the same order
 */
public record TreePorts(Port toUp, Port fromUp, Port[] toDown, Port[] fromDown) {
    boolean isRoot() {
        return toUp == null;
    }
}
