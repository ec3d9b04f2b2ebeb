/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.plugin;

import io.proxyrt.testkit.build.LibraryBuild;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A plug-in for NCCL's collectives, written for tests: participants of one host, in one process or several, put what
 * they have into shared memory, and each combines what all have put there. Its {@code connect} blocks until all are
 * there, half and bfloat are none of its types, and only the oldest request may be tested. The library has {@link
 * TcpNetPlugin}'s network, too, as SHARP's has one. A C compiler makes it when it is first asked for, for one version
 * of the interface.
 */
public final class ShmCollNetPlugin {
    /** What it calls itself. */
    public static final String NAME = "Shared";

    private static final String LIBRARY = "libnccl-net-shared.so";
    private static final Map<Integer, Path> BUILT = new HashMap<>();

    private ShmCollNetPlugin() {
    }

    /**
     * Why there is none.
     *
     * @return empty if there can be one, else what is missing, and where it is to be had
     */
    public static String whyNot() {
        return LibraryBuild.whyNot(LibraryBuild.CC);
    }

    /**
     * Makes one, if that was not done before. Blocks for about a second then.
     *
     * @param version of NCCL's interface, 6 to 12; no other is exported
     * @return the library, absolute
     * @throws IllegalStateException if it cannot be compiled, with what the compiler says
     */
    public static Path library(int version) {
        synchronized (BUILT) {
            return BUILT.computeIfAbsent(version, key -> new LibraryBuild(ShmCollNetPlugin.class, "coll-net-plugin",
                    "v" + key, List.of("coll_net.c", "plugin.c", "tcp.c"), List.of("tcp.h", "net_abi.h"),
                    List.of("-DNET_VERSION=" + key), LIBRARY, List.of()).folder().resolve(LIBRARY));
        }
    }
}
