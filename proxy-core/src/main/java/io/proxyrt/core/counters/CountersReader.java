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
import java.time.Instant;
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
    private static final int MAX_IMAGE_BYTES = 4 << 20;

    private final String name;
    private final Source source;
    private final int size;
    private final int rows;
    /** Null if there is none. */
    private final BlackBoxReader blackBox;

    /** A counters file, or what was read of one. */
    private interface Source extends BlackBoxReader.Bytes {
        long size();

        void close();
    }

    private CountersReader(String name, Source source) {
        this.name = name;
        this.source = source;
        long bytes = source.size();
        if (bytes < CountersDescriptor.VALUES_OFFSET) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name + " has " + bytes + " bytes, not "
                    + CountersDescriptor.VALUES_OFFSET);
        }
        if (readLong(0) != CountersDescriptor.MAGIC) {
            throw invalid("is not ready, or holds no counters");
        }
        // The magic is stored last: a reader that has seen it sees the rest.
        VarHandle.loadLoadFence();
        int version = readInt(CountersDescriptor.VERSION_OFFSET);
        if (version != CountersDescriptor.VERSION) {
            throw invalid("has version " + version + "; this program reads version "
                    + CountersDescriptor.VERSION);
        }
        this.size = readInt(CountersDescriptor.COUNT_OFFSET);
        this.rows = readInt(CountersDescriptor.ROWS_OFFSET);
        if (size < 0 || size > CountersDescriptor.MAX_COUNTERS || rows < 0 || rows > CountersDescriptor.MAX_ROWS
                || CountersDescriptor.boxOffset(size, rows) > bytes) {
            throw invalid("claims to hold " + size + " counters and " + rows + " rows in " + bytes + " bytes");
        }
        this.blackBox = blackBox(bytes);
    }

    private BlackBoxReader blackBox(long fileBytes) {
        long offset = CountersDescriptor.boxOffset(size, rows);
        if (offset == fileBytes) {
            return null;
        }
        return BlackBoxReader.of(this::read, offset, fileBytes - offset).orElseThrow(
                () -> invalid("claims to hold a black box that does not fit its " + fileBytes + " bytes"));
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
        return open(path.toString(), new FileSource(path, OwnFile.open(path, StandardOpenOption.READ)));
    }

    /**
     * Reads what another host has sent of a counters file.
     *
     * @param name  for messages
     * @param image as {@link #image()} gave it; not copied
     * @return holds nothing that has to be closed
     * @throws ProxyException as {@link #open(Path)}
     */
    public static CountersReader of(String name, byte[] image) {
        return open(name, new ImageSource(MemorySegment.ofArray(image)));
    }

    private static CountersReader open(String name, Source source) {
        CountersReader reader = null;
        try {
            reader = new CountersReader(name, source);
            return reader;
        } finally {
            if (reader == null) {
                source.close();
            }
        }
    }

    /**
     * All that the file holds, to be sent to another host.
     *
     * @return for {@link #of}; the caller's own
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} also if it is longer than 4 MiB
     */
    public byte[] image() {
        if (source.size() > MAX_IMAGE_BYTES) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name + " has " + source.size()
                    + " bytes: that is too much to be sent");
        }
        return source.read(0, (int) source.size()).toArray(ValueLayout.JAVA_BYTE);
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

    /**
     * When the monotonic clock by which events have their times was 0, as the runtime found when it started. Runtimes
     * of one host have one such clock, so that a difference is an error of this, of a millisecond or so.
     *
     * @return empty if there is no black box
     */
    public Optional<Instant> clockOrigin() {
        return blackBox == null ? Optional.empty() : Optional.of(blackBox.clockOrigin());
    }

    /** Closes the file. Idempotent. */
    @Override
    public void close() {
        source.close();
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

    private MemorySegment read(long offset, int bytes) {
        return source.read(offset, bytes);
    }

    private record FileSource(Path path, FileChannel channel) implements Source {
        @Override
        public long size() {
            try {
                return channel.size();
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }

        /** The channel would close if its reader were interrupted meanwhile. */
        @Override
        public MemorySegment read(long offset, int bytes) {
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

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw unreadable(path, e);
            }
        }
    }

    private record ImageSource(MemorySegment image) implements Source {
        @Override
        public long size() {
            return image.byteSize();
        }

        @Override
        public MemorySegment read(long offset, int bytes) {
            return image.asSlice(offset, bytes);
        }

        @Override
        public void close() {
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

    private static ProxyException unreadable(Path path, IOException e) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, path + " cannot be read: " + e, e);
    }

    private ProxyException invalid(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " " + what);
    }
}
