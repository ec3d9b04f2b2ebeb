/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.agent.Agent;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The streams of a runtime, which one thread runs, or the caller's: a pass of each in turn, so that a kernel that waits
 * or works keeps those of other streams waiting for no longer than a pass. An agent; allocates nothing but when a
 * stream comes or goes.
 */
public final class HostStreams implements Agent {
    private final String name;
    /** Copied when it changes. */
    private volatile HostStream[] streams = {};

    /**
     * None yet.
     *
     * @param name for the thread
     */
    public HostStreams(String name) {
        this.name = name;
    }

    /**
     * Takes a stream in. The thread has to be woken then, to sleep for this stream, too. Any thread.
     *
     * @param stream with which nothing was done yet
     */
    public synchronized void add(HostStream stream) {
        HostStream[] more = Arrays.copyOf(streams, streams.length + 1);
        more[streams.length] = stream;
        streams = more;
    }

    /**
     * Lets a stream go. Its kernels are dropped, on the calling thread, which waits for one that is in its pass. Any
     * thread; nothing if it is not here.
     *
     * @param stream     that nothing is launched on any more
     * @param deadlineNs as of {@link System#nanoTime}, until which it waits
     * @return false if the pass has not ended by then; the stream stays
     */
    public boolean remove(HostStream stream, long deadlineNs) {
        if (!stream.turns().close(deadlineNs)) {
            return false;
        }
        synchronized (this) {
            streams = Arrays.stream(streams).filter(other -> other != stream).toArray(HostStream[]::new);
        }
        return true;
    }

    /**
     * All streams.
     *
     * @return as of now
     */
    public Stream<HostStream> stream() {
        return Arrays.stream(streams);
    }

    /**
     * Does something with each stream there is now; allocates nothing.
     *
     * @param action what to do
     */
    public void forEach(Consumer<HostStream> action) {
        for (HostStream stream : streams) {
            action.accept(stream);
        }
    }

    /**
     * Whether kernels were launched and are not retired.
     *
     * @return false if all streams are idle
     */
    public boolean isAnyLaunched() {
        for (HostStream stream : streams) {
            if (stream.outstanding() > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * What kernels were dropped.
     *
     * @return a line for each stream that has some
     */
    public List<String> abandoned() {
        return stream().map(HostStream::abandoned).filter(line -> !line.isEmpty()).toList();
    }

    /** Drops all kernels, running, queued and to come. Any thread. */
    public void abort() {
        stream().forEach(HostStream::abort);
    }

    /**
     * Runs kernels on the calling thread, of all streams that no other thread is in. Bounded; does not block.
     *
     * @return greater than 0 if anything moved
     */
    public int drive() {
        return drive(null);
    }

    /**
     * As {@link #drive()}, but for one stream.
     *
     * @param excepted one that the caller drives by itself; null for none
     * @return greater than 0 if anything moved
     */
    public int drive(HostStream excepted) {
        int moved = 0;
        for (HostStream stream : streams) {
            if (stream != excepted && stream.outstanding() > 0) {
                moved += stream.turns().drive();
            }
        }
        return moved;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        int moved = 0;
        for (HostStream stream : streams) {
            moved += stream.turns().doWork();
        }
        return moved;
    }

    @Override
    public boolean isWoken() {
        for (HostStream stream : streams) {
            if (!stream.turns().isWoken()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void park(long maxNs) {
        HostStream[] all = streams;
        long ns = maxNs;
        for (HostStream stream : all) {
            ns = Math.min(ns, stream.turns().announce(ns));
        }
        if (ns > 0) {
            LockSupport.parkNanos(ns);
        }
        for (HostStream stream : all) {
            stream.turns().awake();
        }
    }

    /** Drops what is left. */
    @Override
    public void onClose() {
        for (HostStream stream : streams) {
            stream.turns().onClose();
        }
    }
}
