/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * A folder that this process's user has to itself: a real one, no link, of this user, with mode 0700. It is looked at
 * when it is open, and what is in it is reached by its descriptor and through no link. So no other user can have put
 * anything there, and whatever its path leads to later, nothing but this folder is touched. One thread at a time.
 */
public final class PrivateDirectory implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rwx------");
    private static final FileAttribute<?> OWNER_ONLY = PosixFilePermissions.asFileAttribute(OWNER);
    private static final FileAttribute<?> FILE_OWNER_ONLY = PosixFilePermissions.asFileAttribute(
            PosixFilePermissions.fromString("rw-------"));
    private static final int MAX_ATTEMPTS = 100;

    private final Path path;
    private final SecureDirectoryStream<Path> stream;

    private PrivateDirectory(Path path, SecureDirectoryStream<Path> stream) {
        this.path = path;
        this.stream = stream;
    }

    /**
     * Opens a folder.
     *
     * @param path of it
     * @return owned by the caller; empty if there is nothing of that name
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is not this user's alone, with the reason;
     *                        {@link ProxyResult#SYSTEM_ERROR} if it cannot be opened
     */
    public static Optional<PrivateDirectory> find(Path path) {
        try {
            PosixFileAttributes seen = Files.readAttributes(path, PosixFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS);
            // Before it is opened, for a pipe would be waited for.
            require(path, whyNot(seen));
            PrivateDirectory folder = new PrivateDirectory(path, open(path));
            folder.requireSame(seen);
            return Optional.of(folder);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (UnsupportedOperationException e) {
            throw OwnFile.ownerless(path, e);
        } catch (IOException e) {
            throw failure("open", path, e);
        }
    }

    /**
     * Opens a folder, and makes it and those above it if there is none.
     *
     * @param path of it
     * @return owned by the caller
     * @throws ProxyException as {@link #find}
     */
    public static PrivateDirectory make(Path path) {
        for (int attempt = 1; ; attempt++) {
            Optional<PrivateDirectory> found = find(path);
            if (found.isPresent()) {
                return found.get();
            }
            try {
                Path parent = path.toAbsolutePath().getParent();
                Files.createDirectories(parent, OWNER_ONLY);
                create(path);
            } catch (FileAlreadyExistsException | NoSuchFileException e) {
                if (attempt == MAX_ATTEMPTS) {
                    throw failure("make", path, e);
                }
            } catch (IOException e) {
                throw failure("make", path, e);
            }
        }
    }

    /**
     * Whether there is such a folder.
     *
     * @param path of it
     * @return false if there is none, or it is not this user's alone, or cannot be opened
     */
    public static boolean isPrivate(Path path) {
        try (PrivateDirectory folder = find(path).orElse(null)) {
            return folder != null;
        } catch (ProxyException e) {
            return false;
        }
    }

    /**
     * Makes a folder that must not exist.
     *
     * @param path of it
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be made
     */
    public static void makeNew(Path path) {
        try {
            create(path);
        } catch (UnsupportedOperationException e) {
            throw OwnFile.ownerless(path, e);
        } catch (IOException e) {
            throw failure("make", path, e);
        }
    }

    /**
     * Removes a folder, if it is this user's alone. Nothing happens if there is none.
     *
     * @param path  of it
     * @param files names of the plain files and sockets that go with it
     * @return false if something else is in it, or it is not this user's alone; then it stays
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public static boolean remove(Path path, Set<String> files) {
        try (PrivateDirectory folder = find(path).orElse(null)) {
            if (folder == null) {
                return true;
            }
            folder.deleteFiles(files);
            return folder.removeIfEmpty();
        } catch (ProxyException e) {
            if (e.result() == ProxyResult.INVALID_ARGUMENT) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Where it was found.
     *
     * @return as given
     */
    public Path path() {
        return path;
    }

    /**
     * What is in it.
     *
     * @return in no order
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be listed
     */
    public List<String> names() {
        try (DirectoryStream<Path> entries = stream.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS)) {
            List<String> names = new ArrayList<>();
            entries.forEach(entry -> names.add(entry.getFileName().toString()));
            return names;
        } catch (DirectoryIteratorException e) {
            throw failure("list", path, e.getCause());
        } catch (IOException e) {
            throw failure("list", path, e);
        }
    }

    /**
     * Whether anything has that name here.
     *
     * @param name in this folder
     * @return true for a link, too, wherever it leads
     */
    public boolean has(String name) {
        return attributes(name).isPresent();
    }

    /**
     * Whether a real folder of this user has that name here.
     *
     * @param name in this folder
     * @return false too for a link to one
     */
    public boolean hasFolder(String name) {
        return attributes(name).filter(entry -> entry.isDirectory() && CurrentUser.owns(entry)).isPresent();
    }

    /**
     * Makes a folder in this one.
     *
     * @param name must not exist
     * @return its path; empty if this folder has been removed meanwhile
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be made
     */
    public Optional<Path> makeFolder(String name) {
        Path made = path.resolve(name);
        try {
            create(made);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("make", made, e);
        }
        // By the descriptor: the path may lead elsewhere since this folder was opened.
        return attributes(name).filter(entry -> whyNot(entry).isEmpty()).map(entry -> made);
    }

    /**
     * Removes a folder in this one. Nothing happens if there is none.
     *
     * @param name  in this folder
     * @param files names of the plain files and sockets that go with it
     * @return false if it is no real folder of this user, or something else is in it; then it stays
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public boolean removeFolder(String name, Set<String> files) {
        if (!hasFolder(name)) {
            return !has(name);
        }
        try {
            // Takes no descriptor, for there may be none. Only this user could put a link in the folder's place.
            deleteFiles(files.stream().map(file -> name + '/' + file).collect(Collectors.toSet()));
            stream.deleteDirectory(Path.of(name));
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            throw failure("remove", path.resolve(name), e);
        }
    }

    /**
     * Removes it if nothing is in it, and if its path still leads to it.
     *
     * @return false if something is in it
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public boolean removeIfEmpty() {
        try {
            PosixFileAttributes there = Files.readAttributes(path, PosixFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS);
            if (there.fileKey().equals(view().readAttributes().fileKey())) {
                Files.delete(path);
            }
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        } catch (IOException e) {
            throw failure("remove", path, e);
        }
    }

    /**
     * Reads a small file.
     *
     * @param name     in this folder
     * @param maxBytes a longer one is not read
     * @return its bytes; empty if there is no plain file of this user with that name and no more bytes
     */
    public Optional<byte[]> read(String name, int maxBytes) {
        if (attributes(name).filter(file -> OwnFile.whyNot(file).isEmpty() && file.size() <= maxBytes).isEmpty()) {
            return Optional.empty();
        }
        try (FileChannel channel = open(name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            return Optional.of(OwnFile.read(channel, maxBytes));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Writes a small file, with mode 0600, whole at once and in place of any other.
     *
     * @param name    in this folder
     * @param content of the file
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    public void write(String name, byte[] content) {
        Path temporary = Path.of(name + '.' + UUID.randomUUID());
        boolean isDone = false;
        try {
            try (FileChannel channel = open(temporary.toString(), Set.of(StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS), FILE_OWNER_ONLY)) {
                ByteBuffer bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
            stream.move(temporary, stream, Path.of(name));
            isDone = true;
        } catch (IOException e) {
            throw failure("write " + name + " in", path, e);
        } finally {
            if (!isDone) {
                deleteFiles(Set.of(temporary.toString()));
            }
        }
    }

    /**
     * Deletes plain files and sockets; passes over whatever else has one of these names.
     *
     * @param names in this folder
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    public void deleteFiles(Set<String> names) {
        for (String name : names) {
            if (attributes(name).filter(file -> file.isRegularFile() || file.isOther()).isPresent()) {
                try {
                    stream.deleteFile(Path.of(name));
                } catch (NoSuchFileException e) {
                    continue;
                } catch (IOException e) {
                    throw failure("delete", path.resolve(name), e);
                }
            }
        }
    }

    @Override
    public void close() {
        try {
            stream.close();
        } catch (IOException e) {
            throw failure("close", path, e);
        }
    }

    private void requireSame(PosixFileAttributes seen) throws IOException {
        try {
            PosixFileAttributes opened = view().readAttributes();
            require(path, whyNot(opened));
            require(path, opened.fileKey().equals(seen.fileKey()) ? "" : "it was replaced in this moment");
        } catch (IOException | ProxyException e) {
            stream.close();
            throw e;
        }
    }

    private FileChannel open(String name, Set<OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        SeekableByteChannel channel = stream.newByteChannel(Path.of(name), options, attributes);
        return (FileChannel) channel;
    }

    private PosixFileAttributeView view() {
        return stream.getFileAttributeView(PosixFileAttributeView.class);
    }

    /** Of an entry, be it a link; empty if there is none. */
    private Optional<PosixFileAttributes> attributes(String name) {
        try {
            return Optional.of(stream.getFileAttributeView(Path.of(name), PosixFileAttributeView.class,
                    LinkOption.NOFOLLOW_LINKS).readAttributes());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw failure("look at", path.resolve(name), e);
        }
    }

    /** With its mode from the first moment on, which a umask can only narrow. */
    private static void create(Path path) throws IOException {
        Files.createDirectory(path, OWNER_ONLY);
        PosixFileAttributes made = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (made.isDirectory() && CurrentUser.owns(made) && !made.permissions().equals(OWNER)) {
            Files.setPosixFilePermissions(path, OWNER);
        }
    }

    /** For its owner to close. */
    @SuppressWarnings("StreamResourceLeak")
    private static SecureDirectoryStream<Path> open(Path path) throws IOException {
        return secure(Files.newDirectoryStream(path));
    }

    private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) throws IOException {
        if (stream instanceof SecureDirectoryStream<Path> secure) {
            return secure;
        }
        stream.close();
        throw new IOException("the JDK for " + System.getProperty("os.name") + " cannot work in an open folder, by "
                + "which proxyrt keeps its files from other users");
    }

    private static String whyNot(PosixFileAttributes folder) {
        if (!folder.isDirectory()) {
            return folder.isSymbolicLink() ? "it is a symbolic link" : "it is no folder";
        }
        if (!CurrentUser.owns(folder)) {
            return "it belongs to user " + folder.owner().getName() + ", not to this process's " + CurrentUser.id();
        }
        return folder.permissions().equals(OWNER) ? ""
                : "its mode is " + PosixFilePermissions.toString(folder.permissions()) + ", not rwx------";
    }

    private static void require(Path path, String whyNot) {
        if (!whyNot.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, path + " cannot be trusted: " + whyNot);
        }
    }

    private static ProxyException failure(String what, Path path, IOException e) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot " + what + " " + path + ": " + e
                + DescriptorLimit.advice(e, ""), e);
    }
}
