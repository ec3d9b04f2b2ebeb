/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.spi.MessageType;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.ProxyClient;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random and mutated frames, always the same ones. */
class FrameFuzzTest {
    private static final int FRAMES = 20_000;

    private final Random random = new Random(20_260_719);

    @Test
    void shouldSurviveRandomAndMutatedFrames() {
        try (Rig rig = new Rig()) {
            FakeHandler handler = new FakeHandler();
            RpcEndpoint service = rig.open(1, handler, "rpc.max.frame.bytes", "16k", "rpc.hello.timeout", "60m");
            ProxyClient bystander = rig.connect(rig.open(0, new FakeHandler()), service);
            RawPeer peer = rig.raw(service);
            for (int i = 0; i < FRAMES; i++) {
                if (peer.isAtEnd() || random.nextInt(64) == 0) {
                    peer.close();
                    peer = random.nextBoolean() ? rig.raw(service) : rig.rawAccepted(service, 2);
                }
                peer.send(frame());
                rig.turn();
                if (i % 1000 == 0) {
                    handler.calls.clear();
                    assertEquals("alive", Rig.text(rig.await(
                            bystander.call(MessageType.SETUP, 0, Rig.bytes("alive")))));
                }
            }
            peer.close();
            rig.await(() -> service.peers() == 1);
            assertTrue(service.refusals().count() > FRAMES / 10, () -> "only " + service.refusals().count());
        }
    }

    private byte[] frame() {
        byte[] frame = switch (random.nextInt(5)) {
            case 0 -> noise(random.nextInt(1, 200));
            case 1 -> RawPeer.hello(new PeerId(random.nextInt(), random.nextLong()));
            default -> RawPeer.request(MessageType.of(random.nextInt(1, 13)), random.nextLong(),
                    "x".repeat(random.nextInt(100)));
        };
        switch (random.nextInt(4)) {
            case 0 -> frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            case 1 -> ByteBuffer.wrap(frame).putInt(0, random.nextInt() >> random.nextInt(32));
            case 2 -> frame = Arrays.copyOf(frame, random.nextInt(1, 2 * frame.length));
            default -> {
                return frame;
            }
        }
        return frame;
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[Math.max(4, length)];
        random.nextBytes(noise);
        return noise;
    }
}
