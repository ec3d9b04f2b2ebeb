/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A file mapped into memory, that is readable and writable by its owner only. Neither creating nor opening one follows
 * a link, and its name is removed only while it still leads to this very file.
 */
public final class MappedFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    private final Path path;
    private final Object key;
    private final Arena arena;
    private final MemorySegment segment;
    private final boolean isMaker;
    private boolean isClosed;

    private MappedFile(Path path, Object key, Arena arena, MemorySegment segment, boolean isMaker) {
        this.path = path;
        this.key = key;
        this.arena = arena;
        this.segment = segment;
        this.isMaker = isMaker;
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
        return Leftovers.make(() -> createNew(path, bytes));
    }

    private static MappedFile createNew(Path path, long bytes) {
        try (FileChannel channel = FileChannel.open(path,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(OWNER))) {
            return create(path, channel, bytes);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot create and map " + path + " of " + bytes
                    + " bytes: " + e + DescriptorLimit.advice(e,
                    "; check the space and the rights there, or set proxyrt.directory"), e);
        }
    }

    /** The file is there and new: from here on it is removed if anything fails. */
    private static MappedFile create(Path path, FileChannel channel, long bytes) throws IOException {
        Object key = key(path);
        Arena arena = Arena.ofShared();
        boolean isDone = false;
        try {
            if (!Files.getPosixFilePermissions(path).equals(OWNER)) {
                Files.setPosixFilePermissions(path, OWNER);
            }
            reserve(channel, bytes);
            MappedFile file = new MappedFile(path, key, arena, channel.map(MapMode.READ_WRITE, 0, bytes, arena), true);
            Leftovers.add(path, () -> delete(path, key));
            isDone = true;
            return file;
        } finally {
            if (!isDone) {
                arena.close();
                delete(path, key);
            }
        }
    }

    /**
     * Maps an existing file for reading and writing: a plain one of this user, to which no other user may write.
     *
     * @param path     of the file
     * @param minBytes a smaller file is refused
     * @return owned by the caller; {@link #close()} only unmaps
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be opened so, is another kind of file or is
     *                        too small
     */
    public static MappedFile open(Path path, long minBytes) {
        Arena arena = Arena.ofShared();
        boolean isDone = false;
        try (FileChannel channel = OwnFile.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (channel.size() < minBytes) {
                throw new IOException("it has " + channel.size() + " bytes, not " + minBytes);
            }
            MappedFile file = new MappedFile(path, key(path), arena,
                    channel.map(MapMode.READ_WRITE, 0, channel.size(), arena), false);
            isDone = true;
            return file;
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot map " + path + ": " + e
                    + DescriptorLimit.advice(e, ""), e);
        } finally {
            if (!isDone) {
                arena.close();
            }
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

    /** Removes the file's name, also of a file that another process made; what is mapped stays mapped. Idempotent. */
    public void removeName() {
        if (isMaker) {
            Leftovers.remove(path);
        } else {
            delete(path, key);
        }
    }

    /** Unmaps, and deletes the file if this object made it. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            Arenas.close(arena);
        } finally {
            if (isMaker) {
                removeName();
            }
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

    /** Which file it is, whatever its name. */
    private static Object key(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
    }

    private static void delete(Path path, Object key) {
        try {
            if (key(path).equals(key)) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot delete " + path + ": " + e, e);
        }
    }
}
