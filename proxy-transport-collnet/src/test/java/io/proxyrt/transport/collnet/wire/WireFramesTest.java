/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class WireFramesTest {
    private static final int N_RANKS = 4;
    /** With a sign it would be less than nothing. */
    private static final Duration PATIENCE = Duration.ofMillis(0x8000_0001L);

    private final GroupId group = GroupId.of(new byte[GroupId.KEY_BYTES]);

    /** Gives one byte at a time. */
    private record Trickle(ByteBuffer bytes) implements ReadableByteChannel {
        @Override
        public int read(ByteBuffer to) {
            to.put(bytes.get());
            return 1;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
        }
    }

    private static ByteBuffer read(ByteBuffer frame, FrameShape shape) {
        final FrameReader reader = new FrameReader();
        final ByteBuffer longer = ByteBuffer.allocate(frame.remaining() + 1).put(frame).rewind();
        try {
            assertTrue(reader.read(new Trickle(longer), shape));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertEquals(1, longer.remaining(), "not a byte more");
        return reader.frame();
    }

    @Test
    void shouldProveAnAddressAndAVerdict() {
        final WireCredential credential = WireCredential.ofGroup(ProxyConfig.builder().environment(Map.of()).build(),
                new byte[GroupId.KEY_BYTES]);
        final ByteBuffer hello = ByteBuffer.wrap(new byte[] {1});
        final ByteBuffer challenge = ByteBuffer.wrap(new byte[] {2});
        final ByteBuffer proof = ByteBuffer.wrap(credential.participantProof("10.0.0.1:1", hello, challenge));
        assertTrue(credential.isParticipantProof("10.0.0.1:1", hello, challenge, proof));
        assertFalse(credential.isParticipantProof("10.0.0.2:1", hello, challenge, proof), "passed on");
        final byte[] refusal = credential.switchProof("10.0.0.1:1", hello, challenge, Welcome.verdict("full"));
        assertTrue(credential.isSwitchProof("10.0.0.1:1", hello, challenge, Welcome.verdict("full"), refusal));
        assertFalse(credential.isSwitchProof("10.0.0.2:1", hello, challenge, Welcome.verdict("full"), refusal));
        assertFalse(credential.isSwitchProof("10.0.0.1:1", hello, challenge, Welcome.verdict(""), refusal));
        assertFalse(credential.isParticipantProof("10.0.0.1:1", hello, challenge, ByteBuffer.wrap(refusal)),
                "said back");
    }

    @Test
    void shouldReadTheHelloThatWasWritten() {
        final Hello hello = Hello.ofParticipant(group, N_RANKS, 3, PATIENCE, "rank 9 (pid 77 at h\u00f6st)");
        final Hello read = Hello.decode(read(hello.encode(), Hello::bytes));

        assertEquals(group, read.group());
        assertEquals(N_RANKS, read.nRanks());
        assertEquals(3, read.rank());
        assertEquals("participant 3, " + hello.name(), read.peer());
        assertEquals(PATIENCE, read.patience());
        assertFalse(read.isSwitch());
        assertArrayEquals(hello.nonce(), read.nonce());
    }

    @Test
    void shouldReadTheHelloOfASwitch() {
        final Hello hello = Hello.ofSwitch(group, N_RANKS, Duration.ofDays(1000), "");
        final Hello read = Hello.decode(read(hello.encode(), Hello::bytes));

        assertTrue(read.isSwitch());
        assertEquals(Hello.NO_RANK, read.rank());
        assertEquals("a switch without a name", read.peer());
        assertEquals(Duration.ofMillis(0xFFFF_FFFFL), read.patience(), "as long as can be said");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 6, 73, 76, 78})
    void shouldRefuseAHelloWithAWrongField(int at) {
        final ByteBuffer frame = Hello.ofParticipant(group, N_RANKS, 3, PATIENCE, "me").encode();
        frame.putShort(at, (short) 0x7F7F);

        final ProxyException e = assertThrows(ProxyException.class,
                () -> Hello.decode(read(frame, Hello::bytes)));
        assertEquals(ProxyResult.REMOTE_ERROR, e.result());
    }

    @Test
    void shouldRefuseALongName() {
        final ByteBuffer frame = Hello.ofParticipant(group, N_RANKS, 3, PATIENCE, "me").encode();
        frame.putShort(84, (short) (WireDescriptor.MAX_NAME_BYTES + 1));

        assertThrows(ProxyException.class, () -> read(frame, Hello::bytes));
    }

    @Test
    void shouldCutTextsBetweenCharactersAndKeepThemOnOneLine() {
        final Abort read = Abort.decode(read(new Abort(ProxyResult.TIMEOUT, "\u00e4".repeat(3000)).encode(),
                WireDescriptor::bytesToSwitch));
        assertEquals("\u00e4".repeat(WireDescriptor.MAX_TEXT_BYTES / 2), read.text());
        assertEquals(ProxyResult.TIMEOUT, read.result());

        assertEquals("a b", Abort.decode(read(new Abort(ProxyResult.TIMEOUT, "a\nb").encode(),
                WireDescriptor::bytesFromSwitch)).text());
    }

    @Test
    void shouldTakeEveryAbortForAFailure() {
        final ByteBuffer frame = new Abort(ProxyResult.TIMEOUT, "").encode();
        frame.putInt(4, ProxyResult.SUCCESS.code());

        assertEquals(ProxyResult.REMOTE_ERROR, Abort.decode(read(frame, WireDescriptor::bytesToSwitch)).result());
    }

    @Test
    void shouldRefuseWhatIsNotUtf8() {
        final ByteBuffer frame = new Abort(ProxyResult.TIMEOUT, "abc").encode();
        frame.put(9, (byte) 0xFF);

        assertThrows(ProxyException.class, () -> Abort.decode(read(frame, WireDescriptor::bytesToSwitch)));
    }

    @Test
    void shouldReadTheJoinThatWasWritten() {
        final ByteBuffer frame = read(new Join(2, PATIENCE, "rank 9").encode(), WireDescriptor::bytesToSwitch);

        assertEquals(new Join(2, PATIENCE, "rank 9"), Join.decode(frame, N_RANKS));
        assertThrows(ProxyException.class, () -> Join.decode(frame, 2));
    }

    @Test
    void shouldReadTheWelcomeThatWasWritten() {
        final byte[] proof = new byte[WireDescriptor.PROOF_BYTES];
        assertEquals("", Welcome.decode(read(new Welcome(proof, "").encode(), Welcome::bytes)).refusal());
        assertEquals("no", Welcome.decode(read(new Welcome(proof, "no").encode(), Welcome::bytes)).refusal());

        final ByteBuffer frame = new Welcome(proof, "").encode();
        frame.put(WireDescriptor.PROOF_BYTES, (byte) 2);
        assertThrows(ProxyException.class, () -> Welcome.decode(read(frame, Welcome::bytes)));
    }

    @Test
    void shouldTellFramesOfEachSideApart() {
        final ByteBuffer call = ByteBuffer.allocate(CallHeader.BYTES);
        call.put(0, WireDescriptor.CALL);
        final ByteBuffer result = ByteBuffer.allocate(ResultHeader.BYTES);
        ResultHeader.put(result, 5, 1L << 40);

        assertEquals(CallHeader.BYTES, read(call.duplicate(), WireDescriptor::bytesToSwitch).position());
        assertThrows(ProxyException.class, () -> read(call, WireDescriptor::bytesFromSwitch));
        assertThrows(ProxyException.class, () -> read(result.duplicate(), WireDescriptor::bytesToSwitch));
        final ByteBuffer read = read(result, WireDescriptor::bytesFromSwitch);
        assertEquals(5, ResultHeader.seq(read));
        assertEquals(1L << 40, ResultHeader.payloadBytes(read));
        assertEquals(8, read(WireDescriptor.ready(), WireDescriptor::bytesFromSwitch).position());
    }

    @ParameterizedTest
    @EnumSource(value = CollFunction.class, names = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER"})
    void shouldReadTheCallThatWasWritten(CollFunction function) {
        final boolean isWhole = function == CollFunction.ALL_REDUCE;
        final ByteBuffer header = header(function, DataType.FLOAT32, RedOp.MAX, isWhole ? 0 : 8, 400, isWhole ? 400
                : 4000);
        CallHeader.check(header, N_RANKS);

        assertEquals(function, CallHeader.function(header));
        assertEquals(DataType.FLOAT32, CallHeader.type(header));
        assertEquals(RedOp.MAX, CallHeader.op(header));
        assertEquals(7, CallHeader.seq(header));
        assertEquals(isWhole ? 0 : 8, CallHeader.windowOffset(header));
        assertEquals(400, CallHeader.windowBytes(header));
        assertEquals(99, CallHeader.payloadBytes(header));
        assertTrue(CallHeader.describe(header).contains("call 7"));
    }

    private static ByteBuffer header(CollFunction function, DataType type, RedOp op, long offset, long bytes,
            long perRank) {
        final ByteBuffer header = ByteBuffer.allocate(CallHeader.BYTES);
        CallHeader.put(header, function, type, op, 7, new CollNetWindow().set(perRank, offset, bytes), 99);
        return header;
    }

    @Test
    void shouldRefuseCallsThatMakeNoSense() {
        assertRefused(header(CollFunction.SEND, DataType.INT8, RedOp.SUM, 0, 4, 4));
        assertRefused(header(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0, 6, 6));
        assertRefused(header(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 4, 4, 4));
        assertRefused(header(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0, 4, 8));
        assertRefused(header(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.AVG, 0, 4, 4));
        assertRefused(header(CollFunction.ALL_REDUCE, DataType.INT8, RedOp.SUM, 0, 0, 0));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, -1, 4, 4));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 13, 4, 4));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, 17, 4));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, -1, 4));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, Long.MAX_VALUE, Long.MAX_VALUE, 4));
        assertRefused(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, 4, Long.MAX_VALUE / 2));
        assertRefused(header(CollFunction.REDUCE_SCATTER, DataType.FLOAT32, RedOp.SUM, 2, 4, 8));
        for (int at = 1; at < 8; at++) {
            final int where = at;
            assertRefused(change(header(CollFunction.ALL_REDUCE, DataType.INT8, RedOp.SUM, 0, 4, 4),
                    header -> header.put(where, (byte) -1)));
        }
    }

    private static ByteBuffer change(ByteBuffer header, Consumer<ByteBuffer> change) {
        change.accept(header);
        return header;
    }

    private static void assertRefused(ByteBuffer header) {
        assertThrows(ProxyException.class, () -> CallHeader.check(header, N_RANKS));
    }

    @Test
    void shouldCompareCallsButForTheirPayload() {
        final ByteBuffer call = header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, 4, 4);

        assertTrue(CallHeader.isSame(call, change(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, 4, 4),
                header -> header.putLong(40, 1))));
        for (int at = 0; at < 40; at++) {
            final int where = at;
            assertFalse(CallHeader.isSame(call,
                    change(header(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM, 0, 4, 4),
                            header -> header.put(where, (byte) (header.get(where) + 1)))), "byte " + at);
        }
    }

    @Test
    void shouldSurviveGarbage() {
        final Random random = new Random(3);
        for (int i = 0; i < 20_000; i++) {
            final byte[] bytes = new byte[WireDescriptor.MAX_FRAME_BYTES];
            random.nextBytes(bytes);
            bytes[0] = (byte) random.nextInt(8);
            bytes[2] = 0;
            final ByteBuffer garbage = ByteBuffer.wrap(bytes);
            assertHandled(() -> decode(take(garbage, WireDescriptor::bytesToSwitch)));
            assertHandled(() -> decode(take(garbage, WireDescriptor::bytesFromSwitch)));
            assertHandled(() -> Welcome.decode(take(garbage, Welcome::bytes)));
            garbage.putInt(0, WireDescriptor.MAGIC).putShort(4, WireDescriptor.VERSION);
            assertHandled(() -> Hello.decode(take(garbage, Hello::bytes)));
        }
    }

    /** A frame as long as its shape says. */
    private static ByteBuffer take(ByteBuffer garbage, FrameShape shape) {
        final ByteBuffer frame = ByteBuffer.allocate(WireDescriptor.MAX_FRAME_BYTES);
        for (int bytes = shape.bytes(frame); frame.position() < bytes; bytes = shape.bytes(frame)) {
            frame.put(garbage.get(frame.position()));
        }
        return ByteBuffer.allocate(frame.position()).put(frame.flip());
    }

    private static void decode(ByteBuffer frame) {
        switch (frame.get(0)) {
            case WireDescriptor.JOIN -> Join.decode(frame, N_RANKS);
            case WireDescriptor.ABORT -> Abort.decode(frame);
            case WireDescriptor.CALL -> CallHeader.check(frame, N_RANKS);
            default -> assertTrue(frame.get(0) == WireDescriptor.READY || frame.get(0) == WireDescriptor.RESULT);
        }
    }

    private static void assertHandled(Runnable decoding) {
        try {
            decoding.run();
        } catch (ProxyException e) {
            assertEquals(ProxyResult.REMOTE_ERROR, e.result());
        }
    }

    @Test
    void shouldDeriveGroupsFromTheirKeys() {
        final byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

        assertEquals(GroupId.of(key), GroupId.of(key.clone()));
        assertNotEquals(group, GroupId.of(key));
        assertFalse(GroupId.of(key).toString().contains("0123"), "the key does not show");
    }
}
