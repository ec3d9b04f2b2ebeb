/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Broken frames of unauthenticated peers and of peers that know the secret, and requests that are none of their
 * business. Random ones are the same each time; a failure names the seed of the conversation, and {@code
 * -Dhostile.seed} begins with it.
 */
@Tag(Extent.SCALED)
class HostileCallersTest {
    private static final long SEED = Long.getLong("hostile.seed", 20_261_122);
    private static final int FRAMES = Extent.count(100_000);
    private static final int LENGTH_ROUNDS = Extent.count(100);
    private static final int LONGEST_CONVERSATION = 32;
    private static final int INDICES = 20;
    private static final int FOREIGN_IDS = Extent.count(40 * INDICES);
    /** The others need no connection. */
    private static final Set<MessageType> FOR_CONNECTIONS = EnumSet.of(MessageType.SHARED_INIT, MessageType.SETUP,
            MessageType.CONNECT, MessageType.START, MessageType.CLOSE, MessageType.ABORT, MessageType.REGISTER,
            MessageType.DEREGISTER);

    @TempDir
    static Path directory;
    private static Siege siege;

    @BeforeAll
    static void begin() {
        siege = new Siege(directory, Map.of());
    }

    @AfterAll
    static void end() {
        siege.close();
    }

    @Test
    void shouldServeGoodClientsDuringRandomAndMutatedFrames() throws Exception {
        siege.attack("random and mutated frames", () -> {
            long frames = 0;
            for (long seed = SEED; frames < FRAMES; seed++) {
                try {
                    frames += converse(new FrameSource(seed));
                } catch (IOException | RuntimeException e) {
                    throw new AssertionError("-Dhostile.seed=" + seed + ": " + e, e);
                }
            }
            return frames;
        });
    }

    @Test
    void shouldRefuseLengthsThatCannotBe() throws Exception {
        siege.attack("lengths negative, too small or too large", () -> {
            int[] lengths = {Integer.MIN_VALUE, -1, 0, 1, 19, (1 << 20) - 3, 1 << 24, Integer.MAX_VALUE};
            for (int i = 0; i < LENGTH_ROUNDS; i++) {
                for (int length : lengths) {
                    byte[] frame = RawCaller.request(MessageType.SETUP, 1, 1, Ranks.NOTHING);
                    ByteBuffer.wrap(frame).putInt(length);
                    try (RawCaller caller = insider()) {
                        caller.send(frame);
                        assertEquals(ProxyResult.INVALID_ARGUMENT.code(), caller.answer().result());
                        assertNull(caller.answer(), "the service closes");
                    }
                }
            }
            return (long) LENGTH_ROUNDS * lengths.length;
        });
    }

    @Test
    void shouldRefuseConnectionsOfOthers() throws Exception {
        siege.attack("requests for connections of others", () -> {
            long callId = 0;
            try (RawCaller caller = insider()) {
                for (MessageType type : FOR_CONNECTIONS) {
                    for (long id = 0; id < FOREIGN_IDS; id++) {
                        long foreign = id % 8 == 0 ? siege.goodConnection()
                                : (id / INDICES + 1) << 32 | id % INDICES;
                        caller.send(RawCaller.request(type, ++callId, foreign, ByteBuffer.allocate(8)));
                        RawCaller.Answer answer = caller.answer();
                        assertEquals(callId, answer.callId());
                        assertEquals(ProxyResult.INVALID_USAGE.code(), answer.result(), answer.detail());
                    }
                }
            }
            return callId;
        });
    }

    @Test
    void shouldLetNoPeerStopTheServiceOfAnotherRank() throws Exception {
        siege.attack("Stop, and Abort of everything, by another rank", () -> {
            try (RawCaller caller = insider()) {
                caller.send(RawCaller.request(MessageType.STOP, 1, 0, Ranks.NOTHING));
                assertEquals(ProxyResult.INVALID_USAGE.code(), caller.answer().result());
                caller.send(RawCaller.request(MessageType.ABORT, 2, 0, Ranks.NOTHING));
                assertEquals(0, ByteBuffer.wrap(caller.answer().body()).getInt(), "ops dropped: it has none");
            }
            return 2;
        });
    }

    @Test
    void shouldLimitTheSessionsOfAPeer() throws Exception {
        siege.attack("sessions of one peer, one more than it may have", () -> {
            List<RawCaller> sessions = new ArrayList<>();
            try {
                PeerId greedy = new PeerId(Siege.INSIDER_RANK, System.nanoTime());
                for (int i = 0; i < 16; i++) {
                    RawCaller caller = new RawCaller(siege.service);
                    sessions.add(caller);
                    caller.shakeHands(RawCaller.hello(greedy), Ranks.SECRET);
                }
                try (RawCaller last = new RawCaller(siege.service)) {
                    byte[] hello = RawCaller.hello(greedy);
                    last.send(hello);
                    last.send(last.proof(hello, last.read(RawCaller.ANSWER_BYTES), Ranks.SECRET));
                    assertEquals(ProxyResult.SYSTEM_ERROR.code(),
                            ByteBuffer.wrap(last.read(RawCaller.ANSWER_BYTES)).getInt(12));
                }
            } finally {
                for (RawCaller caller : sessions) {
                    caller.close();
                }
            }
            return sessions.size() + 1;
        });
    }

    @Test
    void shouldSurvivePeersThatComeAndGo() throws Exception {
        int count = Extent.count(3000);
        siege.attack("peers, each of its own identity, that come and go", () -> {
            for (int i = 0; i < count; i++) {
                try (RawCaller caller = new RawCaller(siege.service)) {
                    caller.shakeHands(RawCaller.hello(new PeerId(Siege.INSIDER_RANK, 1_000_000 + i)), Ranks.SECRET);
                }
            }
            return count;
        });
    }

    /** Frames that are read to the last, which is broken. */
    private static int converse(FrameSource source) throws IOException {
        boolean isUnauthenticated = source.oneOf(4);
        try (RawCaller caller = new RawCaller(siege.service)) {
            if (isUnauthenticated) {
                byte[] hello = RawCaller.hello(source.insider());
                caller.send(source.oneOf(3) ? source.noise() : source.mutant(hello));
                caller.send(source.oneOf(2) ? source.noise() : caller.proof(hello, hello, JobSecret.random()));
                caller.end();
                return 2;
            }
            caller.shakeHands(RawCaller.hello(source.insider()), Ranks.SECRET);
            int count = source.upTo(LONGEST_CONVERSATION);
            for (int i = 1; i < count; i++) {
                caller.send(source.turned(source.request(i)));
            }
            caller.send(source.oneOf(8) ? source.noise() : source.mutant(source.request(count)));
            caller.end();
            return count + 2;
        }
    }

    private static RawCaller insider() throws IOException {
        RawCaller caller = new RawCaller(siege.service);
        caller.shakeHands(RawCaller.hello(new PeerId(Siege.INSIDER_RANK, 77)), Ranks.SECRET);
        return caller;
    }
}
