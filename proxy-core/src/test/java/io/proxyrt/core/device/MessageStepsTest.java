/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessageStepsTest {
    private static final int SLOT = 64;
    private static final ProxyException LOSS = new ProxyException(ProxyResult.REMOTE_ERROR, "rank 1 is gone");

    private final MemorySegment words = memory(SendMem.WORDS_BYTES);
    private final MemorySegment fifo = memory(RecvMem.WORDS_BYTES);
    private final MemorySegment slots = memory(DeviceConnection.STEPS * SLOT);
    private final DeviceConnection sender = direct();
    private final DeviceConnection receiver = direct();

    private DeviceConnection direct() {
        return DeviceConnection.direct(new SendMem(words), new RecvMem(fifo), null, null, slots).with("rank 1", false);
    }

    @Test
    void shouldCountSteps() {
        assertEquals(1, MessageSteps.count(0, SLOT));
        assertEquals(1, MessageSteps.count(SLOT, SLOT));
        assertEquals(2, MessageSteps.count(SLOT + 1, SLOT));
    }

    @Test
    void shouldCarryMessagesOfAnySizeOneAfterTheOther() {
        Random random = new Random(7);
        for (int bytes : new int[] {0, 1, SLOT, SLOT + 1, 20 * SLOT - 3, 5, 100 * SLOT}) {
            byte[] noise = new byte[bytes];
            random.nextBytes(noise);
            MemorySegment to = MemorySegment.ofArray(new byte[bytes]);
            MessageSteps send = MessageSteps.sending(sender, MemorySegment.ofArray(noise));
            MessageSteps receive = MessageSteps.receiving(receiver, to);
            while (!receive.isDone()) {
                assertTrue(send.advance() + receive.advance() > 0);
            }
            assertTrue(send.isDone());
            assertEquals(-1, to.mismatch(MemorySegment.ofArray(noise)));
        }
    }

    @Test
    void shouldWaitForCreditAndForData() {
        MessageSteps receive = MessageSteps.receiving(receiver, memory(9L * SLOT));
        assertEquals(0, receive.advance());
        assertEquals("receive of 576 bytes waits for step 1 from rank 1", receive.toString());
        MessageSteps send = MessageSteps.sending(sender, memory(9L * SLOT));
        assertEquals("send of 576 bytes moves", send.toString());
        assertEquals(DeviceConnection.STEPS, send.advance());
        assertEquals(0, send.advance());
        assertEquals("send of 576 bytes waits for credit for step 9 from rank 1", send.toString());
        assertFalse(send.isDone());
        assertEquals(DeviceConnection.STEPS, receive.advance());
        assertEquals(1, send.advance());
        assertEquals(1, receive.advance());
        assertEquals("receive of 576 bytes is done", receive.toString());
    }

    @Test
    void shouldSayWhyItWaitsInVain() {
        MessageSteps receive = MessageSteps.receiving(receiver, memory(SLOT));
        assertNull(receive.whyHopeless());
        receiver.lose(LOSS);
        assertSame(LOSS, receive.whyHopeless());
        MessageSteps send = MessageSteps.sending(sender, memory(9L * SLOT));
        sender.lose(LOSS);
        assertNull(send.whyHopeless(), "there is credit");
        send.advance();
        assertSame(LOSS, send.whyHopeless());
        assertNull(receive.whyHopeless(), "what was sent before is there");
        receive.advance();
        assertNull(receive.whyHopeless());
    }

    @Test
    void shouldTellAProxyOfSizeAndPlace() {
        RecvMem recvMem = new RecvMem(fifo);
        recvMem.reset(RecvMem.MODE_NORMAL);
        DeviceConnection proxied = DeviceConnection.dedicated(new SendMem(words), recvMem, null, null, slots);
        MessageSteps.sending(proxied, memory(SLOT + 5)).advance();
        assertEquals(SLOT, recvMem.size(0));
        assertEquals(5, recvMem.size(1));
        assertEquals(RecvMem.MODE_NORMAL, recvMem.mode(1));
        assertEquals(2, recvMem.tail());
    }

    @Test
    void shouldTakeTheSlotOfAPoolThatTheProxySays() {
        RecvMem recvMem = new RecvMem(fifo);
        recvMem.reset(RecvMem.MODE_OFFSET);
        DeviceConnection shared = DeviceConnection.shared(new SendMem(words), recvMem, null, slots, SLOT);
        new SendMem(words).head(-DeviceConnection.STEPS);
        MessageSteps send = MessageSteps.sending(shared, memory(3).fill((byte) 7));
        assertEquals(0, send.advance(), "no credit yet");
        recvMem.place(0, RecvMem.MODE_OFFSET, 3 * SLOT, 0);
        new SendMem(words).head(1 - DeviceConnection.STEPS);
        assertEquals(1, send.advance());
        assertEquals(RecvMem.MODE_OFFSET, recvMem.mode(0));
        assertEquals(-1, slots.asSlice(3 * SLOT, 3).mismatch(memory(3).fill((byte) 7)));
    }

    @Test
    void shouldMoveAllMessagesOfAKernelAgainAndAgain() {
        MemorySegment out = memory(1000);
        MemorySegment in = memory(1000);
        MessageKernel kernel = new MessageKernel(List.of(MessageSteps.receiving(receiver, in),
                MessageSteps.sending(sender, out)));
        HostStream stream = new HostStream("stream");
        for (byte round = 1; round < 20; round++) {
            out.fill(round);
            stream.launch(kernel);
            assertTrue(kernel.toString().startsWith("2 messages, the first that is left: receive of 1000"),
                    kernel::toString);
            while (stream.outstanding() > 0) {
                assertTrue(stream.doWork() > 0);
            }
            assertEquals(-1, in.mismatch(out));
        }
    }

    @Test
    void shouldGiveUpAKernelWhosePeerIsGone() {
        MessageKernel kernel = new MessageKernel(List.of(MessageSteps.receiving(receiver, memory(SLOT))));
        HostStream stream = new HostStream("stream");
        stream.launch(kernel);
        receiver.lose(LOSS);
        for (int pass = 0; stream.outstanding() > 0; pass++) {
            assertTrue(pass < 1000);
            stream.doWork();
        }
        assertTrue(stream.failure().getMessage().startsWith("rank 1 is gone"), stream.failure().getMessage());
        assertTrue(stream.failure().getMessage().contains("receive of 64 bytes waits for step 1 from rank 1"),
                stream.failure().getMessage());
    }

    @Test
    void shouldRefuseAConnectionWithoutSlotsOfTheHost() {
        DeviceConnection gpu = DeviceConnection.direct(new SendMem(words), new RecvMem(fifo), null, null, null);
        ProxyException e = assertThrows(ProxyException.class, () -> MessageSteps.sending(gpu, memory(1)));
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    private static MemorySegment memory(long bytes) {
        return Arena.ofAuto().allocate(bytes, 64);
    }
}
