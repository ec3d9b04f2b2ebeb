/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.platform.PrivateDirectory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Kernels that were compiled before, by any process of this user: a file for each, whose name is a hash of the source,
 * the architecture, and the versions of compiler and driver. Threads that want the same one at a time compile it once,
 * and so do a thread that wants it and the one that compiles ahead: what waits there is compiled by the thread that
 * wants it, what is under way is waited for. What was compiled ahead stays in memory if it is not in the folder. A
 * folder that cannot be used, and a file that is damaged, cost the time to compile, no more. Thread-safe.
 *
 * <pre>
 *  SHA-256 of the image | image
 * </pre>
 */
final class KernelCache {
    /** The option's word for no folder. */
    static final String NONE = "none";
    /** Then all are deleted: those of old versions are among them, and the others are soon compiled. */
    static final int MAX_FILES = 512;
    /** Compiled ahead, waiting for that, or kept in memory: beyond that many no more are. */
    static final int MAX_AHEAD = CompileThread.CAPACITY;

    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Map<String, KernelCache> BY_FOLDER = new ConcurrentHashMap<>();
    /** For another thread that compiles the same. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int HASH_BYTES = 32;
    private static final int MAX_FILE_BYTES = 16 << 20;
    private static final String SUFFIX = ".kernel";
    /** What is written here, be it left half by a process that ended; the folder may have other files of its owner. */
    private static final Pattern OWN_FILE = Pattern.compile("[0-9a-f]{64}\\.kernel(\\..+)?");

    /** Null if there is none. */
    private final Path folder;
    private final CompileThread thread;
    /** By the files' names, until they are loaded, or the folder has them. */
    private final Map<String, Making> makings = new ConcurrentHashMap<>();
    private final AtomicBoolean isTold = new AtomicBoolean();

    /** With a folder; null if nothing is kept. */
    KernelCache(Path folder) {
        this(folder, CompileThread.ofProcess());
    }

    /** The same, with what compiles ahead. */
    KernelCache(Path folder, CompileThread thread) {
        this.folder = folder;
        this.thread = thread;
    }

    /** What a driver loads. One that was kept may be damaged, or another driver's. */
    private record Image(byte[] bytes, boolean isKept) {
    }

    /** All that an image is made of; the device may be closed before. */
    private record Recipe(GpuCompiler compiler, String name, String source, String architecture, String file) {
        static Recipe of(GpuDevice device, String name, String source) {
            GpuCompiler compiler = device.api().compiler();
            String architecture = device.attributes().architecture();
            return new Recipe(compiler, name, source, architecture,
                    fileName(source, architecture, compiler.version(), device.api().version()));
        }
    }

    /** Of an image, by the first thread that comes to it. */
    private final class Making extends FutureTask<Image> {
        private final String name;
        private final String file;

        Making(Recipe recipe) {
            super(() -> read(recipe.file).orElseGet(() -> compile(recipe)));
            this.name = recipe.name;
            this.file = recipe.file;
        }

        /** Who wants it may know better what is wrong, so that it is tried again. */
        @Override
        protected void done() {
            if (state() != State.SUCCESS || isInFolder(file)) {
                forget();
            }
        }

        void forget() {
            makings.remove(file, this);
        }

        void runAhead() {
            if (isInFolder(file)) {
                forget();
                return;
            }
            run();
            if (state() == State.FAILED) {
                LOGGER.debug("{} is not compiled ahead: {}", name, exceptionNow().getMessage());
            }
        }
    }

    static KernelCache of(ProxyConfig config) {
        Path folder = folder(config.get(GpuOptions.KERNEL_CACHE));
        return BY_FOLDER.computeIfAbsent(Objects.toString(folder, ""), any -> new KernelCache(folder));
    }

    private static Path folder(String option) {
        if (option.equals(NONE)) {
            return null;
        }
        if (!option.isBlank()) {
            return Path.of(option).toAbsolutePath();
        }
        String cache = System.getenv("XDG_CACHE_HOME");
        Path all = cache == null || cache.isBlank() ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(cache);
        return all.isAbsolute() ? all.resolve("proxyrt").resolve("kernels") : null;
    }

    /**
     * Has kernels compiled by the process's thread for that, unless the folder has them, or too many wait. Returns at
     * once. What goes wrong is for {@link #load} to say.
     *
     * @param device nothing happens if its driver has no compiler
     * @param name   of the source, for messages
     * @param source of the kernels
     */
    synchronized void compileAhead(GpuDevice device, String name, String source) {
        if (!device.api().compiler().whyNot().isEmpty() || makings.size() >= MAX_AHEAD) {
            return;
        }
        Making making = new Making(Recipe.of(device, name, source));
        if (makings.putIfAbsent(making.file, making) == null && !thread.offer(making::runAhead)) {
            making.forget();
        }
    }

    /**
     * Loads kernels, and compiles them first unless that was done before.
     *
     * @param device for which they are
     * @param name   of the source, for messages
     * @param source of the kernels
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if its driver has no compiler; as {@link
     *                        GpuCompiler#compile}; or if the driver refuses what was compiled
     */
    GpuModule load(GpuDevice device, String name, String source) {
        String whyNot = device.api().compiler().whyNot();
        if (!whyNot.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, device.name() + " has no " + DeviceCapability.COMPILER
                    + ": " + whyNot);
        }
        Recipe recipe = Recipe.of(device, name, source);
        Making own = new Making(recipe);
        try {
            return load(device, recipe, image(own));
        } finally {
            own.forget();
        }
    }

    private GpuModule load(GpuDevice device, Recipe recipe, Image image) {
        try {
            return load(device, image);
        } catch (ProxyException e) {
            if (!image.isKept || e.result() != ProxyResult.INVALID_ARGUMENT) {
                throw e;
            }
            LOGGER.info("{} is compiled anew, for {} cannot be loaded: {}", recipe.name, folder.resolve(recipe.file),
                    e.getMessage());
            return load(device, compile(recipe));
        }
    }

    private static GpuModule load(GpuDevice device, Image image) {
        return device.loadModule(MemorySegment.ofArray(image.bytes));
    }

    /** Of another thread that is at it already, else by this one. Another's failure is not this one's. */
    private Image image(Making own) {
        while (true) {
            Making making = Objects.requireNonNullElse(makings.putIfAbsent(own.file, own), own);
            thread.runUrgent(making);
            try {
                return Uninterruptibly.get(making, PATIENCE);
            } catch (ExecutionException e) {
                making.forget();
                if (making == own) {
                    throw failure(e.getCause());
                }
            } catch (TimeoutException e) {
                throw new ProxyException(ProxyResult.TIMEOUT, own.name + " is being compiled for more than "
                        + PATIENCE + ", by another thread", e);
            }
        }
    }

    /** Compilers throw nothing that is checked. */
    private static RuntimeException failure(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }

    private Image compile(Recipe recipe) {
        Image image = new Image(recipe.compiler.compile(recipe.name, recipe.source, recipe.architecture), false);
        write(recipe.file, image.bytes);
        return image;
    }

    private boolean isInFolder(String file) {
        if (folder == null) {
            return false;
        }
        try (PrivateDirectory files = PrivateDirectory.find(folder).orElse(null)) {
            return files != null && files.has(file);
        } catch (ProxyException e) {
            tell(e);
            return false;
        }
    }

    private Optional<Image> read(String file) {
        if (folder == null) {
            return Optional.empty();
        }
        try (PrivateDirectory files = PrivateDirectory.find(folder).orElse(null)) {
            return files == null ? Optional.empty() : files.read(file, MAX_FILE_BYTES).flatMap(KernelCache::image);
        } catch (ProxyException e) {
            tell(e);
            return Optional.empty();
        }
    }

    /** Empty if it is not whole. */
    private static Optional<Image> image(byte[] content) {
        if (content.length <= HASH_BYTES) {
            return Optional.empty();
        }
        byte[] image = Arrays.copyOfRange(content, HASH_BYTES, content.length);
        boolean isWhole = Arrays.equals(sha256().digest(image), 0, HASH_BYTES, content, 0, HASH_BYTES);
        return isWhole ? Optional.of(new Image(image, true)) : Optional.empty();
    }

    private void write(String file, byte[] image) {
        if (folder == null || image.length > MAX_FILE_BYTES - HASH_BYTES) {
            return;
        }
        byte[] content = Arrays.copyOf(sha256().digest(image), HASH_BYTES + image.length);
        System.arraycopy(image, 0, content, HASH_BYTES, image.length);
        try (PrivateDirectory files = PrivateDirectory.make(folder)) {
            Set<String> own = files.names().stream().filter(OWN_FILE.asMatchPredicate()).collect(Collectors.toSet());
            if (own.size() >= MAX_FILES) {
                files.deleteFiles(own);
            }
            files.write(file, content);
        } catch (ProxyException e) {
            tell(e);
        }
    }

    private void tell(ProxyException e) {
        if (!isTold.getAndSet(true)) {
            LOGGER.info("each process compiles its kernels anew: {}; {} names another folder, or is {}", e.getMessage(),
                    GpuOptions.KERNEL_CACHE, NONE);
        }
    }

    /** Of what is compiled from all these. */
    static String fileName(String... parts) {
        byte[] all = String.join("\0", parts).getBytes(StandardCharsets.UTF_8);
        return HexFormat.of().formatHex(sha256().digest(all)) + SUFFIX;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
