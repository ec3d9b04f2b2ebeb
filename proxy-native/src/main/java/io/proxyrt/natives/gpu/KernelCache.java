/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PrivateDirectory;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
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

    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Map<Path, KernelCache> BY_FOLDER = new ConcurrentHashMap<>();
    private static final int HASH_BYTES = 32;
    private static final int MAX_FILE_BYTES = 16 << 20;
    /** Then all are deleted: those of old versions are among them, and the others are soon compiled. */
    private static final int MAX_FILES = 512;

    /** Null if there is none. */
    private final Path folder;
    /** While they are loaded. */
    private final Map<String, byte[]> images = new ConcurrentHashMap<>();

    /** With a folder; null if nothing is kept. */
    KernelCache(Path folder) {
        this.folder = folder;
    }

    static KernelCache of(ProxyConfig config) {
        Path folder = folder(config.get(GpuOptions.KERNEL_CACHE));
        return folder == null ? new KernelCache(null) : BY_FOLDER.computeIfAbsent(folder, KernelCache::new);
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
        String key = key(source, architecture, compiler.version(), device.api().version());
        byte[] image = images.computeIfAbsent(key,
                missing -> read(missing).orElseGet(() -> compile(compiler, missing, name, source, architecture)));
        try {
            return device.loadModule(MemorySegment.ofArray(image));
        } catch (ProxyException e) {
            byte[] anew = compile(compiler, key, name, source, architecture);
            if (Arrays.equals(anew, image)) {
                throw e;
            }
            LOGGER.debug("{} was compiled anew, for what was kept cannot be loaded: {}", name, e.getMessage());
            return device.loadModule(MemorySegment.ofArray(anew));
        } finally {
            images.remove(key, image);
        }
    }

    private byte[] compile(GpuCompiler compiler, String key, String name, String source, String architecture) {
        byte[] image = compiler.compile(name, source, architecture);
        write(key, image);
        return image;
    }

    private Optional<byte[]> read(String key) {
        if (folder == null) {
            return Optional.empty();
        }
        try (PrivateDirectory files = PrivateDirectory.find(folder).orElse(null)) {
            return files == null ? Optional.empty() : files.read(key, MAX_FILE_BYTES).flatMap(KernelCache::image);
        } catch (ProxyException e) {
            LOGGER.debug("kernels are compiled each time: {}", e.getMessage());
            return Optional.empty();
        }
    }

    /** Empty if it is not whole. */
    private static Optional<byte[]> image(byte[] file) {
        if (file.length <= HASH_BYTES) {
            return Optional.empty();
        }
        byte[] image = Arrays.copyOfRange(file, HASH_BYTES, file.length);
        return Arrays.equals(sha256().digest(image), 0, HASH_BYTES, file, 0, HASH_BYTES) ? Optional.of(image)
                : Optional.empty();
    }

    private void write(String key, byte[] image) {
        if (folder == null || image.length > MAX_FILE_BYTES - HASH_BYTES) {
            return;
        }
        byte[] file = Arrays.copyOf(sha256().digest(image), HASH_BYTES + image.length);
        System.arraycopy(image, 0, file, HASH_BYTES, image.length);
        try (PrivateDirectory files = PrivateDirectory.make(folder)) {
            List<String> names = files.names();
            if (names.size() >= MAX_FILES) {
                files.deleteFiles(new HashSet<>(names));
            }
            files.write(key, file);
        } catch (ProxyException e) {
            LOGGER.debug("kernels are compiled each time: {}", e.getMessage());
        }
    }

    static String key(String... parts) {
        MessageDigest digest = sha256();
        for (String part : parts) {
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }
}
