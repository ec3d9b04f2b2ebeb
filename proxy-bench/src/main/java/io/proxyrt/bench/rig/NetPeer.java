/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The other end of a {@link NetEnd}, in a JVM of its own on another CPU. It takes our handle, says its own, and is then
 * given a line for each thing to do.
 */
final class NetPeer implements AutoCloseable {
    private final PeerJvm process;
    private final Rank rank;
    private final long bufferBytes;

    private NetPeer(PeerJvm process, Rank rank, long bufferBytes) {
        this.process = process;
        this.rank = rank;
        this.bufferBytes = bufferBytes;
    }

    /** Starts the other end, with options of the runtime; pins this thread to the first CPU, if it is to. */
    static NetPeer start(String duty, RigArguments arguments) throws IOException {
        long most = arguments.mostBytes();
        long bytes = duty.equals("stream") ? most * NetStreamRig.WINDOW : most;
        PeerJvm process = PeerJvm.peer(NetPeer.class, arguments, "buffer=" + bytes);
        Rank rank = new Rank(1, Rank.SECRET, arguments.options());
        new Pinning(arguments.isTrue("pinned"), rank.platform()).pinCaller();
        return new NetPeer(process, rank, bytes);
    }

    /** Both connections. */
    NetEnd connect() {
        NetEnd end = new NetEnd(rank);
        process.tell(end.handle());
        end.connect(process.line(), bufferBytes);
        return end;
    }

    /** Has it do something. */
    void tell(String duty, long... numbers) {
        StringBuilder line = new StringBuilder(duty);
        Arrays.stream(numbers).forEach(number -> line.append(' ').append(number));
        process.tell(line.toString());
    }

    /** Has it do something that takes a word to say. */
    void say(String order) {
        process.tell(order);
    }

    /** What it says about what it did. */
    String line() {
        return process.line();
    }

    @Override
    public void close() {
        process.close();
    }

    /** Arguments: the bytes of a buffer, whether it is pinned, and options. */
    public static void main(String[] words) throws IOException {
        RigArguments arguments = new RigArguments(List.of(words));
        Rank rank = new Rank(0, Rank.SECRET, arguments.options());
        new Pinning(arguments.isTrue("pinned"), rank.platform()).pinPeer();
        BufferedReader orders = PeerJvm.orders();
        try (NetEnd end = new NetEnd(rank)) {
            System.out.println(end.handle());
            end.connect(orders.readLine(), Long.parseLong(arguments.text("buffer")));
            PeerJvm.obey(orders, order -> obey(end, order));
        }
    }

    private static void obey(NetEnd end, String[] words) {
        switch (words[0]) {
            case "echo" -> RoundTrips.echo(new NetMessages(end), Long.parseLong(words[1]));
            case "stream" -> System.out.println(NetStreamRig.stream(end, Long.parseLong(words[1]),
                    Long.parseLong(words[2])));
            case "fan" -> NetPollRig.obey(end, words[1]);
            default -> throw new IllegalArgumentException("no such order: " + words[0]);
        }
    }
}
