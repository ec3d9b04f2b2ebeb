/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A stream of kernels, and how far it has come: each launch stores its number at its end in memory that the host
 * polls, so that the driver is not asked. The launching thread only, but for {@link #abort}.
 */
public final class LaunchQueue implements AutoCloseable {
    private static final Duration SUBMIT_TIMEOUT = Duration.ofSeconds(10);
    /** Who asks a driver keeps the proxy from giving it work meanwhile. */
    private static final long ASK_INTERVAL_NS = 1_000_000;
    private static final long PARK_NS = 50_000;

    private final String name;
    private final Device device;
    private final DeviceStream stream;
    private final DeviceMemory memory;
    private final DeviceEvent before;
    private final DeviceEvent after;
    private final LaunchStatus status;
    private final LaunchShape[] shapes;
    private final Duration limit;
    private final Duration submitTimeout;
    /** What was launched last, by the queue or by a graph; null as long as there is no graph. */
    private DeviceEvent last;
    /** Stored by the launching thread. */
    private volatile long launched;
    /** A command that the stream did not take is missing for good: none is given to it after that. */
    private ProxyException failure;
    private boolean isClosed;
    private String abandoned = "";
    private long askedNs = System.nanoTime();

    /**
     * An idle queue.
     *
     * @param device  of the kernels; stays the caller's
     * @param name    of the rank, for messages
     * @param blocks  of a launch, at most
     * @param threads of a block, as far as the device has them
     * @param limit   how long a kernel waits for one step
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the device has no streams
     */
    public LaunchQueue(Device device, String name, int blocks, int threads, Duration limit) {
        this(device, name, blocks, threads, limit, SUBMIT_TIMEOUT);
    }

    /** One that waits so long for room in its stream. */
    LaunchQueue(Device device, String name, int blocks, int threads, Duration limit, Duration submitTimeout) {
        this.name = name + ": " + device.name();
        this.limit = limit;
        this.submitTimeout = submitTimeout;
        this.device = device;
        this.stream = device.stream(name);
        DeviceMemory words = null;
        DeviceEvent first = null;
        try {
            words = device.allocateHost(LaunchStatus.bytes(blocks));
            first = device.event();
            this.after = device.event();
        } catch (RuntimeException | Error e) {
            Stream.of(first, words, stream).filter(Objects::nonNull).forEach(LaunchQueue::undo);
            throw e;
        }
        this.before = first;
        this.memory = words;
        this.status = new LaunchStatus(memory.segment(), blocks);
        this.shapes = new LaunchShape[blocks];
        int blockThreads = Math.min(threads, device.attributes().limits().maxBlockThreads());
        for (int i = 0; i < blocks; i++) {
            shapes[i] = LaunchShape.of(i + 1, blockThreads);
        }
    }

    private static void undo(AutoCloseable made) {
        try {
            made.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Puts what is launched from here on behind what is on another stream. No thread waits.
     *
     * @param other of the device, or wrapped
     */
    public void follow(DeviceStream other) {
        order(other, before, stream);
    }

    /**
     * Puts what is given to another stream from here on behind what is launched. No thread waits.
     *
     * @param other of the device, or wrapped
     */
    public void precede(DeviceStream other) {
        order(stream, after, other);
    }

    private void order(DeviceStream first, DeviceEvent event, DeviceStream second) {
        requireSound();
        long deadline = 0;
        int given = first.record(event);
        while (given == 0) {
            deadline = turn(deadline);
            given = first.record(event);
        }
        requireOrder(given, first);
        given = second.await(event);
        while (given == 0) {
            deadline = turn(deadline);
            given = second.await(event);
        }
        requireOrder(given, second);
    }

    /**
     * Launches a kernel. Does not block unless the stream is full.
     *
     * @param kernel    of the device
     * @param blocks    at least 1
     * @param arguments whose own parameters are set
     * @param table     the kernel's connections; null if it has none
     * @throws ProxyException with the driver's reason if it is refused, {@link ProxyResult#TIMEOUT} if the stream has
     *                        no room in time; after either, no launch goes on
     */
    public void launch(DeviceKernel kernel, int blocks, LaunchArguments arguments, ConnectionTable table) {
        launch(kernel, blocks, arguments, table, null);
    }

    /**
     * Launches a kernel, and has something done right before it runs. Does not block unless the stream is full.
     *
     * @param kernel    of the device
     * @param blocks    at least 1
     * @param arguments whose own parameters are set
     * @param table     the kernel's connections; null if it has none
     * @param before    what a thread of the driver runs; null if nothing
     * @throws ProxyException as without
     */
    public void launch(DeviceKernel kernel, int blocks, LaunchArguments arguments, ConnectionTable table,
            Runnable before) {
        requireSound();
        assert status.done() <= launched : launched;
        long count = launched + 1;
        launched = count;
        fill(arguments, table, count);
        followGraphs();
        if (before != null) {
            give(() -> stream.launchHost(before), stream, "a task of the host");
        }
        launch(kernel, blocks, arguments);
        precedeGraphs();
    }

    private void followGraphs() {
        if (last != null) {
            give(() -> stream.await(last), stream, "the order with graphs");
        }
    }

    private void precedeGraphs() {
        if (last != null) {
            give(() -> stream.record(last), stream, "the order with graphs");
        }
    }

    private void fill(LaunchArguments arguments, ConnectionTable table, long number) {
        arguments.put(0, table == null ? 0 : table.address());
        arguments.put(1, memory.address() + LaunchStatus.BLOCKS);
        arguments.put(2, memory.address() + LaunchStatus.ABORT);
        arguments.put(3, number);
        arguments.put(4, limit.toNanos());
    }

    private void launch(DeviceKernel kernel, int blocks, LaunchArguments arguments) {
        assert blocks > 0 && blocks <= shapes.length : blocks;
        long deadline = 0;
        int given = stream.launch(kernel, shapes[blocks - 1], arguments.words());
        while (given == 0) {
            deadline = turn(deadline);
            given = stream.launch(kernel, shapes[blocks - 1], arguments.words());
        }
        require(given, stream, kernel.name());
    }

    /**
     * Begins what becomes part of a graph, which may be launched again and again: from here on, launches go one after
     * the other, whether a graph or {@link #launch} does them.
     *
     * @param on a stream that is being captured
     * @throws ProxyException with the driver's reason if that takes nothing; all else goes on
     */
    public void beginCapture(DeviceStream on) {
        requireSound();
        if (last == null) {
            DeviceEvent event = device.event();
            give(() -> stream.record(event), stream, "the order with graphs");
            last = event;
        }
        requireOrder(on.await(last), on);
    }

    /**
     * Has what is launched behind a graph follow all that was captured.
     *
     * @param on as of {@link #beginCapture}
     * @throws ProxyException with the driver's reason
     */
    public void finishCapture(DeviceStream on) {
        give(() -> on.record(last), on, "a capture");
    }

    /**
     * Whether {@link #beginCapture} was called, so that there may be graphs.
     *
     * @return for good
     */
    public boolean hasCaptured() {
        return last != null;
    }

    /**
     * Has a stream capture a launch. Launches of graphs are not {@link #outstanding}.
     *
     * @param on        as of {@link #beginCapture}
     * @param kernel    as of {@link #launch}
     * @param blocks    as of that
     * @param arguments as of that
     * @param table     as of that
     * @param before    as of that, for each launch of the graph
     * @throws ProxyException with the driver's reason if it is refused
     */
    public void capture(DeviceStream on, DeviceKernel kernel, int blocks, LaunchArguments arguments,
            ConnectionTable table, Runnable before) {
        requireSound();
        fill(arguments, table, LaunchStatus.OF_GRAPH);
        if (before != null) {
            give(() -> on.launchHost(before), on, "a capture");
        }
        give(() -> on.launch(kernel, shapes[blocks - 1], arguments.words()), on, "a capture");
    }

    /** Until a stream has taken a command, of which nothing may be missing. */
    private void give(IntSupplier command, DeviceStream on, String what) {
        long deadline = 0;
        int given = command.getAsInt();
        while (given == 0) {
            deadline = turn(deadline);
            given = command.getAsInt();
        }
        require(given, on, what);
    }

    /**
     * Copies between the device's memory and the host's, in the order of launches, also those of graphs.
     *
     * @param to     where
     * @param from   from where
     * @param offset in both
     * @param bytes  how many
     */
    void copy(DeviceMemory to, DeviceMemory from, long offset, long bytes) {
        requireSound();
        followGraphs();
        give(() -> stream.copy(to, offset, from, offset, bytes), stream, "a copy of connections");
        precedeGraphs();
    }

    /**
     * Waits until all is done. Blocks.
     *
     * @param timeout longest wait
     * @throws ProxyException {@link ProxyResult#TIMEOUT}, or what failed
     */
    public void synchronize(Duration timeout) {
        stream.synchronize(timeout);
    }

    /**
     * Launches that are not complete.
     *
     * @return 0 if it is idle
     */
    public long outstanding() {
        return launched - status.done();
    }

    /**
     * The number of the last launch.
     *
     * @return 0 if there was none
     */
    public long launched() {
        return launched;
    }

    /**
     * Whether a launch is complete, and all before it. Any thread.
     *
     * @param launch its number
     * @return false too once a kernel gave up, which {@link #failure} tells
     */
    public boolean isDone(long launch) {
        return status.done() >= launch && status.failed() < 0;
    }

    /**
     * Changes whenever a slice has moved.
     *
     * @return no count of anything
     */
    public long moves() {
        return status.moves();
    }

    /**
     * Why a kernel gave up, or the driver did. Asks the driver, now and then.
     *
     * @return null if all is well, or the host ended it
     */
    public ProxyException failure() {
        if (failure == null) {
            failure = find();
        }
        return failure;
    }

    /**
     * What kernels wait for that wait long.
     *
     * @return empty if none does
     */
    public String waits() {
        return status.waits();
    }

    /**
     * Why kernels wait in vain that wait long.
     *
     * @param judge asked of each rank that a block waits for
     * @return null if none does
     */
    public ProxyException whyHopeless(WaitJudge judge) {
        return status.whyHopeless(judge);
    }

    /** Ends all kernels, those to come too. Any thread; does not block for long. */
    public synchronized void abort() {
        if (!isClosed) {
            long count = outstanding();
            if (count > 0 && abandoned.isEmpty()) {
                String waits = waits();
                abandoned = name + ": " + count + (count == 1 ? " kernel" : " kernels") + " launched and not finished"
                        + (waits.isEmpty() ? "" : ": " + waits);
            }
            status.abort();
        }
    }

    /**
     * What was launched and not finished when {@link #abort()} or {@link #close()} came. Any thread.
     *
     * @return one line for people; empty if all was finished
     */
    public synchronized String abandoned() {
        return abandoned;
    }

    /** Ends all kernels, waits until they have, and gives everything back. Idempotent, bounded. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        abort();
        stream.close();
        awaitLast();
        release();
    }

    /** A graph may be under way, whose kernels end now. */
    private void awaitLast() {
        long begin = System.nanoTime();
        while (last != null && last.query() == 0 && System.nanoTime() - begin < submitTimeout.toNanos()) {
            Uninterruptibly.parkNanos(PARK_NS);
        }
    }

    private synchronized void release() {
        isClosed = true;
        if (last != null) {
            last.close();
        }
        before.close();
        after.close();
        memory.close();
    }

    private ProxyException find() {
        int block = status.failed();
        if (block >= 0 && status.reason(block) == LaunchStatus.DISAGREED) {
            return new ProxyException(ProxyResult.INVALID_USAGE, name + ": the ranks disagree: "
                    + status.describe(block) + ", and gets one of another operation than this rank's");
        }
        if (block >= 0 && status.reason(block) != LaunchStatus.ABORTED) {
            return new ProxyException(ProxyResult.TIMEOUT, name + ": a kernel gave up after " + limit.toMillis()
                    + " ms (coll.gpu.timeout): " + status.describe(block));
        }
        long now = System.nanoTime();
        if (now - askedNs < ASK_INTERVAL_NS) {
            return null;
        }
        askedNs = now;
        int result = stream.query();
        return result < 0 ? refused(result, stream, "the stream") : null;
    }

    /** A full stream gets room when the device has done something; first the deadline is set. */
    private long turn(long deadline) {
        long now = System.nanoTime();
        if (deadline != 0 && now - deadline > 0) {
            failure = new ProxyException(ProxyResult.TIMEOUT, name + ": the stream was full for "
                    + submitTimeout.toMillis() + " ms; " + waits());
            throw failure;
        }
        require(stream.query(), stream, "the stream");
        Thread.onSpinWait();
        return deadline == 0 ? now + submitTimeout.toNanos() : deadline;
    }

    private void requireSound() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The proxy has been told of a launch and peers count on it: who waits next is told, and so they are. */
    private void require(int given, DeviceStream on, String what) {
        if (given < 0) {
            failure = refused(given, on, what);
            throw failure;
        }
    }

    /** No command of a launch is missing: who asked for an order is told, and all else goes on. */
    private void requireOrder(int given, DeviceStream on) {
        if (given < 0) {
            throw refused(given, on, "the order with a stream of the user");
        }
    }

    private ProxyException refused(int given, DeviceStream on, String what) {
        return new ProxyException(ProxyResult.of(-given), name + ": " + what + ": " + on.failure());
    }
}
