/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.mapped.MappedFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Reads the counters of a runtime from outside of it, while it runs, hangs or is dead. Believes nothing that stands in
 * the file: a counter it does not know is shown under the label it has there, so that tools and runtimes may be of
 * different age.
 *
 * <p>Any thread. Never blocks, and disturbs the runtime in nothing.
 */
public final class CountersReader implements AutoCloseable {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final Counter.Kind[] KINDS = Counter.Kind.values();

    private final MappedFile file;
    private final MemorySegment memory;
    private final int size;
    private final int rows;

    private CountersReader(Path path, MappedFile file) {
        this.file = file;
        this.memory = file.segment();
        if ((long) LONG.getAcquire(memory, 0L) != CountersDescriptor.MAGIC) {
            throw invalid(path, "is not ready, or holds no counters");
        }
        int version = memory.get(ValueLayout.JAVA_INT, CountersDescriptor.VERSION_OFFSET);
        if (version != CountersDescriptor.VERSION) {
            throw invalid(path, "has version " + version + "; this program reads version "
                    + CountersDescriptor.VERSION);
        }
        this.size = memory.get(ValueLayout.JAVA_INT, CountersDescriptor.COUNT_OFFSET);
        this.rows = memory.get(ValueLayout.JAVA_INT, CountersDescriptor.ROWS_OFFSET);
        if (size < 0 || size > CountersDescriptor.MAX_COUNTERS || rows < 0 || rows > CountersDescriptor.MAX_ROWS
                || CountersDescriptor.fileBytes(size, rows) > memory.byteSize()) {
            throw invalid(path, "claims to hold " + size + " counters and " + rows + " rows in " + memory.byteSize()
                    + " bytes");
        }
    }

    /**
     * Opens a counters file for reading.
     *
     * @param path as {@link RuntimeDirectory.Entry#counters()} gives it
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no such file or it may not be read,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if it holds no counters, or not yet, or those of
     *                        another version
     */
    public static CountersReader open(Path path) {
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot map " + path + ": it is no regular file");
        }
        MappedFile file = MappedFile.openReadOnly(path, CountersDescriptor.VALUES_OFFSET);
        try {
            return new CountersReader(path, file);
        } catch (ProxyException e) {
            file.close();
            throw e;
        }
    }

    /**
     * The runtime's process.
     *
     * @return its id, within the PID namespace of the runtime
     */
    public long pid() {
        return memory.get(ValueLayout.JAVA_LONG, CountersDescriptor.PID_OFFSET);
    }

    /**
     * The runtime's rank.
     *
     * @return as the runtime was told
     */
    public int rank() {
        return memory.get(ValueLayout.JAVA_INT, CountersDescriptor.RANK_OFFSET);
    }

    /**
     * How many ranks its job has.
     *
     * @return as the runtime was told
     */
    public int nRanks() {
        return memory.get(ValueLayout.JAVA_INT, CountersDescriptor.NRANKS_OFFSET);
    }

    /**
     * When the runtime was started.
     *
     * @return epoch milliseconds
     */
    public long startMs() {
        return memory.get(ValueLayout.JAVA_LONG, CountersDescriptor.START_OFFSET);
    }

    /**
     * When the progress agent last said that it is alive.
     *
     * @return epoch milliseconds; 0 if it never did
     */
    public long heartbeatMs() {
        return (long) LONG.getAcquire(memory, CountersDescriptor.HEARTBEAT_OFFSET);
    }

    /**
     * The name of the job.
     *
     * @return printable, for people
     */
    public String job() {
        return text(CountersDescriptor.JOB_OFFSET, CountersDescriptor.JOB_BYTES);
    }

    /**
     * The runtime's first failure.
     *
     * @return printable, for people; empty if there was none
     */
    public String failure() {
        int length = (int) INT.getAcquire(memory, CountersDescriptor.TEXT_LENGTH_OFFSET);
        return text(CountersDescriptor.TEXT_OFFSET, Math.clamp(length, 0, CountersDescriptor.TEXT_BYTES));
    }

    /**
     * How many counters there are.
     *
     * @return their indices are 0 to size - 1
     */
    public int size() {
        return size;
    }

    /**
     * What a counter counts.
     *
     * @param index 0 to {@link #size()} - 1
     * @return printable, for people
     */
    public String label(int index) {
        return text(offset(index) + CountersDescriptor.LABEL_OFFSET, CountersDescriptor.LABEL_BYTES);
    }

    /**
     * How a counter moves.
     *
     * @param index 0 to {@link #size()} - 1
     * @return {@link Counter.Kind#GAUGE} if the file says something unknown
     */
    public Counter.Kind kind(int index) {
        int kind = memory.get(ValueLayout.JAVA_INT, offset(index) + CountersDescriptor.KIND_OFFSET);
        return kind >= 0 && kind < KINDS.length ? KINDS[kind] : Counter.Kind.GAUGE;
    }

    /**
     * A counter's value now.
     *
     * @param index 0 to {@link #size()} - 1
     * @return as its writer stored it last
     */
    public long value(int index) {
        return (long) LONG.getAcquire(memory, offset(index));
    }

    /**
     * Which connection has how much memory. Those for which there was no room in the file are missing; the counters
     * have them in their sums.
     *
     * @return a copy, in the order of the file
     */
    public List<MemoryShare> memory() {
        List<MemoryShare> shares = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            new MemoryRow(memory.asSlice(CountersDescriptor.rowOffset(size, i), MemoryRow.BYTES)).read()
                    .ifPresent(shares::add);
        }
        return shares;
    }

    /** Unmaps the file. Idempotent. */
    @Override
    public void close() {
        file.close();
    }

    private long offset(int index) {
        return CountersDescriptor.valueOffset(Objects.checkIndex(index, size));
    }

    private String text(long offset, int room) {
        return text(memory, offset, room);
    }

    /** Up to the first zero; what could steer a terminal becomes a question mark. */
    static String text(MemorySegment memory, long offset, int room) {
        byte[] bytes = new byte[room];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, room);
        int length = 0;
        while (length < room && bytes[length] != 0) {
            length++;
        }
        StringBuilder printable = new StringBuilder();
        new String(bytes, 0, length, StandardCharsets.UTF_8).codePoints()
                .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
                .forEach(printable::appendCodePoint);
        return printable.toString();
    }

    private static ProxyException invalid(Path path, String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, path + " " + what);
    }
}
