/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;

/**
 * Files that this process's user has to himself, at paths where others may have put anything. What is no plain file of
 * this user is refused before it is opened, for opening alone may wait, as it does for a pipe; then the path must still
 * lead to the same file. In a folder in which only its owner can replace a file, such as {@code /dev/shm}, no other
 * user gets between.
 */
public final class OwnFile {
    private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS = Set.of(
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);
    private static final Set<PosixFilePermission> OPEN_TO_OTHERS = Set.of(
            PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private OwnFile() {
    }

    /** What a file is to hold. */
    @FunctionalInterface
    public interface Text {
        /**
         * Writes it.
         *
         * @param writer which stays open
         * @throws IOException if it cannot be written
         */
        void writeTo(Writer writer) throws IOException;
    }

    /**
     * Opens a plain file that belongs to this user and to which no other user may write. Follows no link.
     *
     * @param path    of the file
     * @param options how to open it
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it is another kind of file, or cannot be opened
     */
    public static FileChannel open(Path path, OpenOption... options) {
        try {
            return open(path, WRITABLE_BY_OTHERS, options);
        } catch (UnsupportedOperationException e) {
            throw ownerless(path, e);
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    /**
     * Reads a small file that only this user may read or write. The path may be a link if this user or root made it, as
     * folders have that an orchestrator fills.
     *
     * @param path     of the file
     * @param maxBytes it must not have more
     * @return all of it
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it is another kind of file, longer, or cannot be read
     */
    public static byte[] read(Path path, int maxBytes) {
        try (FileChannel channel = open(target(path), OPEN_TO_OTHERS, StandardOpenOption.READ)) {
            return read(channel, maxBytes);
        } catch (UnsupportedOperationException e) {
            throw ownerless(path, e);
        } catch (IOException e) {
            throw failure(path, e);
        }
    }

    /**
     * Writes a file whole at once, in place of any other: a reader sees this one or the one before. It is a new file,
     * so that nothing is written through a link that another user put where the name can be foretold, as in
     * {@code /tmp}. A link that this user or root made is followed.
     *
     * @param path of the file, in a folder that is there
     * @param text all of it, in UTF-8
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if what has that name is no regular file, such as
     *                        {@code /dev/null} or a pipe, or if it cannot be written
     */
    public static void write(Path path, String text) {
        write(path, writer -> writer.write(text));
    }

    /**
     * As {@link #write(Path, String)}, of a text that need not be in memory at once.
     *
     * @param path of the file, in a folder that is there
     * @param text writes all of it
     * @throws ProxyException as there
     */
    public static void write(Path path, Text text) {
        try {
            Path target = Files.isSymbolicLink(path) ? target(path) : path;
            if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)
                    && !Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException("it is no regular file");
            }
            replace(target, text);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write " + path + ": " + why(e), e);
        }
    }

    private static void replace(Path file, Text text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID() + ".part");
        try {
            try (Writer writer = Files.newBufferedWriter(temporary, StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE)) {
                text.writeTo(writer);
            }
            // REPLACE_EXISTING would unlink the old one first, and a reader at that moment find none.
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** As on Windows: what keeps other users out is not there, and nothing else would. */
    static ProxyException ownerless(Path path, UnsupportedOperationException e) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot use " + path + ": its file system does not tell "
                + "owners and modes as POSIX has them, by which proxyrt keeps its files from other users; on "
                + System.getProperty("os.name") + ", proxyrt needs a file system that does. On Windows it runs in a "
                + "Linux of WSL", e);
    }

    /** All of a channel, from its position on. */
    static byte[] read(FileChannel channel, int maxBytes) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(maxBytes + 1);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
            continue;
        }
        if (!bytes.hasRemaining()) {
            throw new IOException("it has more than " + maxBytes + " bytes");
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static FileChannel open(Path path, Set<PosixFilePermission> forbidden, OpenOption... options)
            throws IOException {
        Object key = look(path, forbidden).fileKey();
        Set<OpenOption> all = new HashSet<>(Arrays.asList(options));
        all.add(LinkOption.NOFOLLOW_LINKS);
        FileChannel channel = FileChannel.open(path, all);
        try {
            if (look(path, forbidden).fileKey().equals(key)) {
                return channel;
            }
            throw new IOException("it was replaced in this moment");
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static PosixFileAttributes look(Path path, Set<PosixFilePermission> forbidden) throws IOException {
        PosixFileAttributes file = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        String why = whyNot(file);
        if (why.isEmpty() && file.permissions().stream().anyMatch(forbidden::contains)) {
            why = "others may " + (forbidden == OPEN_TO_OTHERS ? "read or " : "")
                    + "write it; allow only its owner, as chmod 600 does";
        }
        if (!why.isEmpty()) {
            throw new IOException(why);
        }
        return file;
    }

    /** Empty for a plain file of this user. */
    static String whyNot(PosixFileAttributes file) {
        if (!file.isRegularFile()) {
            return "it is no regular file" + (file.isSymbolicLink() ? " but a link" : "");
        }
        return CurrentUser.owns(file) ? "" : "it belongs to user " + file.owner().getName() + ", not to this process's "
                + CurrentUser.id();
    }

    private static Path target(Path path) throws IOException {
        PosixFileAttributes link = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!link.isSymbolicLink()) {
            return path;
        }
        if (!CurrentUser.owns(link) && (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS) != 0) {
            throw new IOException("it is a link that user " + link.owner().getName() + " made");
        }
        return path.toRealPath();
    }

    private static ProxyException failure(Path path, IOException e) {
        String why = e instanceof NoSuchFileException ? "there is no regular file of this name" : why(e);
        return new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot use " + path + ": " + why, e);
    }

    private static String why(IOException e) {
        return (e instanceof FileSystemException ? e.toString() : e.getMessage()) + DescriptorLimit.advice(e, "");
    }
}
