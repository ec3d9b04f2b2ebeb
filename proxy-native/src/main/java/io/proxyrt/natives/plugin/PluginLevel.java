/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import org.slf4j.event.Level;

/** {@code ncclDebugLogLevel}. */
final class PluginLevel {
    static final int WARN = 2;

    private PluginLevel() {
    }

    /** SLF4J's level; null for what is not to be logged. */
    static Level of(int level) {
        return switch (level) {
            case 1, 3 -> Level.INFO;
            case WARN -> Level.WARN;
            case 4 -> Level.ERROR;
            case 5 -> Level.TRACE;
            default -> null;
        };
    }
}
