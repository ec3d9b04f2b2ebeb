/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.util.ArrayDeque;
import java.util.Deque;

/** One of two ends in processes of their own, which meet by lines, and where orders are carried out. One thread. */
abstract class End implements Peer {
    private final Deque<Runnable> closers = new ArrayDeque<>();

    /** The end of a rig, on a CPU of its own: 0, or the other one, 1. */
    static End of(String rig, int number, RigArguments arguments, Talk other) {
        return switch (rig) {
            case "netrtt", "netpoll", "netcalls" -> new NetEnd(number, arguments, other, 1);
            case "netstream" -> new NetEnd(number, arguments, other, NetStreamRig.WINDOW);
            case "shmrtt", "shmcopy" -> new ShmEnd(number, arguments, other);
            case "commrtt", "commstream" -> new CommEnd(number, arguments, other);
            default -> throw new IllegalArgumentException("no such rig: " + rig);
        };
    }

    /** What a part of it takes to close; the last is closed first. */
    final void onClose(Runnable closer) {
        closers.push(closer);
    }

    @Override
    public final void close() {
        while (!closers.isEmpty()) {
            closers.pop().run();
        }
    }

    /** What carries messages to the other end and back. */
    abstract Messages messages();

    @Override
    public void obey(String[] order, Talk rig) {
        if (!order[0].equals("echo")) {
            throw new IllegalArgumentException("no such order: " + order[0]);
        }
        RoundTrips.echo(messages(), Long.parseLong(order[1]));
    }
}
