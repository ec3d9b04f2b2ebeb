/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.plugin;

import io.proxyrt.testkit.build.LibraryBuild;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A network plug-in for NCCL, written for tests: a real network over TCP, of one device, the loopback. A C compiler
 * makes it when it is first asked for, for one version of the interface and with one way to behave.
 *
 * <p>A comm has eight requests, and refuses a ninth by a request of null. State of a connect is kept in the handle.
 * Registrations are of one comm, and messages elsewhere fail. From what it is given it tolerates nothing: contexts,
 * configurations, places for device handles and hints in requests have to be as NCCL has them. Copies of it {@linkplain
 * #misbehaving misbehave}.
 */
public final class TcpNetPlugin {
    /** What it calls itself. */
    public static final String NAME = "TCP";
    /** What it calls its device. */
    public static final String DEVICE = "tcp0";
    /** A define: eight receives are grouped, by tag, and the sender knows which messages the receiver waits for. */
    public static final String GROUPS = "MAX_RECVS=8";
    /** A define: only the oldest request may be tested. */
    public static final String IN_ORDER = "IN_ORDER";
    /** A define: registering leaves mhandles null, and messages need none. */
    public static final String NO_MHANDLES = "NO_MHANDLES";

    private static final String LIBRARY = "libnccl-net-tcp.so";
    private static final Map<List<String>, Path> BUILT = new HashMap<>();

    private TcpNetPlugin() {
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
     * @param defines how it behaves: {@link #GROUPS}, {@link #IN_ORDER}, {@link #NO_MHANDLES}
     * @return the library, absolute
     * @throws IllegalStateException if it cannot be compiled, with what the compiler says
     */
    public static Path library(int version, String... defines) {
        List<String> options = Stream.concat(Stream.of("NET_VERSION=" + version), Stream.of(defines))
                .map(define -> "-D" + define).toList();
        synchronized (BUILT) {
            return BUILT.computeIfAbsent(options, key -> build(version, defines, key).resolve(LIBRARY));
        }
    }

    /**
     * Makes one that misbehaves on purpose; to the process, it is another library than any other.
     *
     * @param version of NCCL's interface, 6 to 12
     * @param fault   what it does
     * @param after   how many calls of what the fault is about go well before
     * @return the library, absolute
     */
    public static Path misbehaving(int version, NetFault fault, int after) {
        return LibraryBuild.copy(library(version), fault + "-" + after, "fault", fault + " " + after + "\n");
    }

    private static Path build(int version, String[] defines, List<String> options) {
        String variant = Stream.concat(Stream.of("v" + version), Stream.of(defines)).collect(Collectors.joining("-"))
                .toLowerCase(Locale.ROOT);
        return new LibraryBuild(TcpNetPlugin.class, "net-plugin", variant, List.of("plugin.c", "tcp.c"),
                List.of("tcp.h", "net_abi.h"), options, LIBRARY, List.of()).folder();
    }
}
