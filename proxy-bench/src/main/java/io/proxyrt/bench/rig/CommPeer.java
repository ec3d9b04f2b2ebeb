/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.platform.Platform;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** The other rank of a {@link CommEnd}, in a JVM of its own on another CPU; then it is given a line for each duty. */
final class CommPeer implements AutoCloseable {
    private final BootstrapRoot root =
            BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CommEnd.RANKS);
    private final PeerJvm process;
    private final CommEnd end;

    /** Starts the other rank and joins it; pins this thread to the first CPU, if it is to. */
    CommPeer(RigArguments arguments) throws IOException {
        process = PeerJvm.peer(CommPeer.class, arguments, "sizes=" + arguments.text("sizes"),
                "registered=" + arguments.text("registered"), "apart=" + arguments.text("apart"));
        process.tell(root.id().toString());
        new Pinning(arguments.isTrue("pinned"), Platform.find()).pinCaller();
        end = new CommEnd(root.id(), 0, arguments, CommStreamRig.bufferBytes(arguments));
    }

    CommEnd end() {
        return end;
    }

    /** Has it do something. */
    void tell(String duty) {
        process.tell(duty);
    }

    /** What it says about what it did. */
    String line() {
        return process.line();
    }

    @Override
    public void close() {
        process.close();
        end.close();
        root.close();
    }

    /** Is told the id first. Arguments: sizes, whether it is pinned, memory registered and messages apart, options. */
    public static void main(String[] words) throws IOException {
        RigArguments arguments = new RigArguments(List.of(words));
        new Pinning(arguments.isTrue("pinned"), Platform.find()).pinPeer();
        BufferedReader orders = PeerJvm.orders();
        try (CommEnd end = new CommEnd(UniqueId.parse(orders.readLine()), 1, arguments,
                CommStreamRig.bufferBytes(arguments))) {
            PeerJvm.obey(orders, order -> obey(end, CommStreamRig.isApart(arguments), order));
        }
    }

    private static void obey(CommEnd end, boolean isApart, String[] words) {
        long bytes = Long.parseLong(words[1]);
        switch (words[0]) {
            case "echo" -> RoundTrips.echo(end, bytes);
            case "stream" -> System.out.println(CommStreamRig.stream(end, isApart, bytes,
                    Long.parseLong(words[2])));
            default -> throw new IllegalArgumentException("no such order: " + words[0]);
        }
    }
}
