/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Any plug-in for NCCL or RCCL: {@code -Dtest.net.plugin=/path/lib.so}. The environment is the plug-in's, such
 * as {@code NCCL_SOCKET_IFNAME}; {@code -Dtest.net.strict} grants no more than what NCCL's interface leaves
 * open.
 */
@EnabledIfSystemProperty(named = InstalledPluginTest.LIBRARY, matches = ".+")
class InstalledPluginTest extends PluginConformance {
    static final String LIBRARY = "test.net.plugin";
    private static final String STRICT = "test.net.strict";

    @Override
    Path library() {
        return Path.of(System.getProperty(LIBRARY));
    }

    @Override
    protected Set<NetLeeway> leeway() {
        return System.getProperty(STRICT) != null ? super.leeway() : EnumSet.allOf(NetLeeway.class);
    }
}
