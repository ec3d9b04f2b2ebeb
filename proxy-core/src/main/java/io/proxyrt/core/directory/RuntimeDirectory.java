/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.directory;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PrivateDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * Where a runtime keeps its mapped files: a folder of its own below one that all runtimes of a user share, named after
 * its process, so that other processes can tell whether it still lives. The next runtime to start removes folders of
 * dead processes. No name is trusted: the shared folder is {@linkplain PrivateDirectory this user's alone} or not
 * used, and of what is below it only real folders of this user count, from which only files that runtimes make go.
 */
public final class RuntimeDirectory implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    /** rank, pid, {@linkplain ProcessIdentity#start() start} of the process, PID namespace, sequence number. */
    private static final Pattern NAME = Pattern.compile(
            "r(\\d{1,9})-p(\\d{1,18})-s(\\d{1,18})-n(\\d{1,18})-(\\d+)");
    /** Within the names of this process's folders, and of no others. */
    private static final String OWN = own(ProcessIdentity.current());
    private static final String COUNTERS = "counters";
    private static final String OPS = "ops";
    private static final String ASKED = "asked";
    private static final String TOLD = "told";
    private static final Set<String> FILES = Set.of(COUNTERS, OPS, ASKED, TOLD);
    private static final int MAX_ATTEMPTS = 100;
    private static final AtomicInteger SEQUENCE = new AtomicInteger();
    /** Folders that stay, which was said already. */
    private static final Set<Path> SAID = ConcurrentHashMap.newKeySet();

    private final Path path;

    private RuntimeDirectory(Path path) {
        this.path = path;
    }

    /**
     * A runtime's folder, as another process sees it.
     *
     * @param path      the folder
     * @param rank      of the runtime
     * @param pid       of its process
     * @param isAlive   whether that process still runs, as far as this one can tell
     * @param isVisible whether its number means that process here: not if it is in another container
     */
    public record Entry(Path path, int rank, long pid, boolean isAlive, boolean isVisible) {
        /**
         * The counters file in it.
         *
         * @return may not exist yet, or any more
         */
        public Path counters() {
            return path.resolve(COUNTERS);
        }

        /**
         * The file of the ops pool in it.
         *
         * @return may not exist yet, or any more
         */
        public Path ops() {
            return path.resolve(OPS);
        }

        /**
         * Where a command puts what it wants to know of other hosts.
         *
         * @return exists until the runtime has seen it
         */
        public Path asked() {
            return path.resolve(ASKED);
        }

        /**
         * Where the runtime puts the answer.
         *
         * @return may not exist
         */
        public Path told() {
            return path.resolve(TOLD);
        }
    }

    /**
     * Makes the folder of a runtime, and removes those that dead processes left behind.
     *
     * @param config says below which folder
     * @param rank   of the runtime
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the folder cannot be made,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if the configured one is not this user's alone
     */
    public static RuntimeDirectory create(ProxyConfig config, int rank) {
        RuntimeDirectory made = make(SharedFolders.of(config), name(rank));
        try {
            reap(config);
            return made;
        } catch (Throwable t) {
            made.close();
            throw t;
        }
    }

    private static RuntimeDirectory make(SharedFolders folders, String name) {
        for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
            Optional<RuntimeDirectory> made = Leftovers.make(() -> makeOnce(folders, name));
            if (made.isPresent()) {
                return made.get();
            }
        }
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot make a folder below " + folders
                + ": it was removed " + MAX_ATTEMPTS + " times meanwhile");
    }

    /** Empty if the last other runtime has closed just now, and removed the shared folder. */
    private static Optional<RuntimeDirectory> makeOnce(SharedFolders folders, String name) {
        try (PrivateDirectory base = folders.make()) {
            Optional<RuntimeDirectory> made = base.makeFolder(name).map(RuntimeDirectory::new);
            made.ifPresent(directory -> Leftovers.add(directory.path, directory::remove));
            return made;
        }
    }

    /**
     * Opens the folder that the runtimes of this user share; makes it if there is none. To be called in {@link
     * Leftovers#make}, by code that puts something there or removes it again.
     *
     * @param config may name it
     * @return owned by the caller
     * @throws ProxyException as {@link #create}
     */
    public static PrivateDirectory openBase(ProxyConfig config) {
        return SharedFolders.of(config).make();
    }

    /**
     * The folders in which runtimes of this user are, or may be: usually one. Another user who took its name makes it
     * two.
     *
     * @param config may name it
     * @return those that exist and are this user's alone
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the configured one is not this user's alone
     */
    public static List<Path> bases(ProxyConfig config) {
        List<PrivateDirectory> folders = SharedFolders.of(config).existing();
        folders.forEach(PrivateDirectory::close);
        return folders.stream().map(PrivateDirectory::path).toList();
    }

    /**
     * Where runtimes are unless another user has taken the name.
     *
     * @param config may name it
     * @return need not exist, nor be this user's: for people
     */
    public static String place(ProxyConfig config) {
        return SharedFolders.of(config).toString();
    }

    /**
     * All runtimes of this user.
     *
     * @param config may say below which folder
     * @return by rank; empty if there are none
     * @throws ProxyException as {@link #bases}
     */
    public static List<Entry> list(ProxyConfig config) {
        return sorted(bases(config).stream().flatMap(base -> list(base).stream()).toList());
    }

    /**
     * All runtimes below a folder.
     *
     * @param base as {@link #bases} gives it
     * @return by rank; empty if there are none
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the folder is not this user's alone
     */
    public static List<Entry> list(Path base) {
        try (PrivateDirectory folder = PrivateDirectory.find(base).orElse(null)) {
            return folder == null ? List.of() : entries(folder);
        }
    }

    /**
     * One runtime.
     *
     * @param path of its folder
     * @return empty if it is gone, or no runtime's of this user
     * @throws ProxyException as {@link #list(Path)}
     */
    public static Optional<Entry> find(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            return Optional.empty();
        }
        try (PrivateDirectory folder = PrivateDirectory.find(parent).orElse(null)) {
            return folder == null ? Optional.empty() : entry(folder, path.getFileName().toString());
        }
    }

    /**
     * Removes the folders of processes that are gone, and the shared folder if it is empty then.
     *
     * @param config may say below which folder
     * @throws ProxyException as {@link #bases}
     */
    public static void reap(ProxyConfig config) {
        for (Path base : bases(config)) {
            try (PrivateDirectory folder = PrivateDirectory.find(base).orElse(null)) {
                if (folder != null) {
                    reap(folder);
                }
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

    /**
     * The file of the runtime's counters.
     *
     * @return does not exist yet
     */
    public Path counters() {
        return path.resolve(COUNTERS);
    }

    /**
     * The file of the runtime's ops pool.
     *
     * @return does not exist yet
     */
    public Path ops() {
        return path.resolve(OPS);
    }

    /**
     * Where commands ask.
     *
     * @return does not exist yet
     */
    public Path asked() {
        return path.resolve(ASKED);
    }

    /**
     * Where they get the answer.
     *
     * @return does not exist yet
     */
    public Path told() {
        return path.resolve(TOLD);
    }

    /** Removes the folder with the runtime's files, and the shared one if it is the last. Idempotent. */
    @Override
    public void close() {
        Leftovers.remove(path);
    }

    private void remove() {
        try (PrivateDirectory base = PrivateDirectory.find(path.getParent()).orElse(null)) {
            if (base != null) {
                remove(base, path.getFileName().toString());
                base.removeIfEmpty();
            }
        } catch (ProxyException e) {
            LOGGER.warn("{} stays: {}", path, e.getMessage());
        }
    }

    private static String name(int rank) {
        return "r" + rank + OWN + SEQUENCE.getAndIncrement();
    }

    private static String own(ProcessIdentity self) {
        return "-p" + self.pid() + "-s" + self.start() + "-n" + self.namespace() + "-";
    }

    private static List<Entry> entries(PrivateDirectory base) {
        List<Entry> entries = new ArrayList<>();
        for (String name : base.names()) {
            entry(base, name).ifPresent(entries::add);
        }
        return sorted(entries);
    }

    private static List<Entry> sorted(List<Entry> entries) {
        return entries.stream().sorted(Comparator.comparingInt(Entry::rank).thenComparingLong(Entry::pid)).toList();
    }

    private static void reap(PrivateDirectory base) {
        boolean isAny = false;
        for (String name : base.names()) {
            // Of a thousand ranks in this process each would ask the system about all the others.
            Entry entry = name.contains(OWN) ? null : entry(base, name).orElse(null);
            if (entry != null && !entry.isAlive()) {
                isAny = true;
                LOGGER.info("removing {}, left behind by process {}", entry.path(), entry.pid());
                remove(base, name);
            }
        }
        if (isAny) {
            base.removeIfEmpty();
        }
    }

    private static void remove(PrivateDirectory base, String name) {
        try {
            if (!base.removeFolder(name, FILES)) {
                sayOnce(base.path().resolve(name), "it holds something that no runtime makes");
            }
        } catch (ProxyException e) {
            sayOnce(base.path().resolve(name), e.getMessage());
        }
    }

    private static Optional<Entry> entry(PrivateDirectory base, String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            return Optional.empty();
        }
        Path path = base.path().resolve(name);
        if (!base.hasFolder(name)) {
            if (base.has(name)) {
                sayOnce(path, "it is no folder of this user, though it has the name of a runtime's");
            }
            return Optional.empty();
        }
        ProcessIdentity owner = new ProcessIdentity(Long.parseLong(parts.group(2)), Long.parseLong(parts.group(3)),
                Long.parseLong(parts.group(4)));
        return Optional.of(new Entry(path, Integer.parseInt(parts.group(1)), owner.pid(), owner.isAlive(),
                owner.isVisible()));
    }

    private static void sayOnce(Path path, String why) {
        if (SAID.add(path)) {
            LOGGER.warn("{} is left alone: {}", path, why);
        }
    }
}
