/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PrivateDirectory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/**
 * Kernels that were compiled before, by any process of this user: a file for each, whose name is a hash of the source,
 * the architecture, and the versions of compiler and driver. Threads that want the same one at a time compile it once.
 * A folder that cannot be used, and a file that is damaged, cost the time to compile, no more. Thread-safe.
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

    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Map<String, KernelCache> BY_FOLDER = new ConcurrentHashMap<>();
    private static final int HASH_BYTES = 32;
    private static final int MAX_FILE_BYTES = 16 << 20;
    private static final String SUFFIX = ".kernel";
    /** What is written here, be it left half by a process that ended; the folder may have other files of its owner. */
    private static final Pattern OWN_FILE = Pattern.compile("[0-9a-f]{64}\\.kernel(\\..+)?");

    /** Null if there is none. */
    private final Path folder;
    /** By the files' names, while they are loaded. */
    private final Map<String, Image> images = new ConcurrentHashMap<>();
    private final AtomicBoolean isTold = new AtomicBoolean();

    /** With a folder; null if nothing is kept. */
    KernelCache(Path folder) {
        this.folder = folder;
    }

    /** What a driver loads. One that was kept may be damaged, or another driver's. */
    private record Image(byte[] bytes, boolean isKept) {
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
     * Loads kernels, and compiles them first unless that was done before.
     *
     * @param device whose driver has a compiler
     * @param name   of the source, for messages
     * @param source of the kernels
     * @throws ProxyException as {@link GpuCompiler#compile}, or if the driver refuses what was compiled
     */
    GpuModule load(GpuDevice device, String name, String source) {
        GpuCompiler compiler = device.api().compiler();
        String architecture = device.attributes().architecture();
        String file = fileName(source, architecture, compiler.version(), device.api().version());
        Image image = images.computeIfAbsent(file,
                missing -> read(missing).orElseGet(() -> compile(compiler, missing, name, source, architecture)));
        try {
            return load(device, image);
        } catch (ProxyException e) {
            if (!image.isKept || e.result() != ProxyResult.INVALID_ARGUMENT) {
                throw e;
            }
            LOGGER.info("{} is compiled anew, for {} cannot be loaded: {}", name, folder.resolve(file), e.getMessage());
            return load(device, compile(compiler, file, name, source, architecture));
        } finally {
            images.remove(file, image);
        }
    }

    private static GpuModule load(GpuDevice device, Image image) {
        return device.loadModule(MemorySegment.ofArray(image.bytes));
    }

    private Image compile(GpuCompiler compiler, String file, String name, String source, String architecture) {
        Image image = new Image(compiler.compile(name, source, architecture), false);
        write(file, image.bytes);
        return image;
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
