/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By real signals that change nothing for a process without a handler: SIGURG and SIGWINCH. */
class DumpSignalTest {
    private static final int URG = 23;
    private static final int WINCH = 28;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Test
    void shouldTellWhatEachRuntimeOfTheProcessWorksOn() throws IOException, InterruptedException {
        try (DumpSignal _ = take(URG, "rank 0", "ACTIVE OPS"); DumpSignal _ = take(URG, "rank 1");
                DumpSignal _ = take(WINCH, "rank 2")) {
            kill(URG);
            assertTold("received signal 23: rank 0\nACTIVE OPS");
            assertTold("received signal 23: rank 1");
            kill(WINCH);
            assertTold("received signal 28: rank 2");
        }
    }

    @Test
    void shouldLeaveOutOneThatIsClosed() throws IOException, InterruptedException {
        try (DumpSignal _ = DumpSignal.of(config(URG), () -> {
            throw new IllegalStateException("closed");
        }, told::add); DumpSignal _ = take(URG, "rank 1")) {
            take(URG, "rank 9").close();
            kill(URG);
            assertTold("received signal 23: rank 1");
        }
    }

    @Test
    void shouldGiveTheSignalBackToTheHandlerBefore() throws Exception {
        CountDownLatch isOwn = new CountDownLatch(1);
        Object jvms = SignalHandlers.set("URG", isOwn::countDown);
        try {
            take(URG, "rank 0").close();
            kill(URG);
            assertTrue(isOwn.await(60, TimeUnit.SECONDS), "the handler of the test is not there any more");
            assertTrue(told.isEmpty(), told::toString);
        } finally {
            SignalHandlers.restore("URG", jvms);
        }
    }

    @Test
    void shouldTakeNoneUnlessOneIsNamed() {
        assertNull(DumpSignal.of(ProxyConfig.builder().build(), List::of, told::add));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 9, 11, 12, 15, 64})
    void shouldRefuseSignalsThatEndProcessesOrAreTheJvms(int number) {
        ProxyException refused = assertThrows(ProxyException.class, () -> DumpSignal.of(config(number), List::of,
                told::add));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refused.result());
        assertTrue(refused.getMessage().startsWith("proxyrt.dump.signal is " + number), refused::getMessage);
    }

    private static ProxyConfig config(int number) {
        return ProxyConfig.builder().set(CoreOptions.DUMP_SIGNAL, number).build();
    }

    private static void kill(int number) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + number, Long.toString(ProcessHandle.current().pid()))
                .start().waitFor());
    }

    private DumpSignal take(int number, String... lines) {
        return DumpSignal.of(config(number), () -> List.of(lines), told::add);
    }

    private void assertTold(String text) throws InterruptedException {
        assertEquals(text, told.poll(60, TimeUnit.SECONDS));
    }
}
