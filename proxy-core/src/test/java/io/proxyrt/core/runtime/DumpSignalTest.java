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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By real signals that change nothing for a process without a handler: SIGURG and SIGWINCH. */
@ResourceLock(Resources.SYSTEM_ERR)
class DumpSignalTest {
    private static final int URG = 23;
    private static final int WINCH = 28;
    private static final int TRIES = 600;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private PrintStream before;

    @BeforeEach
    void collect() {
        before = System.err;
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void giveBack() {
        System.setErr(before);
    }

    @Test
    void shouldPrintWhatEachRuntimeOfTheProcessWorksOn() throws IOException, InterruptedException {
        try (DumpSignal first = DumpSignal.of(config(URG), () -> List.of("rank 0", "ACTIVE OPS"));
                DumpSignal second = DumpSignal.of(config(URG), () -> List.of("rank 1"));
                DumpSignal other = DumpSignal.of(config(WINCH), () -> List.of("rank 2"))) {
            kill(URG);
            assertEquals("received signal 23\nrank 0\nACTIVE OPS\nrank 1\n", awaitText("rank 1\n"));
            kill(WINCH);
            assertTrue(awaitText("rank 2\n").endsWith("received signal 28\nrank 2\n"), printed::toString);
        }
    }

    @Test
    void shouldLeaveOutOneThatIsClosed() throws IOException, InterruptedException {
        try (DumpSignal first = DumpSignal.of(config(URG), () -> {
            throw new IllegalStateException("closed");
        }); DumpSignal second = DumpSignal.of(config(URG), () -> List.of("rank 1"))) {
            DumpSignal.of(config(URG), () -> List.of("rank 9")).close();
            kill(URG);
            assertEquals("received signal 23\nrank 1\n", awaitText("rank 1\n"));
        }
    }

    @Test
    void shouldGiveTheSignalBackToTheHandlerBefore() throws Exception {
        CountDownLatch isOwn = new CountDownLatch(1);
        Object jvms = SignalHandlers.set("URG", isOwn::countDown);
        try {
            DumpSignal.of(config(URG), () -> List.of("rank 0")).close();
            kill(URG);
            assertTrue(isOwn.await(60, TimeUnit.SECONDS), "the handler of the test is not there any more");
            assertEquals("", printed.toString(StandardCharsets.UTF_8));
        } finally {
            SignalHandlers.restore("URG", jvms);
        }
    }

    @Test
    void shouldTakeNoneUnlessOneIsNamed() {
        assertNull(DumpSignal.of(ProxyConfig.builder().build(), List::of));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 3, 9, 11, 12, 15, 64})
    void shouldRefuseSignalsThatEndProcessesOrAreTheJvms(int number) {
        ProxyException refused = assertThrows(ProxyException.class, () -> DumpSignal.of(config(number), List::of));
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

    private String awaitText(String end) throws InterruptedException {
        for (int i = 0; i < TRIES && !printed.toString(StandardCharsets.UTF_8).endsWith(end); i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }
}
