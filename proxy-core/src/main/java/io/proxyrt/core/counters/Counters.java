/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import static io.proxyrt.core.counters.CountersDescriptor.HEARTBEAT_OFFSET;

import io.proxyrt.core.platform.MappedFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The counters of a runtime, in a mapped file that outlives it if it is killed. A counter is written by one thread,
 * with a plain load and a release store; readers load with acquire. {@link MemoryAccounts} sets those of memory.
 */
public final class Counters implements AutoCloseable {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    /** Of each thread. */
    private static final int DEFAULT_EVENTS = 512;

    private final MappedFile file;
    private final MemorySegment memory;
    private final MemoryAccounts accounts;
    private final BlackBox blackBox;
    private final int size;
    private final int rank;
    private final String job;
    /** By ordinal, once it is closed. */
    private volatile long[] last;

    private Counters(MappedFile file, String job, int size, int events) {
        this.file = file;
        this.memory = file.segment();
        this.size = size;
        this.rank = memory.get(ValueLayout.JAVA_INT, CountersDescriptor.RANK_OFFSET);
        this.job = job;
        long boxOffset = CountersDescriptor.boxOffset(size, CountersDescriptor.ROWS);
        this.accounts = new MemoryAccounts(this, memory.asSlice(CountersDescriptor.rowOffset(size, 0),
                boxOffset - CountersDescriptor.rowOffset(size, 0)));
        this.blackBox = new BlackBox(memory.asSlice(boxOffset), events);
    }

    /**
     * Creates the file.
     *
     * @param path   must not exist
     * @param job    name of the job, for people
     * @param rank   of the runtime
     * @param nRanks of the job
     * @return owned by the caller
     */
    public static Counters create(Path path, String job, int rank, int nRanks) {
        return create(path, job, rank, nRanks, DEFAULT_EVENTS);
    }

    /**
     * Creates the file.
     *
     * @param path   must not exist
     * @param job    name of the job, for people
     * @param rank   of the runtime
     * @param nRanks of the job
     * @param events of each thread that the black box keeps
     * @return owned by the caller
     */
    public static Counters create(Path path, String job, int rank, int nRanks, int events) {
        return create(path, job, rank, nRanks, Counter.values(), BlackBox.bytes(events), events);
    }

    /**
     * Creates the file of something else than a runtime, which has counters of its own.
     *
     * @param path     must not exist
     * @param job      what it is called, for people
     * @param rank     of it
     * @param nRanks   of its kind
     * @param counters all of them, each at its place
     * @return owned by the caller, who uses it for these counters alone
     */
    public static Counters create(Path path, String job, int rank, int nRanks, CounterLabel... counters) {
        return create(path, job, rank, nRanks, counters, 0, 0);
    }

    private static Counters create(Path path, String job, int rank, int nRanks, CounterLabel[] counters,
            long boxBytes, int events) {
        MappedFile file = MappedFile.create(path,
                CountersDescriptor.boxOffset(counters.length, CountersDescriptor.ROWS) + boxBytes);
        MemorySegment memory = file.segment();
        memory.set(ValueLayout.JAVA_INT, CountersDescriptor.VERSION_OFFSET, CountersDescriptor.VERSION);
        memory.set(ValueLayout.JAVA_INT, CountersDescriptor.COUNT_OFFSET, counters.length);
        memory.set(ValueLayout.JAVA_INT, CountersDescriptor.ROWS_OFFSET, CountersDescriptor.ROWS);
        memory.set(ValueLayout.JAVA_LONG, CountersDescriptor.PID_OFFSET, ProcessHandle.current().pid());
        memory.set(ValueLayout.JAVA_INT, CountersDescriptor.RANK_OFFSET, rank);
        memory.set(ValueLayout.JAVA_INT, CountersDescriptor.NRANKS_OFFSET, nRanks);
        memory.set(ValueLayout.JAVA_LONG, CountersDescriptor.START_OFFSET, System.currentTimeMillis());
        text(memory, CountersDescriptor.JOB_OFFSET, CountersDescriptor.JOB_BYTES, job);
        for (CounterLabel counter : counters) {
            long offset = CountersDescriptor.valueOffset(counter.ordinal());
            memory.set(ValueLayout.JAVA_INT, offset + CountersDescriptor.KIND_OFFSET, counter.kind().ordinal());
            text(memory, offset + CountersDescriptor.LABEL_OFFSET, CountersDescriptor.LABEL_BYTES, counter.label());
        }
        Counters made = new Counters(file, job, counters.length, events);
        LONG.setRelease(memory, 0L, CountersDescriptor.MAGIC);
        return made;
    }

    /**
     * Whose counters they are.
     *
     * @return the rank of the runtime
     */
    public int rank() {
        return rank;
    }

    /**
     * Of which job.
     *
     * @return its name, for people
     */
    public String job() {
        return job;
    }

    /**
     * Adds to a counter; its writing thread only.
     *
     * @param counter which
     * @param amount  may be negative for a gauge
     */
    public void add(Counter counter, long amount) {
        long offset = CountersDescriptor.valueOffset(counter.ordinal());
        LONG.setRelease(memory, offset, memory.get(ValueLayout.JAVA_LONG, offset) + amount);
    }

    /**
     * Sets a counter; its writing thread only.
     *
     * @param counter which
     * @param value   new value
     */
    public void set(Counter counter, long value) {
        LONG.setRelease(memory, CountersDescriptor.valueOffset(counter.ordinal()), value);
    }

    /**
     * Sets a counter of something else than a runtime; its writing thread only.
     *
     * @param counter one of those that the file was created with
     * @param value   new value
     */
    public void set(CounterLabel counter, long value) {
        LONG.setRelease(memory, CountersDescriptor.valueOffset(counter.ordinal()), value);
    }

    /**
     * Reads a counter. Any thread, also once the runtime is closed.
     *
     * @param counter which
     * @return its value, or its last one
     */
    public long get(Counter counter) {
        try {
            return value(counter.ordinal());
        } catch (IllegalStateException e) {
            // Pairs with the store in close.
            return last[counter.ordinal()];
        }
    }

    private long value(int index) {
        return (long) LONG.getAcquire(memory, CountersDescriptor.valueOffset(index));
    }

    /**
     * Which connection has how much memory.
     *
     * @return to be told of each allocation
     */
    public MemoryAccounts memory() {
        return accounts;
    }

    /**
     * What is left of the runtime if its process is killed.
     *
     * @return forgets all if they are the counters of something else than a runtime
     */
    public BlackBox blackBox() {
        return blackBox;
    }

    /**
     * What the progress agent worked on when it last looked at the clock. Any thread, while the runtime is open.
     *
     * @return empty if it never did
     */
    public Optional<ActiveSnapshot> active() {
        return BlackBoxReader.of((offset, bytes) -> MemorySegment.ofArray(
                memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE)),
                CountersDescriptor.boxOffset(size, CountersDescriptor.ROWS),
                memory.byteSize() - CountersDescriptor.boxOffset(size, CountersDescriptor.ROWS))
                .flatMap(BlackBoxReader::snapshot);
    }

    /**
     * Says that the runtime is alive; progress thread.
     *
     * @param epochMs now
     */
    public void heartbeat(long epochMs) {
        LONG.setRelease(memory, HEARTBEAT_OFFSET, epochMs);
    }

    /**
     * Leaves the first failure for those who look from outside.
     *
     * @param code of a {@link io.proxyrt.core.ProxyResult}
     * @param text for people; cut to what fits
     */
    public void failure(int code, String text) {
        int length = text(memory, CountersDescriptor.TEXT_OFFSET, CountersDescriptor.TEXT_BYTES, text);
        INT.setRelease(memory, CountersDescriptor.TEXT_LENGTH_OFFSET, length);
        set(Counter.ASYNC_RESULT, code);
    }

    /** Leaves a failure in the black box; any thread. */
    void event(int code) {
        synchronized (blackBox.failures()) {
            blackBox.failures().add(EventType.ERROR, code, 0, 0);
        }
    }

    /** Unmaps and deletes the file. Idempotent. */
    @Override
    public synchronized void close() {
        if (last == null) {
            last = lastValues();
        }
        file.close();
    }

    private long[] lastValues() {
        try {
            return IntStream.range(0, size).mapToLong(this::value).toArray();
        } catch (InternalError e) {
            // The file was cut: the values are gone with it, and closing goes on.
            return new long[size];
        }
    }

    static int text(MemorySegment memory, long offset, int room, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        byte[] padded = Arrays.copyOf(bytes, room);
        MemorySegment.copy(padded, 0, memory, ValueLayout.JAVA_BYTE, offset, room);
        return Math.min(bytes.length, room);
    }
}
