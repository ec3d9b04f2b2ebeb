/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.model.CostModel;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When a plug-in is called, and when not any more. */
class ExternalTunerTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    private final FakeTuner library = new FakeTuner();

    private static final class FakeTuner implements TunerLibrary {
        private final List<String> events = new CopyOnWriteArrayList<>();
        private Runnable onCall = () -> { };

        @Override
        public String file() {
            return "libfake.so";
        }

        @Override
        public String name() {
            return "Fake";
        }

        @Override
        public String lastWarning() {
            return "";
        }

        @Override
        public int version() {
            return 6;
        }

        @Override
        public long init(long commId, long ranks, long nodes, int[] domains, double[] constants) {
            return 7;
        }

        @Override
        public int collInfo(long context, int function, long bytes, int pipeOps, boolean isRegistered, float[] times) {
            onCall.run();
            events.add("collInfo " + context);
            return 2;
        }

        @Override
        public long chunkSize(long context, int function, long bytes, int algorithm, int protocol, int channels,
                long chunk) {
            throw new AssertionError("this test has no chunks");
        }

        @Override
        public void finish(long context) {
            events.add("finish " + context);
        }
    }

    private Tuner open(Duration patience, Consumer<String> warning) {
        return ExternalTuner.open(library, new TunerRequest(1, 8, 2, CostModel.of("sm90").constants()), patience,
                warning);
    }

    private Tuner open() {
        return open(LONG, warning -> {
            throw new AssertionError(warning);
        });
    }

    private static int call(Tuner tuner) {
        return tuner.adjust(CollFunction.ALL_REDUCE, CollInfo.of(64), new TimeTable());
    }

    @Test
    void shouldSayThatACallDoesNotReturn() {
        CompletableFuture<String> said = new CompletableFuture<>();
        library.onCall = () -> assertEquals("getCollInfo of Fake (libfake.so) has not returned in 1 ms; thread "
                + Thread.currentThread().getName() + " waits for it, with ALL_REDUCE of 64 bytes; see "
                + TunerOptions.PLUGIN, said.orTimeout(60, TimeUnit.SECONDS).join());
        try (Tuner tuner = open(Duration.ofMillis(1), said::complete)) {
            assertEquals(2, call(tuner), "it is waited for nevertheless");
        }
    }

    @Test
    void shouldFinishOnceAndCallNothingAfterThat() {
        Tuner tuner = open();
        call(tuner);
        tuner.close();
        tuner.close();
        ProxyException failure = assertThrows(ProxyException.class, () -> call(tuner));

        assertEquals(ProxyResult.INVALID_USAGE, failure.result());
        assertEquals("getCollInfo of Fake (libfake.so) is not called: the tuner is closed", failure.getMessage());
        assertEquals(List.of("collInfo 7", "finish 7"), library.events);
    }

    /** As at the end of a program of which one thread is stuck in the plug-in. */
    @Test
    void shouldFinishBehindACallThatIsUnderWay() {
        Tuner tuner = open();
        library.onCall = () -> CompletableFuture.runAsync(tuner::close).orTimeout(60, TimeUnit.SECONDS).join();
        call(tuner);

        assertEquals(List.of("collInfo 7", "finish 7"), library.events);
    }

    @Test
    void shouldRefuseASecondThread() {
        try (Tuner tuner = open()) {
            library.onCall = () -> {
                library.onCall = () -> { };
                assertTrue(assertThrows(ProxyException.class, () -> call(tuner)).getMessage()
                        .contains("is for one thread at a time, and " + Thread.currentThread().getName()));
            };
            call(tuner);
            call(tuner);
        }
        assertEquals(List.of("collInfo 7", "collInfo 7", "finish 7"), library.events);
    }

    @Test
    void shouldGoOnAfterACallThatFails() {
        try (Tuner tuner = open()) {
            library.onCall = () -> {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, "getCollInfo fails");
            };
            assertThrows(ProxyException.class, () -> call(tuner));
            library.onCall = () -> { };
            assertEquals(2, call(tuner));
        }
    }
}
