/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.collectives.bootstrap.UniqueId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/**
 * Tells the ranks of one host where rank 0 waits for them: a file in the folder that all runtimes of the user share,
 * named after the job, readable by its owner only. It counts only as long as the process that wrote it lives, and only
 * if this user owns it: what an earlier job of the same name, or somebody else, left there is passed over.
 */
final class RendezvousFile implements AutoCloseable {
    private static final String MAGIC = "proxyrt-rendezvous-1";
    private static final int MAX_BYTES = 1024;
    private static final int TRIES = 100;
    private static final long POLL_NS = 20_000_000;

    private final Path folder;
    private final Path path;
    private String written;

    private RendezvousFile(Path folder, Path path) {
        this.folder = folder;
        this.path = path;
    }

    static RendezvousFile of(Path folder, String job) {
        UUID name = UUID.nameUUIDFromBytes(job.getBytes(StandardCharsets.UTF_8));
        return new RendezvousFile(folder, folder.resolve("rendezvous-" + HexFormat.of().toHexDigits(
                name.getMostSignificantBits())));
    }

    Path path() {
        return path;
    }

    /** Puts the file there, whole at once, in place of any other. */
    void write(UniqueId id) {
        ProcessStart self = ProcessStart.self();
        String content = String.join("\n", MAGIC, id.toString(), self.pid() + " " + self.start(), "");
        Path temporary = folder.resolve(path.getFileName() + "-" + self.pid());
        try {
            createAndWrite(temporary, content);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            written = content;
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot write the rendezvous file " + path + ": " + e
                    + "; pass --rendezvous host:port instead", e);
        }
    }

    /** Waits until the file is there and its writer alive. */
    UniqueId await(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Optional<UniqueId> id = read();
            if (id.isPresent()) {
                return id.get();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new ProxyException(ProxyResult.TIMEOUT, "rank 0 did not say where to meet within "
                        + timeout.toSeconds() + " s: there is no file " + path + " of a living process; are all ranks "
                        + "on this host, with the same proxyrt.directory?");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while waiting for rank 0");
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** What the file says, if it may be believed. */
    Optional<UniqueId> read() {
        try {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || Files.size(path) > MAX_BYTES
                    || !Files.getAttribute(path, "unix:uid").equals(ProcessStart.uid())) {
                return Optional.empty();
            }
            String[] lines = Files.readString(path).split("\n");
            boolean isBelieved = lines.length == 3 && lines[0].equals(MAGIC)
                    && ProcessStart.parse(lines[2]).filter(ProcessStart::isAlive).isPresent();
            return isBelieved ? Optional.of(UniqueId.parse(lines[1])) : Optional.empty();
        } catch (IOException | ProxyException e) {
            return Optional.empty();
        }
    }

    /** Removes the file, if this object wrote it and nobody replaced it. Idempotent. */
    @Override
    public void close() {
        try {
            if (written != null && Files.readString(path).equals(written)) {
                Files.delete(path);
            }
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot remove " + path + ": " + e, e);
        } finally {
            written = null;
        }
    }

    /** The last runtime of another job may take the folder away in between: then once more. */
    private void createAndWrite(Path temporary, String content) throws IOException {
        for (int i = 1; ; i++) {
            try {
                Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
                Files.deleteIfExists(temporary);
                try (FileChannel channel = FileChannel.open(temporary,
                        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                    channel.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
                }
                return;
            } catch (NoSuchFileException e) {
                if (i == TRIES) {
                    throw e;
                }
            }
        }
    }
}
