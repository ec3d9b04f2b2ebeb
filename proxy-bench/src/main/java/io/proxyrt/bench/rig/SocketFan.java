/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * What the bytes of all-reduces take a thread that moves them through sockets as a switch does, and reduces nothing: it
 * reads a chunk of each participant, one after the other, then writes one to each. The calling thread plays the
 * participants, on the same CPU. The thread that is measured waits in its calls, which is the least that sockets cost.
 */
final class SocketFan implements AutoCloseable {
    private final RigArguments arguments;
    /** Of the thread that is measured. */
    private final List<SocketChannel> near = new ArrayList<>();
    private final List<SocketChannel> far = new ArrayList<>();
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(SwitchRig.CHUNK_BYTES);
    private final ByteBuffer[] out;
    private final ByteBuffer[] in;

    private SocketFan(RigArguments arguments, int participants) {
        this.arguments = arguments;
        this.out = new ByteBuffer[participants];
        this.in = new ByteBuffer[participants];
    }

    static SocketFan start(RigArguments arguments, int participants) throws IOException {
        SocketFan fan = new SocketFan(arguments, participants);
        try {
            fan.connect(participants);
            return fan;
        } catch (IOException | RuntimeException | Error e) {
            fan.close();
            throw e;
        }
    }

    private void connect(int participants) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < participants; i++) {
                far.add(SocketChannel.open(server.getLocalAddress()));
                near.add(server.accept().setOption(StandardSocketOptions.TCP_NODELAY, true));
                far.get(i).setOption(StandardSocketOptions.TCP_NODELAY, true).configureBlocking(false);
                out[i] = ByteBuffer.allocateDirect(SwitchRig.CALL_BYTES);
                in[i] = ByteBuffer.allocateDirect(SwitchRig.CALL_BYTES);
            }
        }
    }

    /** Calls for so long; the thread's CPU time for each byte of a result. */
    double cpuNs(long durationNs) {
        FutureTask<Double> serving = new FutureTask<>(() -> serve(durationNs));
        Pinning.pin(arguments, 0);
        Thread.ofPlatform().daemon().name("sockets").start(serving);
        try {
            while (!serving.isDone()) {
                play();
                Thread.yield();
            }
            return serving.get();
        } catch (IOException | ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private double serve(long durationNs) throws IOException {
        long before = SwitchRig.cpuNs(Thread.currentThread());
        long end = System.nanoTime() + durationNs;
        long bytes = 0;
        while (bytes == 0 || System.nanoTime() - end < 0) {
            for (SocketChannel channel : near) {
                chunk.clear();
                while (chunk.hasRemaining()) {
                    channel.read(chunk);
                }
            }
            for (SocketChannel channel : near) {
                chunk.flip();
                while (chunk.hasRemaining()) {
                    channel.write(chunk);
                }
            }
            bytes += SwitchRig.CHUNK_BYTES;
        }
        return (double) (SwitchRig.cpuNs(Thread.currentThread()) - before) / bytes;
    }

    /** Each participant sends its input, over and over, and takes what comes. */
    private void play() throws IOException {
        for (int i = 0; i < out.length; i++) {
            if (!out[i].hasRemaining()) {
                out[i].clear();
            }
            far.get(i).write(out[i]);
            if (!in[i].hasRemaining()) {
                in[i].clear();
            }
            far.get(i).read(in[i]);
        }
    }

    @Override
    public void close() throws IOException {
        for (SocketChannel channel : near) {
            channel.close();
        }
        for (SocketChannel channel : far) {
            channel.close();
        }
    }
}
