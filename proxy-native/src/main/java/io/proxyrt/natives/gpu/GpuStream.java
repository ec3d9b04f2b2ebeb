/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;

/** A stream of the driver: checks what it is asked for, and gives it to the driver as long as that does not block. */
final class GpuStream implements DeviceStream {
    /** Copies, writes, waits and kernels under way. */
    static final int CAPACITY = 128;

    /** A record after a command that was taken is taken too, so that no command has to be undone. */
    private static final int RECORD_CAPACITY = CAPACITY + 64;
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Duration LONGEST = Duration.ofDays(36_500);
    private static final int SPINS = 200;
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(20);
    /** No event. */
    private static final long NONE = 0;
    /** {@code cudaStreamPerThread}; below it are two names of the default stream. Batches are not for these. */
    private static final long LAST_SPECIAL = 2;

    private final GpuDevice device;
    private final GpuApi api;
    private final String name;
    private final long handle;
    private final GpuBacklog backlog;
    private final GpuCapture capture;
    /** Recorded behind what comes from here on another library's stream, which may have work without end. */
    private final long ours;
    /** Null if the driver has none. */
    private final GpuBatch batch;
    private volatile boolean isClosed;
    /** Pairs with the load in {@link GpuReclaimer}, as its count does with the load after this store. */
    private volatile boolean isLaunching;
    private ProxyResult reason = ProxyResult.SUCCESS;
    private String failure = "";
    private String refusal = "";

    private GpuStream(GpuDevice device, String name, long handle, long ours) {
        this.device = device;
        this.api = device.api();
        this.name = name;
        this.handle = handle;
        this.ours = ours;
        this.batch = api.hasMemcpyBatch() && handle > LAST_SPECIAL ? new GpuBatch() : null;
        this.capture = new GpuCapture(api, handle);
        this.backlog = new GpuBacklog(api, handle);
    }

    /** A new one. The device is the calling thread's. */
    static GpuStream create(GpuDevice device, String name) {
        long handle = device.api().streamCreate();
        try {
            return new GpuStream(device, name, handle, NONE);
        } catch (ProxyException e) {
            device.api().streamDestroy(handle);
            throw e;
        }
    }

    /** Another library's, if it is the device's: only such a one takes the device's events. That is the thread's. */
    static GpuStream wrap(GpuDevice device, String name, long handle) {
        GpuApi api = device.api();
        long ours = api.eventCreate();
        try {
            GpuCapture capture = new GpuCapture(api, handle);
            capture.ask();
            int code = capture.record(ours);
            if (code != GpuApi.SUCCESS) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + " cannot wrap stream 0x"
                        + Long.toHexString(handle) + ", as if it was another device's, or none: "
                        + api.errorName(code));
            }
            return new GpuStream(device, name, handle, ours);
        } catch (ProxyException e) {
            api.eventDestroy(ours);
            throw e;
        }
    }

    @Override
    public long handle() {
        return handle;
    }

    int ordinal() {
        return device.ordinal();
    }

    @Override
    public int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
        int state = state(CAPACITY);
        if (state > 0) {
            state = check(to, toOffset, from, fromOffset, bytes);
        }
        if (state <= 0 || bytes == 0) {
            return state;
        }
        return copy((GpuMemory) to.base(), address(to, toOffset), (GpuMemory) from.base(), address(from, fromOffset),
                bytes);
    }

    /** Whether it can be done: 1, or a negated result. */
    private int check(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
        if (!isWithin(to, toOffset, bytes) || !isWithin(from, fromOffset, bytes)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "copy of " + bytes + " bytes from " + from + " at "
                    + fromOffset + " to " + to + " at " + toOffset + ": " + why(to, toOffset, bytes)
                    + why(from, fromOffset, bytes));
        }
        GpuMemory target = (GpuMemory) to.base();
        GpuMemory source = (GpuMemory) from.base();
        if (target.isReadOnly() || Math.abs(address(to, toOffset) - address(from, fromOffset)) < bytes) {
            return refused(ProxyResult.INVALID_ARGUMENT, "copy of " + bytes + " bytes from " + from + " at "
                    + fromOffset + " to " + to + " at " + toOffset + ": the target is read-only, or overlaps");
        }
        if (target.isHostAccessible() && source.isHostAccessible()) {
            return refused(ProxyResult.INVALID_USAGE, "copy of " + bytes + " bytes from host memory to host memory: "
                    + "the driver would have the caller wait for all that is on the stream; the CPU does it as well");
        }
        return 1;
    }

    @Override
    public int copyAll(CopyList copies) {
        if (batch == null || capture.isOn() || copies.size() - copies.taken() < 2) {
            return DeviceStream.super.copyAll(copies);
        }
        while (copies.taken() < copies.size()) {
            int state = copyBatch(copies);
            if (state <= 0) {
                return state;
            }
        }
        return 1;
    }

    /** The next of a list, as many as a batch holds. */
    private int copyBatch(CopyList copies) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        int count = Math.min(GpuBatch.CAPACITY, copies.size() - copies.taken());
        batch.clear();
        for (int i = copies.taken(); i < copies.taken() + count; i++) {
            DeviceMemory to = copies.to(i);
            DeviceMemory from = copies.from(i);
            int checked = check(to, copies.toOffset(i), from, copies.fromOffset(i), copies.bytes(i));
            if (checked <= 0) {
                return checked;
            }
            if (copies.bytes(i) > 0) {
                batch.add(address(to, copies.toOffset(i)), address(from, copies.fromOffset(i)), copies.bytes(i));
            }
        }
        int taken = batch.size() == 0 ? 1 : taken(api.memcpyBatchAsync(batch, handle), "copies");
        if (taken > 0) {
            copies.took(count);
        }
        return taken;
    }

    private static long address(DeviceMemory memory, long offset) {
        return memory.base().address() + memory.baseOffset() + offset;
    }

    /** The driver finds out by itself whose other processes' memory and the host's is. */
    private int copy(GpuMemory target, long to, GpuMemory source, long from, long bytes) {
        boolean isBetween = target.isOwn() && source.isOwn() && target.device() != source.device();
        int code = isBetween
                ? api.memcpyPeerAsync(to, target.device().ordinal(), from, source.device().ordinal(), bytes, handle)
                : api.memcpyAsync(to, from, bytes, handle);
        return taken(code, "copy");
    }

    @Override
    public int record(DeviceEvent event) {
        int state = state(RECORD_CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (!isUsable(event) || ((GpuEvent) event).device() != device) {
            return refused(ProxyResult.INVALID_ARGUMENT, "record of an event of another device, or a closed one");
        }
        return taken(capture.record(((GpuEvent) event).handle()), "record");
    }

    @Override
    public int await(DeviceEvent event) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (!isUsable(event)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "wait for an event of another device, or a closed one");
        }
        return taken(capture.await(((GpuEvent) event).handle()), "wait");
    }

    @Override
    public int write(DeviceMemory to, long offset, long value) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (!isWithin(to, offset, Long.BYTES) || (to.address() + offset) % Long.BYTES != 0
                || ((GpuMemory) to.base()).isReadOnly() || !to.base().isHostAccessible()) {
            return refused(ProxyResult.INVALID_ARGUMENT, "write to " + to + " at " + offset + ": "
                    + why(to, offset, Long.BYTES) + " it must be 8 aligned bytes of the host that are not read-only");
        }
        return taken(api.writeValue(handle, to.base().address() + to.baseOffset() + offset, value), "write");
    }

    @Override
    public int launch(DeviceKernel kernel, LaunchShape shape, MemorySegment arguments) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (!(kernel instanceof GpuModule.Kernel own) || !own.isOf(device)) {
            return refused(ProxyResult.INVALID_ARGUMENT, "kernel " + kernel.name() + ": it is another device's, or its"
                    + " module is closed");
        }
        int maxThreads = device.maxBlockThreads();
        if (shape.blockThreads() > maxThreads || arguments.byteSize() > MAX_ARGUMENT_BYTES || !arguments.isNative()) {
            return refused(ProxyResult.INVALID_ARGUMENT, "kernel " + own + ": " + shape + " and "
                    + arguments.byteSize() + " bytes of arguments; at most " + maxThreads + " threads of a block and "
                    + MAX_ARGUMENT_BYTES + " bytes of native memory will do");
        }
        isLaunching = true;
        try {
            return device.isFreeing() ? 0 : taken(api.launch(own.function(), shape, arguments, handle), "launch");
        } finally {
            isLaunching = false;
        }
    }

    /** A graph may have kernels. */
    int launch(GpuGraph graph) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (graph.isClosed() || graph.device() != device) {
            return refused(ProxyResult.INVALID_ARGUMENT, "launch of a graph of another device, or a closed one");
        }
        isLaunching = true;
        try {
            return device.isFreeing() ? 0 : taken(api.graphs().launch(graph.handle(), handle), "graph");
        } finally {
            isLaunching = false;
        }
    }

    @Override
    public int launchHost(Runnable task) {
        int state = state(CAPACITY);
        if (state <= 0) {
            return state;
        }
        if (!api.graphs().whyNot().isEmpty()) {
            return refused(ProxyResult.INVALID_USAGE, api.graphs().whyNot());
        }
        return taken(capture.launchHost(task), "task of the host");
    }

    @Override
    public boolean isCapturing() {
        return open() > 0 && capture.ask();
    }

    @Override
    public void beginCapture() {
        requireOpen();
        capture.begin(toString());
    }

    @Override
    public DeviceGraph endCapture() {
        requireOpen();
        return capture.end(device, toString());
    }

    private void requireOpen() {
        int state = open();
        if (state < 0) {
            throw new ProxyException(ProxyResult.of(-state), failure());
        }
    }

    /** Whether a kernel may be on its way to the driver, which does not show it yet. */
    boolean isLaunching() {
        return isLaunching;
    }

    @Override
    public int query() {
        int state = open();
        return state < 0 ? state : capture.isOn() ? refused(ProxyResult.INVALID_USAGE, "it is being captured")
                : answer(api.streamQuery(handle));
    }

    private int queryOurs() {
        int state = open();
        return state < 0 ? state : answer(pending());
    }

    /** 1 if all is done, 0 if it is not, else a negated result. */
    private int answer(int code) {
        if (code == GpuApi.SUCCESS) {
            return 1;
        }
        return code == GpuApi.NOT_READY ? 0 : failed(code);
    }

    /** Whether what was given to it here is done: a code. Any thread that has a current device. */
    int pending() {
        return ours == NONE ? capture.query() : api.eventQuery(ours);
    }

    /** Whether more can be put on it than was put: once it is closed, another library may have destroyed its own. */
    boolean isThere() {
        return ours == NONE || !isClosed;
    }

    @Override
    public void synchronize(Duration timeout) {
        int state = await((timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos(), this::query, true);
        if (state < 0) {
            throw new ProxyException(ProxyResult.of(-state), failure());
        }
        if (state == 0) {
            boolean isInterrupted = Thread.currentThread().isInterrupted();
            throw new ProxyException(isInterrupted ? ProxyResult.INVALID_USAGE : ProxyResult.TIMEOUT, this
                    + " is not done " + (isInterrupted ? "and the thread that waits is interrupted"
                    : "after " + timeout) + "; at most " + backlog.underWay() + " commands are left");
        }
    }

    /** As the question at the end of it. */
    private static int await(long timeoutNs, IntSupplier question, boolean isInterruptible) {
        long start = System.nanoTime();
        int state = question.getAsInt();
        for (int turn = 0; state == 0 && System.nanoTime() - start < timeoutNs
                && !(isInterruptible && Thread.currentThread().isInterrupted()); turn++) {
            if (turn < SPINS) {
                Thread.onSpinWait();
            } else {
                Uninterruptibly.parkNanos(PAUSE_NS);
            }
            state = question.getAsInt();
        }
        return state;
    }

    @Override
    public String failure() {
        return failure.isEmpty() ? refusal : failure;
    }

    /** {@inheritDoc} The driver drops nothing that it has; what does not end in time, it gets back later. */
    @Override
    public void close() {
        close(GpuDevice.CLOSE_TIMEOUT_NS);
    }

    void close(long timeoutNs) {
        if (isClosed) {
            return;
        }
        device.checkThread();
        int state = await(timeoutNs, ours == NONE ? this::query : this::queryOurs, false);
        isClosed = true;
        device.destroy(this);
        if (state == 0) {
            LOGGER.warn("{} does not end: at most {} commands are left", this, backlog.underWay());
        }
    }

    /** The device is the calling thread's. */
    void destroy() {
        backlog.destroy();
        if (ours == NONE) {
            api.streamDestroy(handle);
        } else {
            api.eventDestroy(ours);
        }
    }

    /** 1 if a command can be posted, 0 if too much is under way, else a negated result. */
    private int state(int limit) {
        int state = open();
        return state < 0 || capture.isOn() ? state : answer(backlog.query(limit));
    }

    /** 1 if the driver can be asked, else a negated result. */
    private int open() {
        if (reason != ProxyResult.SUCCESS) {
            return -reason.code();
        }
        if (isClosed) {
            return refused(ProxyResult.INVALID_USAGE, "it is closed");
        }
        return device.isEntered() ? 1 : enter();
    }

    private int enter() {
        try {
            device.enter();
            return 1;
        } catch (ProxyException e) {
            return refused(e.result(), e.getMessage());
        }
    }

    private boolean isUsable(DeviceEvent event) {
        return event instanceof GpuEvent own && !own.isClosed() && device.reaches(own.device());
    }

    private boolean isWithin(DeviceMemory memory, long offset, long bytes) {
        return isReached(memory) && offset >= 0 && bytes >= 0 && offset <= memory.bytes() - bytes;
    }

    private boolean isReached(DeviceMemory memory) {
        return memory.base() instanceof GpuMemory own && device.reaches(own.device()) && own.isAlive();
    }

    private String why(DeviceMemory memory, long offset, long bytes) {
        if (isWithin(memory, offset, bytes)) {
            return "";
        }
        return memory + (isReached(memory) ? " has " + memory.bytes() + " bytes; "
                : " is freed, or of a device that " + device.name() + " does not reach; ");
    }

    private int taken(int code, String what) {
        if (code != GpuApi.SUCCESS) {
            return refused(code, what);
        }
        if (capture.isOn()) {
            return 1;
        }
        int marked = backlog.add();
        if (marked == GpuApi.SUCCESS && ours != NONE) {
            marked = api.eventRecord(ours, handle);
        }
        return marked == GpuApi.SUCCESS ? 1 : refused(marked, what);
    }

    /** What the driver refuses harms nothing, unless something failed before it. */
    private int refused(int code, String what) {
        if (capture.isOn()) {
            return refused(ProxyResult.INVALID_USAGE, what + ", in a capture: " + api.errorName(code));
        }
        int state = api.streamQuery(handle);
        return state == GpuApi.SUCCESS || state == GpuApi.NOT_READY
                ? refused(api.result(code), what + ": " + api.errorName(code)) : failed(state);
    }

    private int refused(ProxyResult result, String what) {
        refusal = this + ": " + what;
        return -result.code();
    }

    /** What fails on a stream takes the device's context with it, in this process. */
    private int failed(int code) {
        if (GpuErrors.isOfCapture(code)) {
            return refused(ProxyResult.INVALID_USAGE, "it is being captured: " + api.errorName(code));
        }
        reason = api.result(code);
        failure = this + " failed: " + api.errorName(code) + "; from now on the driver refuses all that this process "
                + "asks of " + device.name() + ": start it anew";
        return -reason.code();
    }

    @Override
    public String toString() {
        return "stream " + name + " of " + device.name();
    }
}
