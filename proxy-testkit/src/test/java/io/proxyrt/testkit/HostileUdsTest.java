/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hostile callers of a UDS thread that hands descriptors to a good one meanwhile. */
@Tag(Extent.SCALED)
class HostileUdsTest {
    private static final long SEED = Long.getLong("hostile.seed", 20_261_122);
    private static final PeerId INSIDER = new PeerId(Siege.INSIDER_RANK, 4711);
    private static final int FRAMES = Extent.count(10_000);
    private static final int GET_FDS = Extent.count(10_000);
    private static final int LONGEST_CONVERSATION = 16;
    private static final int HALF_OPEN = 200;
    private static final int MOST_HALF_OPEN = 64;
    private static final int MOST_FDS = 16;
    private static final int MOST_WAITING = 256;

    @TempDir
    static Path directory;
    private static Siege siege;
    private static OwnedFd stray;

    @BeforeAll
    static void begin() {
        siege = new Siege(directory, Map.of("uds.fd.timeout", "200ms"));
        stray = RawUdsCaller.PLATFORM.descriptors().memfd("stray", 8);
    }

    @AfterAll
    static void end() {
        stray.close();
        siege.close();
    }

    @Test
    void shouldServeGoodClientsDuringRandomFramesWithStrayDescriptors() throws Exception {
        siege.attack("UDS: random frames with stray descriptors", () -> {
            long frames = 0;
            for (long seed = SEED; frames < FRAMES; seed++) {
                try {
                    frames += converse(new Random(seed));
                } catch (ProxyException | AssertionError e) {
                    throw new AssertionError("-Dhostile.seed=" + seed + ": " + e, e);
                }
            }
            return frames;
        });
        Siege.awaitDescriptors("/memfd:stray", 1);
    }

    @Test
    void shouldServeGoodClientsDuringConnectsAndDrops() throws Exception {
        int count = Extent.count(10_000);
        siege.attack("UDS: connects and drops", () -> {
            for (int i = 0; i < count; i++) {
                try (RawUdsCaller caller = new RawUdsCaller(address())) {
                    if (i % 2 == 0) {
                        caller.send(new byte[] {'P'}, stray);
                    }
                }
            }
            return count;
        });
    }

    @Test
    void shouldDriveOutTheOldestOfAFloodOfHalfOpenConnections() throws Exception {
        siege.attack("UDS: half-open connections held, three times the cap", () -> {
            List<RawUdsCaller> flood = new ArrayList<>();
            try {
                for (int i = 0; i < HALF_OPEN; i++) {
                    flood.add(new RawUdsCaller(address()));
                }
                flood.subList(0, HALF_OPEN - MOST_HALF_OPEN).forEach(RawUdsCaller::awaitEnd);
            } finally {
                flood.forEach(RawUdsCaller::close);
            }
            return HALF_OPEN;
        });
    }

    @Test
    void shouldCutWhoNeverEndsItsHandshake() throws Exception {
        siege.attack("UDS: handshakes that never end", () -> {
            List<RawUdsCaller> slow = new ArrayList<>();
            try {
                byte[] hello = RawUdsCaller.hello(INSIDER);
                for (int i = 0; i < MOST_HALF_OPEN / 2; i++) {
                    RawUdsCaller caller = new RawUdsCaller(address());
                    slow.add(caller);
                    caller.send(Arrays.copyOf(hello, 5 * i));
                }
                slow.forEach(RawUdsCaller::awaitEnd);
            } finally {
                slow.forEach(RawUdsCaller::close);
            }
            return slow.size();
        });
    }

    @Test
    void shouldRefuseOtherSecrets() throws Exception {
        int count = Extent.count(1000);
        siege.attack("UDS: wrong secrets", () -> {
            for (int i = 0; i < count; i++) {
                try (RawUdsCaller caller = new RawUdsCaller(address())) {
                    RawUdsCaller.Answer answer = caller.shakeHands(INSIDER, JobSecret.random());
                    assertTrue(answer.text().contains("does not know the secret of this job"), answer.text());
                    caller.awaitEnd();
                }
            }
            return count;
        });
    }

    @Test
    void shouldGiveNoDescriptorForAGuess() throws Exception {
        siege.attack("UDS: GetFd of handles that were guessed", () -> {
            Random random = new Random(SEED);
            try (RawUdsCaller caller = RawUdsCaller.insider(address(), INSIDER)) {
                for (int i = 0; i < GET_FDS; i++) {
                    long[] handles = random.longs(random.nextInt(1, MOST_FDS + 1)).toArray();
                    caller.send(RawUdsCaller.frame(
                            RawUdsCaller.GET_FD, INSIDER.rank(), i, 0, RawUdsCaller.longs(handles)));
                    assertEquals(ProxyResult.INVALID_ARGUMENT.code(), caller.answer().status());
                }
            }
            return GET_FDS;
        });
    }

    @Test
    void shouldKeepSoManyUnusedDescriptorsAndNotForLong() throws Exception {
        siege.attack("UDS: QueryFd up to the cap", () -> {
            OwnedFd[] many = Collections.nCopies(MOST_FDS, stray).toArray(OwnedFd[]::new);
            byte[] query = RawUdsCaller.frame(RawUdsCaller.QUERY_FD, INSIDER.rank(), 1, MOST_FDS, Ranks.NOTHING);
            long accepted = 0;
            int refused = 0;
            try (RawUdsCaller caller = RawUdsCaller.insider(address(), INSIDER)) {
                for (int i = 0; i < 4 * MOST_WAITING / MOST_FDS || refused == 0; i++) {
                    caller.send(query, many);
                    RawUdsCaller.Answer answer = caller.answer();
                    if (answer.status() == 0) {
                        accepted += MOST_FDS;
                    } else {
                        assertEquals(ProxyResult.INVALID_USAGE.code(), answer.status(), answer.text());
                        refused++;
                    }
                }
            }
            return accepted;
        });
        Siege.awaitDescriptors("/memfd:stray", 1);
    }

    private static String address() {
        return siege.service.memory().address();
    }

    /** Frames with descriptors that were not asked for, most of them broken. */
    private static int converse(Random random) {
        boolean isUnauthenticated = random.nextInt(4) == 0;
        int count = random.nextInt(1, LONGEST_CONVERSATION + 1);
        try (RawUdsCaller caller =
                isUnauthenticated ? new RawUdsCaller(address()) : RawUdsCaller.insider(address(), INSIDER)) {
            for (int i = 0; i < count; i++) {
                int fds = random.nextInt(MOST_FDS + 3);
                byte[] frame = frame(random, i, fds);
                boolean isLast = i == count - 1;
                if (!caller.send(isLast || isUnauthenticated ? mutant(random, frame) : frame,
                        Collections.nCopies(fds, stray).toArray(OwnedFd[]::new))) {
                    return i + 1;
                }
                caller.drain();
            }
        }
        return count;
    }

    private static byte[] frame(Random random, long callId, int fds) {
        return switch (random.nextInt(5)) {
            case 0 -> noise(random);
            case 1 -> RawUdsCaller.hello(INSIDER);
            case 2 -> RawUdsCaller.frame(RawUdsCaller.GET_FD, INSIDER.rank(), callId, 0,
                    RawUdsCaller.longs(random.nextLong(), random.nextLong()));
            default -> RawUdsCaller.frame(RawUdsCaller.QUERY_FD, INSIDER.rank(), callId, fds, Ranks.NOTHING);
        };
    }

    private static byte[] mutant(Random random, byte[] frame) {
        switch (random.nextInt(5)) {
            case 0 -> frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
            case 1 -> ByteBuffer.wrap(frame).putInt(4 * random.nextInt(8), random.nextInt() >> random.nextInt(32));
            case 2 -> ByteBuffer.wrap(frame).putShort(4 + 2 * random.nextInt(10), (short) random.nextInt());
            case 3 -> {
                return Arrays.copyOf(frame, random.nextInt(1, frame.length));
            }
            default -> {
                return FrameSource.joined(frame, noise(random));
            }
        }
        return frame;
    }

    private static byte[] noise(Random random) {
        byte[] noise = new byte[random.nextInt(32, 400)];
        random.nextBytes(noise);
        return noise;
    }
}
