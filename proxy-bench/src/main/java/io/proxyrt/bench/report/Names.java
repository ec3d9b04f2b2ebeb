/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.contender.PoolContender;

/** Which contenders are ours: those of the runtime, and those named after its pools. */
public final class Names {
    private static final String RUNTIME = "proxyrt";
    private static final String IN_C = "c-";

    private Names() {
    }

    static boolean isOurs(String contender) {
        String first = contender.replaceFirst("-.*", "");
        return first.equals(RUNTIME) || PoolContender.kinds().contains(first);
    }

    static boolean isInC(String contender) {
        return contender.startsWith(IN_C);
    }

    /**
     * Sets ours off.
     *
     * @param contender any name
     * @return in bold if it is ours
     */
    public static String bold(String contender) {
        return isOurs(contender) ? "**" + contender + "**" : contender;
    }
}
