/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PrivateDirectory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells the ranks of one host where rank 0 waits for them: a file in the folder that all runtimes of the user share,
 * named after the job, readable by its owner only. It counts only as long as the process that wrote it lives, and only
 * if this user owns it: what an earlier job of the same name, or another user, left there is passed over.
 */
final class RendezvousFile implements AutoCloseable {
    private static final String MAGIC = "proxyrt-rendezvous-2";
    private static final Pattern WRITER = Pattern.compile("(\\d{1,18}) (\\d{1,18}) (\\d{1,18})");
    private static final int MAX_BYTES = 1024;
    private static final long POLL_NS = 20_000_000;

    private final ProxyConfig config;
    private final String name;
    private Path path;
    private byte[] written;

    private RendezvousFile(ProxyConfig config, String name) {
        this.config = config;
        this.name = name;
    }

    static RendezvousFile of(ProxyConfig config, String job) {
        UUID name = UUID.nameUUIDFromBytes(job.getBytes(StandardCharsets.UTF_8));
        return new RendezvousFile(config, "rendezvous-" + HexFormat.of().toHexDigits(name.getMostSignificantBits()));
    }

    String name() {
        return name;
    }

    /** Puts the file there, whole at once, in place of any other. */
    void write(UniqueId id) {
        byte[] content = String.join("\n", MAGIC, id.toString(), text(ProcessIdentity.current()), "")
                .getBytes(StandardCharsets.UTF_8);
        try {
            path = Leftovers.make(() -> write(content));
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "cannot write the rendezvous file " + name + ": " + e.getMessage()
                    + "; or set PROXYRT_COMM_ID to a host:port instead", e);
        }
    }

    private Path write(byte[] content) {
        try (PrivateDirectory folder = RuntimeDirectory.openBase(config)) {
            folder.write(name, content);
            written = content;
            Path base = folder.path();
            Leftovers.add(base.resolve(name), () -> remove(base, content));
            return base;
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
                        + timeout.toSeconds() + " s: there is no file " + name + " of a living process in "
                        + RuntimeDirectory.place(config) + "; are all ranks on this host, with the same "
                        + "proxyrt.directory?");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while waiting for rank 0");
            }
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** What the file says, if it may be believed. */
    Optional<UniqueId> read() {
        for (Path base : RuntimeDirectory.bases(config)) {
            try (PrivateDirectory folder = PrivateDirectory.find(base).orElse(null)) {
                Optional<UniqueId> id = folder == null ? Optional.empty() : read(folder, name);
                if (id.isPresent()) {
                    return id;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<UniqueId> read(PrivateDirectory folder, String name) {
        try {
            String[] lines = new String(folder.read(name, MAX_BYTES).orElse(new byte[0]), StandardCharsets.UTF_8)
                    .split("\n");
            boolean isBelieved = lines.length == 3 && lines[0].equals(MAGIC)
                    && writer(lines[2]).filter(ProcessIdentity::isAlive).isPresent();
            return isBelieved ? Optional.of(UniqueId.parse(lines[1])) : Optional.empty();
        } catch (ProxyException e) {
            return Optional.empty();
        }
    }

    static String text(ProcessIdentity writer) {
        return writer.pid() + " " + writer.start() + " " + writer.namespace();
    }

    private static Optional<ProcessIdentity> writer(String text) {
        Matcher parts = WRITER.matcher(text);
        return parts.matches() ? Optional.of(new ProcessIdentity(Long.parseLong(parts.group(1)),
                Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)))) : Optional.empty();
    }

    /** Removes the file, if this object wrote it and it was not replaced. Idempotent. */
    @Override
    public void close() {
        if (written != null) {
            Leftovers.remove(path.resolve(name));
            written = null;
        }
    }

    private void remove(Path base, byte[] content) {
        try (PrivateDirectory folder = PrivateDirectory.find(base).orElse(null)) {
            if (folder != null && Arrays.equals(folder.read(name, MAX_BYTES).orElse(null), content)) {
                folder.deleteFiles(Set.of(name));
                folder.removeIfEmpty();
            }
        }
    }
}
