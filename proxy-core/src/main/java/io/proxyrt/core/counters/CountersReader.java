/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.OwnFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads the counters of a runtime from outside of it, while it runs, hangs or is dead. Believes nothing that stands in
 * the file: a counter it does not know is shown under the label it has there, so that tools and runtimes may be of
 * different age. The file is read, not mapped: if it is cut meanwhile, that is an exception.
 *
 * <p>Any thread. Disturbs the runtime in nothing. All that reads throws {@link ProxyResult#SYSTEM_ERROR} if the file
 * cannot be read any more.
 */
public final class CountersReader implements AutoCloseable {
    private static final Counter.Kind[] KINDS = Counter.Kind.values();

    private final Path path;
    private final FileChannel channel;
    private final int size;
    private final int rows;
    /** Null if there is none. */
    private final BlackBoxReader blackBox;

    private CountersReader(Path path, FileChannel channel) throws IOException {
        this.path = path;
        this.channel = channel;
        if (channel.size() < CountersDescriptor.VALUES_OFFSET) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, path + " has " + channel.size() + " bytes, not "
                    + CountersDescriptor.VALUES_OFFSET);
        }
        if (readLong(0) != CountersDescriptor.MAGIC) {
            throw invalid(path, "is not ready, or holds no counters");
        }
        // The magic is stored last: a reader that has seen it sees the rest.
        VarHandle.loadLoadFence();
        int version = readInt(CountersDescriptor.VERSION_OFFSET);
        if (version != CountersDescriptor.VERSION) {
            throw invalid(path, "has version " + version + "; this program reads version "
                    + CountersDescriptor.VERSION);
        }
        this.size = readInt(CountersDescriptor.COUNT_OFFSET);
        this.rows = readInt(CountersDescriptor.ROWS_OFFSET);
        if (size < 0 || size > CountersDescriptor.MAX_COUNTERS || rows < 0 || rows > CountersDescriptor.MAX_ROWS
                || CountersDescriptor.boxOffset(size, rows) > channel.size()) {
            throw invalid(path, "claims to hold " + size + " counters and " + rows + " rows in " + channel.size()
                    + " bytes");
        }
        this.blackBox = blackBox(channel.size());
    }

    private BlackBoxReader blackBox(long fileBytes) {
        long offset = CountersDescriptor.boxOffset(size, rows);
        if (offset == fileBytes) {
            return null;
        }
        return BlackBoxReader.of(this::read, offset, fileBytes - offset).orElseThrow(
                () -> invalid(path, "claims to hold a black box that does not fit its " + fileBytes + " bytes"));
    }

    /**
     * Opens a counters file for reading.
     *
     * @param path as {@link RuntimeDirectory.Entry#counters()} gives it
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no plain file of this user with that name, or
     *                        others may write to it, or it may not be read,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if it holds no counters, or not yet, or those of
     *                        another version
     */
    public static CountersReader open(Path path) {
        FileChannel channel = OwnFile.open(path, StandardOpenOption.READ);
        CountersReader reader = null;
        try {
            reader = new CountersReader(path, channel);
            return reader;
        } catch (IOException e) {
            throw unreadable(path, e);
        } finally {
            if (reader == null) {
                close(path, channel);
            }
        }
    }

    /**
     * The runtime's process.
     *
     * @return its id, within the PID namespace of the runtime
     */
    public long pid() {
        return readLong(CountersDescriptor.PID_OFFSET);
    }

    /**
     * The runtime's rank.
     *
     * @return as the runtime was told
     */
    public int rank() {
        return readInt(CountersDescriptor.RANK_OFFSET);
    }

    /**
     * How many ranks its job has.
     *
     * @return as the runtime was told
     */
    public int nRanks() {
        return readInt(CountersDescriptor.NRANKS_OFFSET);
    }

    /**
     * When the runtime was started.
     *
     * @return epoch milliseconds
     */
    public long startMs() {
        return readLong(CountersDescriptor.START_OFFSET);
    }

    /**
     * When the progress agent last said that it is alive.
     *
     * @return epoch milliseconds; 0 if it never did
     */
    public long heartbeatMs() {
        return readLong(CountersDescriptor.HEARTBEAT_OFFSET);
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
        int length = readInt(CountersDescriptor.TEXT_LENGTH_OFFSET);
        VarHandle.loadLoadFence();
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
        int kind = readInt(offset(index) + CountersDescriptor.KIND_OFFSET);
        return kind >= 0 && kind < KINDS.length ? KINDS[kind] : Counter.Kind.GAUGE;
    }

    /**
     * A counter's value now.
     *
     * @param index 0 to {@link #size()} - 1
     * @return as its writer stored it last
     */
    public long value(int index) {
        return readLong(offset(index));
    }

    /**
     * Which connection has how much memory. Those for which there was no room in the file are missing; the counters
     * have them in their sums.
     *
     * @return a copy, in the order of the file
     */
    public List<MemoryShare> memory() {
        List<MemoryShare> shares = new ArrayList<>();
        MemorySegment all = read(CountersDescriptor.rowOffset(size, 0), rows * (int) MemoryRow.BYTES);
        for (int i = 0; i < rows; i++) {
            if (MemoryRow.isUsed(all.asSlice(i * MemoryRow.BYTES, MemoryRow.BYTES))) {
                long offset = CountersDescriptor.rowOffset(size, i);
                MemoryRow.read(() -> readInt(offset), () -> read(offset, (int) MemoryRow.BYTES)).ifPresent(shares::add);
            }
        }
        return shares;
    }

    /**
     * What the progress agent worked on when it last looked at the clock: about every 100 ms while it works.
     *
     * @return empty if it never did
     */
    public Optional<ActiveSnapshot> active() {
        return blackBox == null ? Optional.empty() : blackBox.snapshot();
    }

    /**
     * The last events of each thread.
     *
     * @return by thread, each from the oldest to the youngest
     */
    public List<Event> events() {
        return blackBox == null ? List.of() : blackBox.events();
    }

    /**
     * What communicators were asked for.
     *
     * @return those that there is room for
     */
    public List<CallerView> callers() {
        return blackBox == null ? List.of() : blackBox.callers();
    }

    /**
     * What connections have carried; those without an op, and for which the file has no room, are missing.
     *
     * @return in the order of the file
     */
    public List<ConnectionTraffic> traffic() {
        return blackBox == null ? List.of() : blackBox.traffic();
    }

    /** Closes the file. Idempotent. */
    @Override
    public void close() {
        close(path, channel);
    }

    private long offset(int index) {
        return CountersDescriptor.valueOffset(Objects.checkIndex(index, size));
    }

    private String text(long offset, int room) {
        return text(read(offset, room), 0, room);
    }

    private long readLong(long offset) {
        return read(offset, Long.BYTES).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private int readInt(long offset) {
        return read(offset, Integer.BYTES).get(ValueLayout.JAVA_INT_UNALIGNED, 0);
    }

    /** The channel would close if its reader were interrupted meanwhile. */
    private MemorySegment read(long offset, int bytes) {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        boolean isInterrupted = Thread.interrupted();
        try {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, offset + buffer.position()) < 0) {
                    throw new EOFException("it ends at byte " + channel.size() + ": it was cut");
                }
            }
            return MemorySegment.ofArray(buffer.array());
        } catch (IOException e) {
            throw unreadable(path, e);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
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

    private static void close(Path path, FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    private static ProxyException unreadable(Path path, IOException e) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, path + " cannot be read: " + e, e);
    }

    private static ProxyException invalid(Path path, String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, path + " " + what);
    }
}
