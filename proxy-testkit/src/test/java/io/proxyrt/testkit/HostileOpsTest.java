/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What peers that know the secret may do to themselves: nonsense for connections of their own. */
@Tag(Extent.SCALED)
class HostileOpsTest {
    private static final long SEED = Long.getLong("hostile.seed", 20_261_122);
    private static final int MESSAGES = Extent.count(20_000);

    @TempDir
    Path directory;

    @Test
    void shouldSurviveRandomMessagesForConnectionsOfOnesOwn() throws Exception {
        try (Siege own = new Siege(directory, Map.of())) {
            own.attack("random messages for connections of one's own", () -> {
                long messages = 0;
                for (long seed = SEED; messages < MESSAGES; seed++) {
                    try {
                        messages += talk(own, new FrameSource(seed));
                    } catch (IOException | RuntimeException e) {
                        throw new AssertionError("-Dhostile.seed=" + seed + ": " + e, e);
                    }
                }
                return messages;
            });
        }
    }

    @Test
    void shouldSurviveRandomOpsOnAConnectionOfOnesOwn() throws Exception {
        try (Siege own = new Siege(directory, Map.of())) {
            own.attack("random ops on a connection of one's own", () -> {
                long ops = 0;
                for (long seed = SEED; ops < MESSAGES; seed++) {
                    try {
                        ops += startOps(own, new FrameSource(seed));
                    } catch (IOException | RuntimeException e) {
                        throw new AssertionError("-Dhostile.seed=" + seed + ": " + e, e);
                    }
                }
                return ops;
            });
            assertTrue(own.service.counters().get(Counter.RPC_ERRORS) > 0, "some were meant to make no sense");
            assertTrue(own.service.counters().get(Counter.OPS_COMPLETED) > 0, "some were meant to be run");
        }
    }

    /** Some connections, one further than the other, and whatever may be said about them. */
    private static int talk(Siege siege, FrameSource source) throws IOException {
        try (RawCaller caller = new RawCaller(siege.service)) {
            caller.shakeHands(RawCaller.hello(source.insider()), Ranks.SECRET);
            long[] ids = new long[3];
            long callId = 0;
            for (int i = 0; i < ids.length; i++) {
                caller.send(RawCaller.request(MessageType.INIT, ++callId, 0, init()));
                RawCaller.Answer made = caller.answer();
                assertEquals(0, made.result(), made.detail());
                ids[i] = ByteBuffer.wrap(made.body()).getLong();
                for (MessageType type : List.of(MessageType.SETUP, MessageType.CONNECT).subList(0, i)) {
                    caller.send(RawCaller.request(type, ++callId, ids[i], Ranks.NOTHING));
                    assertEquals(0, caller.answer().result());
                }
            }
            for (int count = source.upTo(64); count > 0; count--) {
                caller.send(source.request(++callId, ids));
                RawCaller.Answer answer = caller.answer();
                assertEquals(callId, answer.callId());
                assertNotEquals(ProxyResult.INTERNAL_ERROR.code(), answer.result(), answer.detail());
            }
            assertTrue(callId >= ids.length);
            return (int) callId;
        }
    }

    /** Ops one after the other; a connection whose op failed takes no more. */
    private static int startOps(Siege siege, FrameSource source) throws IOException {
        try (RawCaller caller = new RawCaller(siege.service)) {
            caller.shakeHands(RawCaller.hello(source.insider()), Ranks.SECRET);
            caller.send(RawCaller.request(MessageType.INIT, 1, 0, init()));
            long id = ByteBuffer.wrap(caller.answer().body()).getLong();
            caller.send(RawCaller.request(MessageType.SETUP, 2, id, Ranks.NOTHING));
            caller.send(RawCaller.request(MessageType.CONNECT, 3, id, Ranks.NOTHING));
            assertEquals(0, caller.answer().result());
            assertEquals(0, caller.answer().result());
            int count = source.upTo(32);
            for (int i = 0; i < count; i++) {
                caller.send(RawCaller.request(MessageType.START, 4 + i, id, source.start(id)));
                RawCaller.Answer answer = caller.answer();
                assertEquals(4 + i, answer.callId());
                assertNotEquals(ProxyResult.INTERNAL_ERROR.code(), answer.result(), answer.detail());
            }
            return count;
        }
    }

    private static ByteBuffer init() {
        return ByteBuffer.allocate(12).putInt(ScriptedTransport.ID).putInt(0).putInt(3).flip();
    }
}
