/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.transport.MessageChecks;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The body of a Connect response: where the words and buffers of a connection are. Memory is named by its id at the
 * device.
 *
 * <pre>
 *  version int | is Simple direct int | sendMem, recvMem, LL, LL128, Simple: memory id long, offset long, bytes long
 * </pre>
 */
final class ShmMap {
    static final int BYTES = 8 + 5 * 24;
    private static final int VERSION = 1;
    private static final MessageChecks CHECKS = new MessageChecks("SHM", VERSION);
    private static final int ALIGNMENT = 8;
    private static final int PARTS = 2 + Protocol.values().length;
    private static final int SEND_MEM = 0;
    private static final int RECV_MEM = 1;
    private static final int BUFFERS = 2;

    private final long[] ids = new long[PARTS];
    private final long[] offsets = new long[PARTS];
    private final long[] bytes = new long[PARTS];
    private boolean isSimpleDirect = true;

    void sendMem(DeviceMemory memory, long offset) {
        part(SEND_MEM, memory, offset, SendMem.WORDS_BYTES);
    }

    void recvMem(DeviceMemory memory, long offset) {
        part(RECV_MEM, memory, offset, RecvMem.WORDS_BYTES);
    }

    void buffer(Protocol protocol, DeviceMemory memory, long offset, long length) {
        part(BUFFERS + protocol.ordinal(), memory, offset, length);
    }

    /** A proxy stands between the kernels' Simple buffers. */
    void simpleIsCopied() {
        isSimpleDirect = false;
    }

    private void part(int index, DeviceMemory memory, long offset, long length) {
        ids[index] = memory.id();
        offsets[index] = offset;
        bytes[index] = length;
    }

    void encode(ByteBuffer out) {
        out.putInt(VERSION).putInt(isSimpleDirect ? 1 : 0);
        for (int i = 0; i < PARTS; i++) {
            out.putLong(ids[i]).putLong(offsets[i]).putLong(bytes[i]);
        }
    }

    /** Undoes {@link #encode}; what the fields mean is checked by {@link #resolve}. */
    static ShmMap decode(ByteBuffer body) {
        ByteBuffer in = CHECKS.begin(body, BYTES, BYTES, "Connect response");
        ShmMap map = new ShmMap();
        map.isSimpleDirect = in.getInt() != 0;
        for (int i = 0; i < PARTS; i++) {
            map.ids[i] = in.getLong();
            map.offsets[i] = in.getLong();
            map.bytes[i] = in.getLong();
        }
        return map;
    }

    /** What the kernels get; every part is checked to lie within its memory. */
    DeviceConnection resolve(Device device) {
        SendMem sendMem = new SendMem(words(device, SEND_MEM, SendMem.WORDS_BYTES, "sendMem"));
        RecvMem recvMem = new RecvMem(words(device, RECV_MEM, RecvMem.WORDS_BYTES, "recvMem"));
        MemorySegment ll = buffer(device, Protocol.LL);
        MemorySegment ll128 = buffer(device, Protocol.LL128);
        MemorySegment simple = buffer(device, Protocol.SIMPLE);
        DeviceConnection connection = isSimpleDirect ? DeviceConnection.direct(sendMem, recvMem, ll, ll128, simple)
                : DeviceConnection.copyEngine(sendMem, recvMem, ll, ll128, simple);
        return connection.with(new KernelAddresses(address(device, SEND_MEM), address(device, RECV_MEM),
                address(device, BUFFERS + Protocol.LL.ordinal()), address(device, BUFFERS + Protocol.LL128.ordinal()),
                address(device, BUFFERS + Protocol.SIMPLE.ordinal())));
    }

    /** Of a part that was checked. */
    private long address(Device device, int index) {
        return device.memory(ids[index]).address() + offsets[index];
    }

    /** The CPU uses them as well. */
    private MemorySegment words(Device device, int index, long least, String what) {
        return part(device.memory(ids[index]).segment(), index, least, what);
    }

    private MemorySegment buffer(Device device, Protocol protocol) {
        int index = BUFFERS + protocol.ordinal();
        return part(device.memory(ids[index]).range(), index, DeviceConnection.STEPS, protocol + " buffer");
    }

    private MemorySegment part(MemorySegment memory, int index, long least, String what) {
        long offset = offsets[index];
        long length = bytes[index];
        if (length < least || length % DeviceConnection.STEPS != 0 || offset < 0 || offset % ALIGNMENT != 0
                || offset > memory.byteSize() - length) {
            throw CHECKS.broken("Connect response puts " + what + " of " + length + " bytes at " + offset
                    + " of memory " + ids[index] + ", which has " + memory.byteSize());
        }
        return memory.asSlice(offset, length);
    }
}
