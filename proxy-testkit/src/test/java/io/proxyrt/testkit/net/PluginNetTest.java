/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.plugin.NetFault;
import io.proxyrt.testkit.plugin.TcpNetPlugin;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** A plug-in in C at each version of NCCL's interface, and in the ways in which those behave that there are. */
class PluginNetTest {
    @BeforeAll
    static void requireACompiler() {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
    }

    /** Behaving like this. */
    abstract static class Shape extends PluginConformance {
        private final int version;
        private final String[] defines;

        Shape(int version, String... defines) {
            this.version = version;
            this.defines = defines;
        }

        @Override
        Path library() {
            return TcpNetPlugin.library(version, defines);
        }
    }

    @Nested
    class V6InOrder extends Shape {
        V6InOrder() {
            super(6, TcpNetPlugin.IN_ORDER);
        }
    }

    /** As Google's FastSocket. */
    @Nested
    class V6WithoutSizes extends PluginConformance {
        @Override
        Path library() {
            return TcpNetPlugin.misbehaving(6, NetFault.NO_SIZE, 0);
        }

        @Override
        protected Set<NetLeeway> leeway() {
            Set<NetLeeway> leeway = EnumSet.copyOf(super.leeway());
            leeway.add(NetLeeway.UNTOLD_SIZES);
            return leeway;
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V7 extends Shape {
        V7() {
            super(7);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V8WithoutMhandles extends Shape {
        V8WithoutMhandles() {
            super(8, TcpNetPlugin.IN_ORDER, TcpNetPlugin.NO_MHANDLES);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V9WithGroups extends Shape {
        V9WithGroups() {
            super(9, TcpNetPlugin.GROUPS);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V10 extends Shape {
        V10() {
            super(10);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V11 extends Shape {
        V11() {
            super(11);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V11WithGroups extends Shape {
        V11WithGroups() {
            super(11, TcpNetPlugin.GROUPS);
        }
    }

    @Nested
    class V12WithGroupsInOrder extends Shape {
        V12WithGroupsInOrder() {
            super(12, TcpNetPlugin.GROUPS, TcpNetPlugin.IN_ORDER);
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class V12 extends Shape {
        V12() {
            super(12);
        }
    }
}
