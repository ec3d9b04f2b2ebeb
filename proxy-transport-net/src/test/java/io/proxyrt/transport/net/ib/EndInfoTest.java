/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.VerbsPort;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndInfoTest {
    private static final int PORTS = 20;
    private static final int NAME = 24;
    private static final int MTU = NAME + 4 + 6;
    private static final int PAIRS = MTU + 32;

    private static EndInfo info(String name) {
        IbAddress address = new IbAddress(5, VerbsPort.ETHERNET, 0, 0, new Gid(0, 0xffff0a630001L, Gid.Kind.IB));
        return new EndInfo(true, true, 3, 106, 0x7f0000001000L, List.of(new EndInfo.Port(name, address, -2)),
                List.of(17, 18));
    }

    @Test
    void shouldSurviveItsEncoding() {
        assertEquals(info("rxe0:1"), EndInfo.decode(info("rxe0:1").encode()));
    }

    @Test
    void shouldFitWhateverTheDevice() {
        IbAddress address = new IbAddress(5, VerbsPort.ETHERNET, 0, 0, new Gid(1, 2, Gid.Kind.IB));
        EndInfo.Port port = new EndInfo.Port("x".repeat(1000), address, 1);
        EndInfo most = new EndInfo(false, false, 0, 0, 1, List.of(port, port, port, port),
                new Random(1).ints(128, 0, 1 << 24).boxed().toList());
        assertEquals(most.pairs(), EndInfo.decode(most.encode()).pairs());
    }

    @ParameterizedTest
    @CsvSource({"0, 4", "0, -1", "4, 16", "8, 256", "8, -1", PORTS + ", 0", PORTS + ", 5", PORTS + ", -1",
        NAME + ", 65", NAME + ", -1", MTU + ", 0", MTU + ", 6", MTU + 4 + ", 3"})
    void shouldRefuseWhatCannotBeMeant(int offset, int value) {
        assertRefused(info("rxe0:1").encode().putInt(offset, value));
    }

    @ParameterizedTest
    @CsvSource({PAIRS + ", 0", PAIRS + ", 129", PAIRS + ", 1", PAIRS + ", 3", PAIRS + ", -1"})
    void shouldRefuseOtherNumbersOfQueuePairsThanFollow(int offset, int value) {
        assertEquals(2, info("rxe0:1").encode().getInt(PAIRS));
        assertRefused(info("rxe0:1").encode().putInt(offset, value));
    }

    @Test
    void shouldRefuseWhatIsCutShort() {
        byte[] whole = new byte[info("rxe0:1").encode().remaining()];
        info("rxe0:1").encode().get(whole);
        for (int length = 0; length < whole.length; length++) {
            assertRefused(ByteBuffer.wrap(whole, 0, length));
        }
    }

    @Test
    void shouldThrowNothingElseWhateverComes() {
        Random random = new Random(3);
        for (int i = 0; i < 10_000; i++) {
            ByteBuffer bytes = info("rxe0:1").encode();
            for (int k = 0; k < 4; k++) {
                bytes.put(random.nextInt(bytes.limit()), (byte) random.nextInt());
            }
            try {
                EndInfo.decode(bytes);
            } catch (ProxyException e) {
                assertEquals(ProxyResult.REMOTE_ERROR, e.result());
            }
        }
    }

    @Test
    void shouldKeepLinesOfALogApart() {
        assertEquals("rxe0 gone", EndInfo.decode(info("rxe0\n\tgone").encode()).ports().getFirst().name());
    }

    private static void assertRefused(ByteBuffer bytes) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> EndInfo.decode(bytes));
        assertEquals(ProxyResult.REMOTE_ERROR, refusal.result());
        assertTrue(!refusal.getMessage().isEmpty());
    }
}
