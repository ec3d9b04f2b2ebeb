/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ProxyStateBuilder;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A runtime that does not come up, or whose thread is interrupted at any moment, leaves nothing behind. */
@Tag(Extent.SCALED)
class UndoTest {
    private static final int RUNTIMES = Extent.count(1000);
    /** More than a runtime has descriptors. */
    private static final int MOST_LEFT = 24;
    private static final long SEED = 20_270_301;

    @TempDir
    Path directory;

    private Holdings before;

    @BeforeEach
    void warmUp() {
        for (ThreadingMode mode : ThreadingMode.values()) {
            builder(mode).start().close();
        }
        // Junixsocket brings a file that it cannot open without descriptors. Then this is used in its place.
        builder(ThreadingMode.DEDICATED, "native").start().close();
        // From a folder of classes this one takes a descriptor, too.
        assertEquals("", DescriptorLimit.advice(new IOException(), ""));
        before = Holdings.now();
    }

    private ProxyStateBuilder builder(ThreadingMode mode) {
        return builder(mode, "auto");
    }

    private ProxyStateBuilder builder(ThreadingMode mode, String sockets) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("base").toString()).set(CoreOptions.THREADING, mode)
                .set("uds.sockets", sockets);
        return ProxyState.builder().rank(0, 2).job(Ranks.SECRET, "test").config(config.build());
    }

    /** Cut off at each descriptor that it takes: it says which limit that is, or does without. */
    @ParameterizedTest
    @EnumSource
    void shouldGiveEverythingBackWhereverDescriptorsRunOut(ThreadingMode mode) throws IOException {
        int failures = 0;
        try (Limits limits = new Limits(); Fillers fillers = new Fillers()) {
            limits.set(open());
            fillers.fill();
            limits.set(limits.usual);
            Holdings beforeLimits = Holdings.now();
            for (int left = MOST_LEFT; left >= 0; left--) {
                limits.set(open() + left);
                failures += isRefused(mode) ? 1 : 0;
                limits.set(limits.usual);
                Siege.await(beforeLimits, Holdings::now);
                assertNoFolder();
            }
        }
        assertTrue(failures > 0 && failures < MOST_LEFT, failures + " of " + MOST_LEFT + " failed");
    }

    private boolean isRefused(ThreadingMode mode) {
        try (ProxyState proxy = builder(mode).start()) {
            assertEquals(0, proxy.rank());
            return false;
        } catch (ProxyException e) {
            assertTrue(e.getMessage().contains("ulimit -n"), e.getMessage());
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldUndoAllWhateverATransportThrows(ThreadingMode mode) throws IOException {
        for (Throwable failure : List.of(new IllegalStateException("on purpose"),
                new OutOfMemoryError("unable to create native thread, on purpose"), new LinkageError("on purpose"))) {
            ProxyStateBuilder builder = builder(mode).transport(new Failing(failure));
            assertSame(failure, assertThrows(Throwable.class, builder::start));
            assertEquals(before, Holdings.now());
            assertNoFolder();
        }
    }

    @Test
    void shouldGiveEverythingBackThoughThreadsAreInterrupted() throws Exception {
        Random random = new Random(SEED);
        int failures = 0;
        for (int i = 0; i < RUNTIMES; i++) {
            ThreadingMode mode = ThreadingMode.values()[i % ThreadingMode.values().length];
            List<Throwable> ends = new ArrayList<>();
            Thread user = Thread.ofPlatform().start(() -> use(mode, ends));
            long until = System.nanoTime() + random.nextInt(10_000_000);
            while (user.isAlive() && System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
            user.interrupt();
            user.join();
            for (Throwable end : ends) {
                failures++;
                if (!(end instanceof ProxyException)) {
                    throw new AssertionError("seed " + SEED + ", runtime " + i, end);
                }
            }
        }
        System.out.printf("undo: %,d runtimes, %,d of which did not come up for an interruption%n", RUNTIMES, failures);
        Siege.await(before, Holdings::now);
        assertNoFolder();
    }

    private void use(ThreadingMode mode, List<Throwable> ends) {
        try (ProxyState proxy = builder(mode).start()) {
            proxy.device().allocate(4096);
        } catch (RuntimeException | Error e) {
            ends.add(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldCloseOnAnInterruptedThreadAsOnAnyOther(ThreadingMode mode) throws IOException {
        ProxyState proxy = builder(mode).start();
        Thread.currentThread().interrupt();
        assertTrue(proxy.close(Ranks.TIMEOUT).isClean());
        assertTrue(Thread.interrupted(), "the interruption was swallowed");
        assertEquals(before, Holdings.now());
        assertNoFolder();
    }

    private void assertNoFolder() throws IOException {
        try (Stream<Path> left = Files.walk(directory)) {
            assertEquals(List.of(directory), left.toList());
        }
    }

    /** Throws when it is to make a transport, after those before it were made. */
    private record Failing(Throwable failure) implements ProxyTransportProvider {
        @Override
        public int id() {
            return Integer.MAX_VALUE;
        }

        @Override
        public String name() {
            return "FAILING";
        }

        @Override
        public ProxyTransport create(TransportContext context) {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }
    }

    /** The highest number, for what is limited is not how many there are. */
    private static long open() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return 1 + all.mapToLong(path -> Long.parseLong(path.getFileName().toString())).max().orElseThrow();
        }
    }

    /** Takes the numbers between those that are taken. */
    private static final class Fillers implements AutoCloseable {
        private final List<InputStream> all = new ArrayList<>();

        void fill() {
            try {
                while (true) {
                    all.add(new FileInputStream("/dev/null"));
                }
            } catch (IOException e) {
                assertTrue(e.getMessage().contains("Too many open files"), e.getMessage());
            }
        }

        @Override
        public void close() throws IOException {
            for (InputStream filler : all) {
                filler.close();
            }
        }
    }

    /** Sets the soft limit of this process by another one, which is there before descriptors run out. */
    private static final class Limits implements AutoCloseable {
        private final long usual = usual();
        private final Process shell;

        Limits() {
            long self = ProcessHandle.current().pid();
            try {
                shell = new ProcessBuilder("sh", "-c", "while read n; do prlimit --pid " + self
                        + " --nofile=$n: && echo set || echo refused; done").redirectErrorStream(true).start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String answer = ask(usual);
            Assumptions.assumeTrue(answer.equals("set"), () -> "prlimit(1) cannot set limits here: " + answer);
        }

        void set(long descriptors) {
            assertEquals("set", ask(descriptors));
        }

        private String ask(long descriptors) {
            try {
                shell.outputWriter().write(descriptors + "\n");
                shell.outputWriter().flush();
                return shell.inputReader().readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static long usual() {
            try {
                String line = Files.readAllLines(Path.of("/proc/self/limits")).stream()
                        .filter(text -> text.startsWith("Max open files")).findFirst().orElseThrow();
                return Long.parseLong(line.split(" {2,}")[1]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            set(usual);
            shell.destroy();
        }
    }
}
