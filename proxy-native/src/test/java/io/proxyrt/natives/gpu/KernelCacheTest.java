/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelCacheTest {
    private static final String SOURCE = "kernel";

    @TempDir
    Path parent;

    private final AtomicInteger compiled = new AtomicInteger();
    /** What the compiler writes. */
    private volatile String made = ".made";
    private volatile String refused = ".refused";
    private final CountDownLatch isSlow = new CountDownLatch(1);

    /** A driver with a compiler that makes text of a kind that drivers load. */
    private final class Api extends ScriptedApi {
        @Override
        public GpuCompiler compiler() {
            return new GpuCompiler() {
                @Override
                public String whyNot() {
                    return "";
                }

                @Override
                public String version() {
                    return "1.0";
                }

                @Override
                public byte[] compile(String name, String source, String architecture) {
                    compiled.incrementAndGet();
                    if (name.equals("slow")) {
                        awaitOthers();
                    }
                    return made.getBytes(StandardCharsets.UTF_8);
                }
            };
        }

        @Override
        public long moduleLoad(MemorySegment image) {
            String text = new String(image.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
            if (text.startsWith(refused)) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no image of this driver");
            }
            return super.moduleLoad(image);
        }
    }

    private void awaitOthers() {
        try {
            isSlow.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private Path folder() {
        return parent.resolve("above").resolve("kernels");
    }

    /** In a process that has compiled nothing yet. */
    private void compile(Path folder, String source) {
        compile(new KernelCache(folder), "any", source);
    }

    private void compile(KernelCache cache, String name, String source) {
        try (GpuDevice device = new GpuDevice(new GpuProcess(new Api()), 0, null, cache)) {
            device.compile(name, source).close();
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.toList();
        }
    }

    @Test
    void shouldCompileOnceForAllProcesses() throws IOException {
        compile(folder(), SOURCE);
        compile(folder(), SOURCE);
        assertEquals(1, compiled.get());
        compile(folder(), SOURCE + " of another kind");
        assertEquals(2, compiled.get());
        assertEquals(2, files().size());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(files().getFirst())));
    }

    @Test
    void shouldCompileOnceForThreadsThatWantTheSame() throws Exception {
        KernelCache cache = new KernelCache(folder());
        List<Thread> threads = Stream.generate(() -> Thread.ofPlatform().start(() -> compile(cache, "slow", SOURCE)))
                .limit(4).toList();
        // One waits for the compiler, the others, which do not for ever, for what it makes.
        while (compiled.get() == 0 || !threads.stream().allMatch(KernelCacheTest::isWaiting)) {
            Thread.onSpinWait();
        }
        assertEquals(1, compiled.get());
        isSlow.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, compiled.get());
    }

    private static boolean isWaiting(Thread thread) {
        return thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING;
    }

    @Test
    void shouldKeepNothingIfNotWanted() {
        compile((Path) null, SOURCE);
        compile((Path) null, SOURCE);
        assertEquals(2, compiled.get());
    }

    @Test
    void shouldShareAFolderWithinAProcess() {
        ProxyConfig config = ProxyConfig.builder().set(GpuOptions.KERNEL_CACHE, folder().toString()).build();
        assertEquals(KernelCache.of(config), KernelCache.of(config));
        ProxyConfig none = ProxyConfig.builder().set(GpuOptions.KERNEL_CACHE, KernelCache.NONE).build();
        assertEquals(KernelCache.of(none), KernelCache.of(none));
        assertNotEquals(KernelCache.of(config), KernelCache.of(none));
    }

    @Test
    void shouldCompileAnewWhatIsDamaged() throws IOException {
        compile(folder(), SOURCE);
        Path file = files().getFirst();
        byte[] whole = Files.readAllBytes(file);
        for (byte[] damaged : List.of(new byte[0], Arrays.copyOf(whole, whole.length - 1), new byte[whole.length])) {
            Files.write(file, damaged);
            int before = compiled.get();
            compile(folder(), SOURCE);
            assertEquals(before + 1, compiled.get());
            assertArrayEquals(whole, Files.readAllBytes(file));
        }
    }

    @Test
    void shouldCompileAnewWhatTheDriverRefuses() {
        compile(folder(), SOURCE);
        refused = ".made";
        made = ".anew";
        compile(folder(), SOURCE);
        assertEquals(2, compiled.get());
        compile(folder(), SOURCE);
        assertEquals(2, compiled.get());
    }

    @Test
    void shouldSayThatTheDriverRefusesWhatWasCompiledJustNow() {
        refused = made;
        ProxyException failure = assertThrows(ProxyException.class, () -> compile(folder(), SOURCE));
        assertTrue(failure.getMessage().contains("no image of this driver"), failure.getMessage());
        assertEquals(1, compiled.get());
    }

    @Test
    void shouldTakeNothingFromAFolderThatOthersMayWriteTo() throws IOException {
        compile(folder(), SOURCE);
        Files.setPosixFilePermissions(folder(), PosixFilePermissions.fromString("rwxrwxrwx"));
        compile(folder(), SOURCE);
        assertEquals(2, compiled.get());
    }

    @Test
    void shouldFollowNoPlantedLink() throws IOException {
        compile(folder(), SOURCE);
        Path file = files().getFirst();
        Path elsewhere = Files.move(file, parent.resolve("elsewhere"));
        byte[] before = Files.readAllBytes(elsewhere);
        Files.createSymbolicLink(file, elsewhere);
        made = ".other";
        compile(folder(), SOURCE);
        assertEquals(2, compiled.get());
        assertArrayEquals(before, Files.readAllBytes(elsewhere));
    }

    /** The folder may be one that its owner has other things in. */
    @Test
    void shouldForgetItsOwnFilesAloneWhenThereAreTooMany() throws IOException {
        compile(folder(), SOURCE);
        Set<String> others = new TreeSet<>(Set.of("letters.kernel", "a".repeat(64), "b".repeat(64) + ".kernels"));
        for (String other : others) {
            Files.createFile(folder().resolve(other));
        }
        for (int i = 1; i < KernelCache.MAX_FILES; i++) {
            String name = KernelCache.fileName("old" + i);
            Files.createFile(folder().resolve(i % 2 == 0 ? name : name + ".half"));
        }
        compile(folder(), SOURCE + " of today");
        Set<String> left = files().stream().map(file -> file.getFileName().toString()).collect(Collectors.toSet());
        assertTrue(left.containsAll(others), left::toString);
        assertEquals(others.size() + 1, left.size());
    }

    @Test
    void shouldTellSourcesFromEachOther() {
        assertNotEquals(KernelCache.fileName("ab", "c"), KernelCache.fileName("a", "bc"));
    }
}
