/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.mapped.ProcessIdentity;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a runtime keeps its mapped files: a folder of its own below one that all runtimes of a user share, named after
 * its process, so that anybody can tell whether the process still lives. Folders of dead processes are removed by
 * whoever comes next.
 */
public final class RuntimeDirectory implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(RuntimeDirectory.class);
    /** rank, pid, {@linkplain ProcessIdentity#start() start} of the process, PID namespace, sequence number. */
    private static final Pattern NAME = Pattern.compile(
            "r(\\d{1,9})-p(\\d{1,18})-s(\\d{1,18})-n(\\d{1,18})-(\\d+)");
    private static final int MAX_ATTEMPTS = 100;
    private static final AtomicInteger SEQUENCE = new AtomicInteger();

    private final Path path;

    private RuntimeDirectory(Path path) {
        this.path = path;
    }

    /**
     * A runtime's folder, as somebody else sees it.
     *
     * @param path    the folder
     * @param rank    of the runtime
     * @param pid     of its process
     * @param isAlive whether that process still runs, as far as this one can tell
     */
    public record Entry(Path path, int rank, long pid, boolean isAlive) {
        /**
         * The counters file in it.
         *
         * @return may not exist yet, or any more
         */
        public Path counters() {
            return path.resolve("counters");
        }
    }

    /**
     * Makes the folder of a runtime, and removes those that dead processes left behind.
     *
     * @param config says below which folder
     * @param rank   of the runtime
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the folder cannot be made
     */
    public static RuntimeDirectory create(ProxyConfig config, int rank) {
        Path base = base(config);
        try {
            for (int attempt = 1;; attempt++) {
                Files.createDirectories(base, PosixFilePermissions.asFileAttribute(
                        PosixFilePermissions.fromString("rwx------")));
                reap(base);
                try {
                    return new RuntimeDirectory(Files.createDirectory(base.resolve(name(rank))));
                } catch (NoSuchFileException e) {
                    // Whoever closed the last other runtime has just removed the shared folder.
                    if (attempt == MAX_ATTEMPTS) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot make a folder below " + base + ": " + e
                    + "; set " + CoreOptions.DIRECTORY + " to one that can be written", e);
        }
    }

    /**
     * The folder that the runtimes of this user share.
     *
     * @param config may name it
     * @return need not exist
     */
    public static Path base(ProxyConfig config) {
        String configured = config.get(CoreOptions.DIRECTORY);
        if (!configured.isEmpty()) {
            return Path.of(configured);
        }
        Path shm = Path.of("/dev/shm");
        Path parent = Files.isWritable(shm) ? shm : Path.of(System.getProperty("java.io.tmpdir"));
        return parent.resolve("proxyrt-" + System.getProperty("user.name"));
    }

    /**
     * All runtimes below a folder.
     *
     * @param base as {@link #base} gives it
     * @return by rank; empty if there are none
     */
    public static List<Entry> list(Path base) {
        if (!Files.isDirectory(base)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.list(base)) {
            return paths.flatMap(path -> entry(path).stream())
                    .sorted((a, b) -> a.rank() != b.rank() ? a.rank() - b.rank() : Long.compare(a.pid(), b.pid()))
                    .toList();
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot list " + base + ": " + e, e);
        }
    }

    /**
     * Removes the folders of processes that are gone, and the shared folder if it is empty then.
     *
     * @param base as {@link #base} gives it
     */
    public static void reap(Path base) {
        for (Entry entry : list(base)) {
            if (!entry.isAlive()) {
                LOGGER.info("removing {}, left behind by process {}", entry.path(), entry.pid());
                delete(entry.path());
            }
        }
    }

    /**
     * The folder.
     *
     * @return exists until {@link #close()}
     */
    public Path path() {
        return path;
    }

    /** Removes the folder with what is in it, and the shared one if it is the last. Idempotent. */
    @Override
    public void close() {
        delete(path);
    }

    private static String name(int rank) {
        ProcessIdentity self = ProcessIdentity.current();
        return "r" + rank + "-p" + self.pid() + "-s" + self.start() + "-n" + self.namespace() + "-"
                + SEQUENCE.getAndIncrement();
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
            Files.deleteIfExists(folder.getParent());
        } catch (DirectoryNotEmptyException | NoSuchFileException e) {
            LOGGER.trace("somebody else uses or removed {}", folder, e);
        } catch (IOException e) {
            LOGGER.warn("cannot remove {}: {}", folder, e.toString());
        }
    }

    private static Optional<Entry> entry(Path path) {
        Matcher name = NAME.matcher(path.getFileName().toString());
        if (!name.matches()) {
            return Optional.empty();
        }
        ProcessIdentity owner = new ProcessIdentity(Long.parseLong(name.group(2)), Long.parseLong(name.group(3)),
                Long.parseLong(name.group(4)));
        return Optional.of(new Entry(path, Integer.parseInt(name.group(1)), owner.pid(), owner.isAlive()));
    }
}
