/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.Ll128Lines;
import io.proxyrt.core.device.LlLines;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/** Messages of up to a slot from kernel to kernel of two processes, a step each. */
abstract class SlotMessages implements Messages {
    private static final long ALIGNMENT = 128;

    final DeviceConnection sending;
    final DeviceConnection receiving;
    final MemorySegment sendSlots;
    final MemorySegment recvSlots;
    final MemorySegment sendBuffer;
    final MemorySegment recvBuffer;
    private final Protocol protocol;
    private final ShmEnd end;

    private SlotMessages(Protocol protocol, ShmEnd end) {
        this.protocol = protocol;
        this.end = end;
        this.sending = end.send();
        this.receiving = end.recv();
        this.sendSlots = sending.buffer(protocol);
        this.recvSlots = receiving.buffer(protocol);
        this.sendBuffer = Arena.ofAuto().allocate(sending.stepBytes(protocol), ALIGNMENT);
        this.recvBuffer = Arena.ofAuto().allocate(sending.stepBytes(protocol), ALIGNMENT);
    }

    static SlotMessages of(String protocol, ShmEnd end) {
        return switch (Protocol.valueOf(protocol.toUpperCase(Locale.ROOT))) {
            case SIMPLE -> new Simple(end);
            case LL -> new Ll(end);
            case LL128 -> new Ll128(end);
        };
    }

    /** Puts a message into a slot, and says that it is there. */
    abstract void put(long slot, long step, long bytes);

    abstract boolean isThere(long slot, long step, long bytes);

    abstract void take(long slot, long bytes);

    @Override
    public final MemorySegment sendBuffer() {
        return sendBuffer;
    }

    @Override
    public final MemorySegment recvBuffer() {
        return recvBuffer;
    }

    @Override
    public final void send(long bytes) {
        long step = sending.step();
        while (!end.hasCredit()) {
            Thread.onSpinWait();
        }
        put(sending.slotOffset(protocol, step), step, bytes);
        sending.step(step + 1);
    }

    @Override
    public final void receive(long bytes) {
        long step = receiving.step();
        long slot = receiving.slotOffset(protocol, step);
        while (!isThere(slot, step, bytes)) {
            Thread.onSpinWait();
        }
        take(slot, bytes);
        receiving.step(step + 1);
        receiving.sendMem().head(step + 1);
    }

    private static final class Simple extends SlotMessages {
        Simple(ShmEnd end) {
            super(Protocol.SIMPLE, end);
        }

        @Override
        void put(long slot, long step, long bytes) {
            sending.copier().copy(sendBuffer, 0, sendSlots, slot, bytes);
            sending.recvMem().tail(step + 1);
        }

        @Override
        boolean isThere(long slot, long step, long bytes) {
            return receiving.recvMem().tail() > step;
        }

        @Override
        void take(long slot, long bytes) {
            receiving.copier().copy(recvSlots, slot, recvBuffer, 0, bytes);
        }
    }

    private static final class Ll extends SlotMessages {
        Ll(ShmEnd end) {
            super(Protocol.LL, end);
        }

        @Override
        void put(long slot, long step, long bytes) {
            LlLines.pack(sendBuffer, 0, bytes, sendSlots, slot, LlLines.flag(step));
        }

        @Override
        boolean isThere(long slot, long step, long bytes) {
            return LlLines.isReady(recvSlots, slot, LlLines.wireBytes(bytes), LlLines.flag(step));
        }

        @Override
        void take(long slot, long bytes) {
            LlLines.unpack(recvSlots, slot, recvBuffer, 0, bytes);
        }
    }

    private static final class Ll128 extends SlotMessages {
        Ll128(ShmEnd end) {
            super(Protocol.LL128, end);
        }

        @Override
        void put(long slot, long step, long bytes) {
            Ll128Lines.pack(sendBuffer, 0, bytes, sendSlots, slot, Ll128Lines.flag(step));
        }

        @Override
        boolean isThere(long slot, long step, long bytes) {
            return Ll128Lines.isReady(recvSlots, slot, Ll128Lines.wireBytes(bytes), Ll128Lines.flag(step));
        }

        @Override
        void take(long slot, long bytes) {
            Ll128Lines.unpack(recvSlots, slot, recvBuffer, 0, bytes);
        }
    }
}
