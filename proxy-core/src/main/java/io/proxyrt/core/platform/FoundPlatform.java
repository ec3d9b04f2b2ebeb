/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/** The platform that works, once one was found: each rank of a process asks for it many times. */
final class FoundPlatform {
    private static volatile Platform known;

    private FoundPlatform() {
    }

    /** Null if none was found yet. */
    static Platform known() {
        return known;
    }

    static Platform keep(Platform found) {
        known = found;
        return found;
    }
}
