/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

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
 * Where the parts of a connection lie: the Connect response. Memory is named by the device's id of it, and parts by
 * their offset in bytes.
 *
 * <pre>
 *  version int | control id long | sendMem long | recvMem long | pool id long | pool long | bytes long | slot long
 * </pre>
 *
 * @param controlId memory with the control words
 * @param sendMem   where sendMem begins
 * @param recvMem   where recvMem begins
 * @param poolId    memory with the slots
 * @param pool      where the slots begin
 * @param poolBytes of all slots of all channels
 * @param slotBytes of a slot
 */
record CollNetMap(long controlId, long sendMem, long recvMem, long poolId, long pool, long poolBytes, long slotBytes) {
    static final int BYTES = Integer.BYTES + 7 * Long.BYTES;

    private static final int VERSION = 1;
    private static final int ALIGNMENT = 8;

    void encode(ByteBuffer out) {
        out.putInt(VERSION).putLong(controlId).putLong(sendMem).putLong(recvMem).putLong(poolId).putLong(pool)
                .putLong(poolBytes).putLong(slotBytes);
    }

    /** Undoes {@link #encode}; what the fields mean is checked by {@link #resolve}. */
    static CollNetMap decode(ByteBuffer body) {
        ByteBuffer in = body.slice();
        if (in.remaining() != BYTES || in.getInt() != VERSION) {
            throw broken("has " + body.remaining() + " bytes instead of " + BYTES + ", or another version than "
                    + VERSION);
        }
        return new CollNetMap(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(),
                in.getLong());
    }

    /** What the kernels get; every part is checked to lie within its memory. */
    DeviceConnection resolve(Device device) {
        if (slotBytes <= 0 || poolBytes <= 0 || poolBytes % slotBytes != 0) {
            throw broken("has slots of " + slotBytes + " bytes in " + poolBytes);
        }
        DeviceMemory control = device.memory(controlId);
        DeviceMemory slots = device.memory(poolId);
        SendMem head = new SendMem(part(control.segment(), controlId, sendMem, SendMem.WORDS_BYTES));
        RecvMem tail = new RecvMem(part(control.segment(), controlId, recvMem, RecvMem.WORDS_BYTES));
        MemorySegment all = part(slots.range(), poolId, pool, poolBytes);
        return DeviceConnection.shared(head, tail, null, all, slotBytes).with(new KernelAddresses(
                control.address() + sendMem, control.address() + recvMem, 0, 0, slots.address() + pool));
    }

    private static MemorySegment part(MemorySegment memory, long id, long offset, long bytes) {
        if (offset < 0 || offset % ALIGNMENT != 0 || offset > memory.byteSize() - bytes) {
            throw broken("puts " + bytes + " bytes at " + offset + " of memory " + id + ", which has "
                    + memory.byteSize());
        }
        return memory.asSlice(offset, bytes);
    }

    private static ProxyException broken(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "COLLNET Connect response " + what);
    }
}
