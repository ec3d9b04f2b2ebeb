/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels that are compiled before they are needed, with a compiler that takes as long as a test says. */
class CompileAheadTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String SOURCE = "kernel";
    /** Compiled as soon as the test lets it. */
    private static final String SLOW = "slow kernel";
    private static final String WRONG = "wrong kernel";
    private static final String SLOW_AND_WRONG = "slow and wrong kernel";

    @TempDir
    Path parent;

    private final CompileThread thread = new CompileThread(Duration.ZERO, exit -> { });
    private final CountDownLatch hasBegun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    /** Names of sources, as the compiler got them. */
    private final List<String> compiled = new CopyOnWriteArrayList<>();
    private final List<Thread> compilers = new CopyOnWriteArrayList<>();
    private final GpuDevice device = device(new KernelCache(null));

    @AfterEach
    void end() {
        mayEnd.countDown();
        device.close();
        assertTrue(thread.end(LONG));
    }

    private final class Api extends ScriptedApi {
        @Override
        public GpuCompiler compiler() {
            return new Compiler();
        }
    }

    private final class Compiler implements GpuCompiler {
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
            compiled.add(name);
            compilers.add(Thread.currentThread());
            if (source.startsWith("slow")) {
                hasBegun.countDown();
                await(mayEnd);
            }
            if (source.endsWith(WRONG)) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " does not compile");
            }
            return ("." + source).getBytes(StandardCharsets.UTF_8);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private GpuDevice device(KernelCache cache) {
        return new GpuDevice(new GpuProcess(new Api()), 0, null, cache);
    }

    private Path folder() {
        return parent.resolve("kernels");
    }

    /** Of a process that has compiled nothing yet. */
    private KernelCache cache() {
        return new KernelCache(folder(), thread);
    }

    private KernelCache withoutFolder() {
        return new KernelCache(null, thread);
    }

    private void load(KernelCache cache, String name, String source) {
        cache.load(device, name, source).close();
    }

    private List<Path> files() throws IOException {
        if (!Files.exists(folder())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder())) {
            return files.toList();
        }
    }

    /** What was asked for so far is done. */
    private void finishAhead() {
        CompletableFuture<Void> isDone = new CompletableFuture<>();
        assertTrue(thread.offer(() -> isDone.complete(null)));
        isDone.join();
    }

    private List<CompletableFuture<Void>> loads(int count, KernelCache cache, String name, String source) {
        List<Thread> threads = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> loads = Stream.generate(() -> CompletableFuture.runAsync(() -> {
            try (GpuDevice own = device(cache)) {
                own.compile(name, source).close();
            }
        }, task -> threads.add(Thread.ofPlatform().start(task)))).limit(count).toList();
        while (!threads.stream().allMatch(one -> one.getState() == Thread.State.TIMED_WAITING)) {
            Thread.onSpinWait();
        }
        return loads;
    }

    @Test
    void shouldCompileWhatWillBeNeeded() throws IOException {
        KernelCache cache = cache();
        cache.compileAhead(device, "early", SOURCE);
        cache.compileAhead(device, "early", SOURCE);
        finishAhead();
        assertEquals(List.of("early"), compiled);
        assertEquals(1, files().size());
        load(cache, "late", SOURCE);
        load(cache(), "late", SOURCE);
        assertEquals(List.of("early"), compiled);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldWaitForWhatIsBeingCompiled(boolean hasFolder) {
        KernelCache cache = hasFolder ? cache() : withoutFolder();
        cache.compileAhead(device, "early", SLOW);
        await(hasBegun);
        List<CompletableFuture<Void>> loads = loads(3, cache, "late", SLOW);
        mayEnd.countDown();
        loads.forEach(CompletableFuture::join);
        assertEquals(List.of("early"), compiled);
    }

    /** A thread that needs a kernel waits for no other kernel. */
    @Test
    void shouldCompileAtOnceWhatStillWaits() throws IOException {
        KernelCache cache = cache();
        cache.compileAhead(device, "first", SLOW);
        await(hasBegun);
        cache.compileAhead(device, "early", SOURCE);
        load(cache, "late", SOURCE);
        assertEquals(List.of("first", "early"), compiled);
        assertEquals(Thread.currentThread(), compilers.getLast());
        mayEnd.countDown();
        finishAhead();
        assertEquals(List.of("first", "early"), compiled);
        assertEquals(2, files().size());
    }

    @Test
    void shouldSayWhatIsWrongToThoseWhoNeedIt() {
        KernelCache cache = cache();
        cache.compileAhead(device, "early", WRONG);
        finishAhead();
        assertEquals("late does not compile",
                assertThrows(ProxyException.class, () -> load(cache, "late", WRONG)).getMessage());
        assertEquals(List.of("early", "late"), compiled);
    }

    @Test
    void shouldTryAgainWhatFailsWhileItIsWaitedFor() {
        KernelCache cache = cache();
        cache.compileAhead(device, "early", SLOW_AND_WRONG);
        await(hasBegun);
        List<CompletableFuture<Void>> loads = loads(2, cache, "late", SLOW_AND_WRONG);
        mayEnd.countDown();
        for (CompletableFuture<Void> load : loads) {
            Throwable failure = load.handle((done, thrown) -> thrown).join();
            assertEquals("late does not compile", failure.getCause().getMessage());
        }
        assertEquals(3, compiled.size());
    }

    @Test
    void shouldLeaveAloneWhatTheFolderHas() throws IOException {
        load(cache(), "before", SOURCE);
        KernelCache cache = cache();
        cache.compileAhead(device, "early", SOURCE);
        finishAhead();
        assertEquals(List.of("before"), compiled);
        Files.delete(files().getFirst());
        load(cache, "late", SOURCE);
        assertEquals(List.of("before", "late"), compiled);
    }

    /** It is in the folder, where it may also be damaged. */
    @Test
    void shouldNotKeepInMemoryWhatTheFolderHas() throws IOException {
        KernelCache cache = cache();
        cache.compileAhead(device, "early", SOURCE);
        finishAhead();
        Files.write(files().getFirst(), new byte[1]);
        load(cache, "late", SOURCE);
        assertEquals(List.of("early", "late"), compiled);
    }

    /** Ranks of a process, and communicators that come later, need it again. */
    @Test
    void shouldKeepInMemoryWhatNoFolderHas() throws IOException {
        KernelCache unusable = new KernelCache(Files.createFile(parent.resolve("file")), thread);
        for (KernelCache cache : List.of(withoutFolder(), unusable)) {
            compiled.clear();
            cache.compileAhead(device, "early", SOURCE);
            finishAhead();
            cache.compileAhead(device, "early", SOURCE);
            finishAhead();
            load(cache, "late", SOURCE);
            load(cache, "late", SOURCE);
            assertEquals(List.of("early"), compiled);
        }
    }

    @Test
    void shouldCompileNoMoreThanItMayKeep() {
        KernelCache cache = withoutFolder();
        cache.compileAhead(device, "first", SLOW);
        await(hasBegun);
        for (int i = 0; i < 2 * KernelCache.MAX_AHEAD; i++) {
            cache.compileAhead(device, "early", SOURCE + i);
        }
        mayEnd.countDown();
        finishAhead();
        assertEquals(KernelCache.MAX_AHEAD, compiled.size());
        load(cache, "late", SOURCE + KernelCache.MAX_AHEAD);
        assertEquals("late", compiled.getLast());
    }

    /** Also if that was dropped with the process's end, as in its other hooks. */
    @Test
    void shouldLoadWhatIsCompiledAheadNoMore() {
        KernelCache cache = cache();
        assertTrue(thread.end(LONG));
        cache.compileAhead(device, "early", SOURCE);
        load(cache, "late", SOURCE);
        assertEquals(List.of("late"), compiled);
    }

    @Test
    void shouldGoOnWhenTheDeviceIsClosed() throws IOException {
        try (GpuDevice closed = device(cache())) {
            closed.compileAhead("early", SLOW);
            closed.compileAhead("later", SOURCE);
            await(hasBegun);
        }
        mayEnd.countDown();
        finishAhead();
        assertEquals(List.of("early", "later"), compiled);
        assertEquals(2, files().size());
    }
}
