/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Where the parts of a connection lie: RCCL's {@code connectMap}, the Connect response. Each buffer is named by a word:
 * a bank, which is memory that the device knows, and an offset into it. Control words have memory of their own.
 *
 * <pre>
 *   31       30       29     28                    0
 *  +--------+--------+------+-----------------------+
 *  | shared | device | used | offset in bytes       |      0: there is no such part
 *  +--------+--------+------+-----------------------+
 *
 *  version int | sendMem offset int | recvMem offset int | buffer words of LL, LL128, Simple
 *  | stepBytes long, of a shared slot | memory id long, of control words | 4 banks: memory id long
 *  | 3 buffers: bytes long
 * </pre>
 *
 * <p>RCCL's fifth bank, words that a processor maps out of a GPU's memory, is not here: no device offers it yet.
 */
final class ConnectMap {
    /** Memory of a connection, or of several. */
    enum Bank {
        /** The host's. */
        HOST,
        /** The device's own. */
        DEVICE,
        /** The host's, of several connections. */
        SHARED_HOST,
        /** The device's own, of several connections. */
        SHARED_DEVICE
    }

    static final long MAX_OFFSET = (1L << 29) - 1;
    static final int BYTES = 24 + Long.BYTES * (1 + 1 + 4 + 3);

    private static final int VERSION = 3;
    private static final int USED = 1 << 29;
    private static final int BANK_SHIFT = 30;
    private static final int ALIGNMENT = 8;
    private static final int PROTOCOLS = Protocol.values().length;

    private final long[] memoryIds = new long[Bank.values().length];
    private final int[] buffers = new int[PROTOCOLS];
    private final long[] bufferBytes = new long[PROTOCOLS];
    private long controlId;
    private int sendMem;
    private int recvMem;
    private long stepBytes;

    /** Makes a part's word; bank memory is named by {@link #bank}. */
    static int word(Bank bank, long offset) {
        if (offset < 0 || offset > MAX_OFFSET) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "NET: a part of a connection would lie at offset "
                    + offset + " of its memory, beyond the " + MAX_OFFSET + " that can be told; lower "
                    + "proxyrt.ll.buffer.bytes or proxyrt.ll128.buffer.bytes");
        }
        return bank.ordinal() << BANK_SHIFT | USED | (int) offset;
    }

    void bank(Bank bank, DeviceMemory memory) {
        memoryIds[bank.ordinal()] = memory.id();
    }

    void control(DeviceMemory memory, long sendMemOffset, long recvMemOffset) {
        controlId = memory.id();
        sendMem = Math.toIntExact(sendMemOffset);
        recvMem = Math.toIntExact(recvMemOffset);
    }

    void buffer(Protocol protocol, int word, long bytes) {
        buffers[protocol.ordinal()] = word;
        bufferBytes[protocol.ordinal()] = bytes;
    }

    /** Of a slot in the shared pool. */
    void stepBytes(long bytes) {
        stepBytes = bytes;
    }

    void encode(ByteBuffer out) {
        out.putInt(VERSION).putInt(sendMem).putInt(recvMem);
        for (int word : buffers) {
            out.putInt(word);
        }
        out.putLong(stepBytes).putLong(controlId);
        for (long id : memoryIds) {
            out.putLong(id);
        }
        for (long bytes : bufferBytes) {
            out.putLong(bytes);
        }
    }

    /** Undoes {@link #encode}; what the fields mean is checked by {@link #resolve}. */
    static ConnectMap decode(ByteBuffer body) {
        ByteBuffer in = body.slice();
        if (in.remaining() != BYTES || in.getInt() != VERSION) {
            throw broken("has " + body.remaining() + " bytes instead of " + BYTES + ", or another version than "
                    + VERSION);
        }
        ConnectMap map = new ConnectMap();
        map.sendMem = in.getInt();
        map.recvMem = in.getInt();
        for (int i = 0; i < PROTOCOLS; i++) {
            map.buffers[i] = in.getInt();
        }
        map.stepBytes = in.getLong();
        map.controlId = in.getLong();
        for (int i = 0; i < map.memoryIds.length; i++) {
            map.memoryIds[i] = in.getLong();
        }
        for (int i = 0; i < PROTOCOLS; i++) {
            map.bufferBytes[i] = in.getLong();
        }
        return map;
    }

    /** What the kernels get; every part is checked to lie within its memory. */
    DeviceConnection resolve(Device device) {
        DeviceMemory control = device.memory(controlId);
        SendMem head = new SendMem(part(control.segment(), controlId, sendMem, SendMem.WORDS_BYTES, "sendMem"));
        RecvMem tail = new RecvMem(part(control.segment(), controlId, recvMem, RecvMem.WORDS_BYTES, "recvMem"));
        MemorySegment ll = buffer(device, Protocol.LL);
        MemorySegment ll128 = buffer(device, Protocol.LL128);
        MemorySegment simple = buffer(device, Protocol.SIMPLE);
        if (simple == null) {
            throw broken("tells of no Simple buffer");
        }
        if (isShared() && (stepBytes <= 0 || stepBytes > simple.byteSize() || ll128 != null)) {
            throw broken("has slots of " + stepBytes + " bytes in a pool of " + simple.byteSize()
                    + (ll128 == null ? "" : ", and an LL128 buffer"));
        }
        DeviceConnection connection = isShared() ? DeviceConnection.shared(head, tail, ll, simple, stepBytes)
                : DeviceConnection.dedicated(head, tail, ll, ll128, simple);
        return connection.with(new KernelAddresses(control.address() + sendMem, control.address() + recvMem,
                address(device, Protocol.LL), address(device, Protocol.LL128), address(device, Protocol.SIMPLE)));
    }

    private boolean isShared() {
        return buffers[Protocol.SIMPLE.ordinal()] >>> BANK_SHIFT >= Bank.SHARED_HOST.ordinal();
    }

    private MemorySegment buffer(Device device, Protocol protocol) {
        int word = buffers[protocol.ordinal()];
        long bytes = bufferBytes[protocol.ordinal()];
        if (word == 0) {
            return null;
        }
        if ((word & USED) == 0) {
            throw broken("has the word " + Integer.toHexString(word) + " for " + protocol);
        }
        if (bytes < DeviceConnection.STEPS || bytes % DeviceConnection.STEPS != 0) {
            throw broken("has a buffer of " + bytes + " bytes for " + protocol);
        }
        return part(memory(device, word).range(), memoryIds[word >>> BANK_SHIFT], word & MAX_OFFSET, bytes,
                protocol + " buffer");
    }

    /** Of a buffer that was checked. */
    private long address(Device device, Protocol protocol) {
        int word = buffers[protocol.ordinal()];
        return word == 0 ? 0 : memory(device, word).address() + (word & MAX_OFFSET);
    }

    private DeviceMemory memory(Device device, int word) {
        return device.memory(memoryIds[word >>> BANK_SHIFT]);
    }

    private static MemorySegment part(MemorySegment memory, long id, long offset, long bytes, String what) {
        if (offset < 0 || offset % ALIGNMENT != 0 || offset > memory.byteSize() - bytes) {
            throw broken("puts " + what + " of " + bytes + " bytes at " + offset + " of memory " + id + ", which has "
                    + memory.byteSize());
        }
        return memory.asSlice(offset, bytes);
    }

    private static ProxyException broken(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "NET Connect response " + what);
    }
}
