/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import java.util.regex.Pattern;

/** Places in sysfs. */
final class PciPath {
    private static final Pattern FUNCTION = Pattern.compile("\\.[0-7]$");
    private static final Pattern VIRTUAL_FUNCTION = Pattern.compile("[0-9a-f]{2}\\.[0-7]$");

    private PciPath() {
    }

    /** The place of an adapter, whichever function of it a port is: function 0, of device 0 if virtual ones count. */
    static String ofAdapter(String path, boolean isOfVirtualOnes) {
        return isOfVirtualOnes ? VIRTUAL_FUNCTION.matcher(path).replaceFirst("00.0")
                : FUNCTION.matcher(path).replaceFirst(".0");
    }
}
