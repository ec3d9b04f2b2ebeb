/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Any plug-in for NCCL or RCCL: {@code -Dtest.net.plugin=/path/lib.so}. The environment is the plug-in's, such as
 * {@code NCCL_SOCKET_IFNAME}. All of {@link NetLeeway} is granted, unless {@code -Dtest.net.leeway=UNTOLD_SIZES,…}
 * says what is, besides what NCCL's interface leaves open.
 */
@EnabledIfSystemProperty(named = InstalledPluginTest.LIBRARY, matches = ".+")
class InstalledPluginTest extends PluginConformance {
    /** Without the prefix of options, which have to be known. */
    static final String LIBRARY = "test.net.plugin";
    private static final String LEEWAY = "test.net.leeway";

    @Override
    Path library() {
        return Path.of(System.getProperty(LIBRARY));
    }

    @Override
    protected Set<NetLeeway> leeway() {
        String granted = System.getProperty(LEEWAY);
        if (granted == null) {
            return EnumSet.allOf(NetLeeway.class);
        }
        Set<NetLeeway> leeway = EnumSet.copyOf(super.leeway());
        Stream.of(granted.split(",")).filter(name -> !name.isBlank()).map(NetLeeway::valueOf).forEach(leeway::add);
        return leeway;
    }
}
