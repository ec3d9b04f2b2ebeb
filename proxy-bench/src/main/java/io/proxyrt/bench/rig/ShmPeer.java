/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.platform.Platform;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;

/** The other end of a {@link ShmEnd}, in a JVM of its own on another CPU; then it is given a line for each duty. */
final class ShmPeer implements AutoCloseable {
    private final PeerJvm process;
    private final ShmEnd end;

    /** Starts the other end and connects with it; pins this thread to the first CPU, if it is to. */
    ShmPeer(RigArguments arguments) throws IOException {
        process = PeerJvm.peer(ShmPeer.class, arguments);
        new Pinning(arguments.isTrue("pinned"), Platform.find()).pinCaller();
        end = new ShmEnd(0, arguments.options());
        process.tell(end.introduction());
        process.tell(end.meet(process.line()));
        end.connect(process.line());
    }

    ShmEnd end() {
        return end;
    }

    /** Has it do something. */
    void tell(String duty) {
        process.tell(duty);
    }

    /** Waits for what it says when it has consumed all. */
    void await() {
        process.line();
    }

    @Override
    public void close() {
        process.close();
        end.close();
    }

    /** Arguments: whether it is pinned, and options. */
    public static void main(String[] words) throws IOException {
        RigArguments arguments = new RigArguments(List.of(words));
        new Pinning(arguments.isTrue("pinned"), Platform.find()).pinPeer();
        BufferedReader orders = PeerJvm.orders();
        try (ShmEnd end = new ShmEnd(1, arguments.options())) {
            System.out.println(end.introduction());
            System.out.println(end.meet(orders.readLine()));
            end.connect(orders.readLine());
            PeerJvm.obey(orders, order -> obey(end, order));
        }
    }

    private static void obey(ShmEnd end, String[] words) {
        switch (words[0]) {
            case "echo" -> RoundTrips.echo(SlotMessages.of(words[1], end), Long.parseLong(words[2]));
            case "consume" -> {
                ShmCopyRig.consume(end);
                System.out.println("consumed");
            }
            default -> throw new IllegalArgumentException("no such order: " + words[0]);
        }
    }
}
