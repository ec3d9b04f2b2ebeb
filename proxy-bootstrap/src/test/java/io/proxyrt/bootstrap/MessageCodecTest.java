/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.Transcript;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageCodecTest {
    private static final Origin ORIGIN = new Origin(new ProcessIdentity(5, 8, 9), 10);
    private static final byte[] NONCE = ByteBuffer.allocate(Transcript.NONCE_BYTES).put(31, (byte) 7).array();

    private static final Message.Hello HELLO = new Message.Hello(NONCE, 3, 4, ORIGIN, 6, 7, new LinkTerms(11, 12),
            new Return(13, 14, 15));

    static Stream<Message> messages() {
        final byte[] blob = {1, 2, 3};
        return Stream.of(HELLO, new Message.Challenge(NONCE),
                new Message.Proof(NONCE), new Message.Welcome(NONCE, NONCE),
                new Message.Accepted(1000, 8192, 8192, new LinkTerms(5000, 0), -1, ORIGIN),
                new Message.Refused(ProxyResult.INVALID_USAGE, "no"),
                new Message.Ready(), new Message.Heartbeat(3),
                new Message.Part(RoundKind.ALL_GATHER, 7, 30_000, blob),
                Jobs.gathered(7, 3, (byte) 0, (byte) 0, (byte) 0, (byte) 1, (byte) 7),
                new Message.RoundDone(RoundKind.BARRIER, 7),
                new Message.RoundFailed(RoundKind.BARRIER, 7, ProxyResult.TIMEOUT, "late"),
                new Message.Blob(2, -5, blob), new Message.Failed(-1, ProxyResult.REMOTE_ERROR, "\u00e4\u20ac"),
                new Message.Left(1, 1), new Message.Abort("why"), new Message.Goodbye(),
                new Message.Busy("flooded"), new Message.Resumed(7), new Message.Host(0, 1234), new TreeMessage.Fan(16),
                new TreeMessage.Door(5555), new TreeMessage.Above(5555, new byte[] {127, 0, 0, 1}),
                new TreeMessage.Got(7));
    }

    private static Message decode(byte[] frame) {
        return MessageCodec.decode(ByteBuffer.wrap(frame));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldDecodeWhatItEncoded(Message message) {
        final byte[] frame = MessageCodec.encode(message).array();

        final Message copy = decode(frame);

        assertEquals(message.getClass(), copy.getClass());
        assertArrayEquals(frame, MessageCodec.encode(copy).array());
    }

    @Test
    void shouldLayOutAFrameAsDocumented() {
        assertEquals("0000000b" + "04" + "0a" + "0000" + "00000002" + "fffffffb" + "010203",
                HexFormat.of().formatHex(MessageCodec.encode(new Message.Blob(2, -5, new byte[] {1, 2, 3})).array()));
        assertEquals("0000007c" + "04" + "01" + "0000" + "50525859424f4f54" + "00".repeat(31) + "07" + "00000003"
                + "00000004" + "0000000000000005" + "0000000000000008" + "0000000000000009" + "000000000000000a"
                + "0000000000000006" + "0000000000000007" + "0000000b" + "0000000c" + "000000000000000d" + "0000000e"
                + "000000000000000f", HexFormat.of().formatHex(MessageCodec.encode(HELLO).array()));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseABodyThatEndsTooEarlyOrTooLate(Message message) {
        final byte[] frame = MessageCodec.encode(message).array();
        final int fixed = frame.length - 8 - message.tail().length;
        for (int length = 0; length < fixed; length++) {
            final ByteBuffer cut = ByteBuffer.wrap(frame).slice(8, length);
            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.decode(message.type(), cut));
        }
        if (message.tail().length == 0) {
            final ByteBuffer longer = ByteBuffer.allocate(fixed + 1).put(frame, 8, fixed).rewind();
            Jobs.assertFails(ProxyResult.REMOTE_ERROR, () -> Jobs.decode(message.type(), longer));
        }
    }

    @Test
    void shouldEitherDecodeOrRefuseWhateverComes() {
        final Random random = new Random(42);
        for (int i = 0; i < 50_000; i++) {
            final byte[] body = new byte[random.nextInt(160)];
            random.nextBytes(body);
            if (random.nextBoolean() && body.length >= 8) {
                ByteBuffer.wrap(body).putLong(BootstrapDescriptor.PROTOCOL_MAGIC);
            }
            final int type = random.nextInt(256) - 128 & (random.nextBoolean() ? 0x1f : -1);
            try {
                Jobs.decode(type, ByteBuffer.wrap(body));
            } catch (ProxyException e) {
                assertEquals(ProxyResult.REMOTE_ERROR, e.result());
            }
        }
    }

    @Test
    void shouldNeverReadASuccessWhereAnErrorBelongs() {
        for (final ProxyResult result : new ProxyResult[] {ProxyResult.SUCCESS, ProxyResult.IN_PROGRESS}) {
            final ByteBuffer body = ByteBuffer.allocate(8).putInt(-1).putInt(result.code()).flip();
            assertEquals(new Message.Failed(-1, ProxyResult.INTERNAL_ERROR, ""),
                    Jobs.decode(Message.Failed.TYPE, body));
        }
    }

    @Test
    void shouldCutALongTextAndCleanIt() {
        final Message.Abort abort = (Message.Abort) decode(MessageCodec.encode(
                new Message.Abort("line\nline" + "\u20ac".repeat(5000))).array());

        assertTrue(abort.text().startsWith("line line"), abort.text());
        assertTrue(abort.text().length() <= BootstrapDescriptor.MAX_TEXT_BYTES);
    }

    @Test
    void shouldBoundTimesThatOverflow() {
        final Message.Part part = (Message.Part) decode(MessageCodec.encode(
                new Message.Part(RoundKind.BARRIER, 0, Long.MAX_VALUE, new byte[0])).array());

        assertEquals(Deadline.MAX_MILLIS, part.timeoutMillis());
    }
}
