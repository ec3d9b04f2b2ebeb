/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectorEndTest {
    private static final MessageChecks CHECKS = new MessageChecks("P2P", 3);

    private static ConnectorEnd end(ByteBuffer body) {
        return ConnectorEnd.get(CHECKS.begin(body, 4 + ConnectorEnd.BYTES, 4 + ConnectorEnd.BYTES, "Setup request"),
                CHECKS, "Setup request");
    }

    private static ByteBuffer body(int rank, int remoteRank, int channelId, int connIndex, int direction) {
        return ByteBuffer.allocate(4 + ConnectorEnd.BYTES).putInt(3).putInt(rank).putInt(remoteRank).putInt(channelId)
                .putInt(connIndex).putInt(direction).flip();
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0, 0, 0", "2147483647, 0, 127, 2147483647, 1"})
    void shouldReadWhatItWrote(int rank, int remoteRank, int channelId, int connIndex, int direction) {
        ByteBuffer body = body(rank, remoteRank, channelId, connIndex, direction);
        ConnectorEnd end = new ConnectorEnd(rank, remoteRank, channelId, connIndex, Direction.values()[direction]);
        ByteBuffer out = ByteBuffer.allocate(4 + ConnectorEnd.BYTES).putInt(3);
        end.put(out);

        assertEquals(body, out.flip());
        assertEquals(end, end(body));
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, 0, 0, 0", "0, -1, 0, 0, 0", "0, 1, -1, 0, 0", "0, 1, 256, 0, 0", "0, 1, 0, -1, 0",
        "0, 1, 0, 0, -1", "0, 1, 0, 0, 2"})
    void shouldRefuseAnEndThatThereCannotBe(int rank, int remoteRank, int channelId, int connIndex, int direction) {
        ByteBuffer body = body(rank, remoteRank, channelId, connIndex, direction);
        ProxyException refusal = assertThrows(ProxyException.class, () -> end(body));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertTrue(refusal.getMessage().startsWith("P2P Setup request has "), refusal::getMessage);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, 5, 1, RECV, true", "2, 0, 5, 1, RECV, false", "1, 2, 5, 1, RECV, false",
        "1, 0, 4, 1, RECV, false", "1, 0, 5, 0, RECV, false", "1, 0, 5, 1, SEND, false", "0, 1, 5, 1, SEND, false"})
    void shouldKnowItsOtherEnd(int rank, int remoteRank, int channelId, int connIndex, Direction direction,
            boolean isOther) {
        ConnectorEnd own = new ConnectorEnd(0, 1, 5, 1, Direction.SEND);
        ConnectorEnd other = new ConnectorEnd(rank, remoteRank, channelId, connIndex, direction);
        assertEquals(isOther, own.isOtherEnd(other));
        assertEquals(isOther, other.isOtherEnd(own));
    }

    @Test
    void shouldRefuseBodiesOfAnotherLengthOrVersion() {
        ByteBuffer body = body(0, 1, 0, 0, 0);
        assertEquals(0, end(body).rank());
        assertEquals(24, body.remaining(), "the body is not changed");
        assertRefused("P2P Setup request of 23 bytes instead of 24", body.duplicate().limit(23));
        assertRefused("P2P Setup request of 25 bytes instead of 24", ByteBuffer.allocate(25));
        assertRefused("P2P Setup request of version 4 instead of 3", body.duplicate().putInt(0, 4));
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> CHECKS.begin(ByteBuffer.allocate(3), 4, 8, "handle"));
        assertEquals("P2P handle of 3 bytes instead of 4 to 8", refusal.getMessage());
    }

    private static void assertRefused(String message, ByteBuffer body) {
        ProxyException refusal = assertThrows(ProxyException.class, () -> end(body));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertEquals(message, refusal.getMessage());
    }
}
