/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.mapped;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.spi.DescriptorLimit;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A file mapped into memory, that is readable and writable by its owner only. */
public final class MappedFile implements AutoCloseable {
    private final Path path;
    private final boolean isOwner;
    private final Arena arena;
    private final MemorySegment segment;
    private boolean isClosed;

    private MappedFile(Path path, boolean isOwner, Arena arena, MemorySegment segment) {
        this.path = path;
        this.isOwner = isOwner;
        this.arena = arena;
        this.segment = segment;
    }

    /**
     * Creates and maps a zeroed file.
     *
     * @param path  must not exist
     * @param bytes its size
     * @return owned by the caller; {@link #close()} deletes it
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the folder does not allow it
     */
    public static MappedFile create(Path path, long bytes) {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            reserve(channel, bytes);
            return new MappedFile(path, true, arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena));
        } catch (IOException e) {
            arena.close();
            if (!(e instanceof FileAlreadyExistsException)) {
                delete(path);
            }
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot create and map " + path + " of " + bytes
                    + " bytes: " + e + DescriptorLimit.advice(e,
                    "; check the space and the rights there, or set proxyrt.directory"), e);
        }
    }

    /**
     * Maps an existing file for reading.
     *
     * @param path     of the file
     * @param minBytes a smaller file is refused
     * @return owned by the caller; {@link #close()} only unmaps
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be read or is too small
     */
    public static MappedFile openReadOnly(Path path, long minBytes) {
        return open(path, minBytes, MapMode.READ_ONLY, Set.of(StandardOpenOption.READ));
    }

    /**
     * Maps an existing file for reading and writing.
     *
     * @param path     of the file
     * @param minBytes a smaller file is refused
     * @return owned by the caller; {@link #close()} only unmaps
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be opened so or is too small
     */
    public static MappedFile open(Path path, long minBytes) {
        return open(path, minBytes, MapMode.READ_WRITE, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    private static MappedFile open(Path path, long minBytes, MapMode mode, Set<StandardOpenOption> options) {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, options)) {
            if (channel.size() < minBytes) {
                throw new IOException("it has " + channel.size() + " bytes, not " + minBytes);
            }
            return new MappedFile(path, false, arena, channel.map(mode, 0, channel.size(), arena));
        } catch (IOException e) {
            arena.close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot map " + path + ": " + e
                    + DescriptorLimit.advice(e, ""), e);
        }
    }

    /**
     * The whole file.
     *
     * @return valid until {@link #close()}
     */
    public MemorySegment segment() {
        return segment;
    }

    /** Unmaps, and deletes the file if this object made it. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        arena.close();
        if (isOwner) {
            delete(path);
        }
    }

    /** Writes every page, because a full file system must be an error here and not a SIGBUS in the middle of a run. */
    private static void reserve(FileChannel channel, long bytes) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(bytes, 1 << 16));
        for (long position = 0; position < bytes; ) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - position));
            position += channel.write(zeros, position);
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot delete " + path + ": " + e, e);
        }
    }
}
