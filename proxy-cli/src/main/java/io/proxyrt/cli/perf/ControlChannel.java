/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What ranks have to agree on besides the data, told over the communicator itself, by memory of the host. */
final class ControlChannel implements AutoCloseable {
    private static final int TEXT_BYTES = 256;

    private final Communicator comm;
    private final DeviceMemory memory;
    private final MemorySegment number;

    ControlChannel(Communicator comm) {
        this.comm = comm;
        this.memory = comm.proxy().device().allocateHost((long) TEXT_BYTES * (comm.nRanks() + 1));
        this.number = memory.segment().asSlice(0, Double.BYTES);
    }

    /** Combines a number of each rank; all ranks get the result. */
    double reduce(double mine, RedOp op) {
        number.set(ValueLayout.JAVA_DOUBLE, 0, mine);
        comm.allReduce(number, number, 1, DataType.FLOAT64, op);
        comm.synchronize();
        return number.get(ValueLayout.JAVA_DOUBLE, 0);
    }

    /** Returns as soon as every rank is here: sooner, and closer together, than the bootstrap's barrier does. */
    void barrier() {
        reduce(0, RedOp.SUM);
    }

    /** Gives everybody's text to everybody, by rank; cut to what fits. */
    List<String> gather(String mine) {
        MemorySegment send = memory.segment().asSlice(0, TEXT_BYTES);
        MemorySegment recv = memory.segment().asSlice(TEXT_BYTES);
        MemorySegment.copy(Arrays.copyOf(mine.getBytes(StandardCharsets.UTF_8), TEXT_BYTES), 0, send,
                ValueLayout.JAVA_BYTE, 0, TEXT_BYTES);
        comm.allGather(send, recv, TEXT_BYTES, DataType.INT8);
        comm.synchronize();
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < comm.nRanks(); i++) {
            byte[] bytes = recv.asSlice((long) i * TEXT_BYTES, TEXT_BYTES).toArray(ValueLayout.JAVA_BYTE);
            texts.add(new String(bytes, StandardCharsets.UTF_8).replaceAll("[\0\uFFFD]+$", ""));
        }
        return texts;
    }

    @Override
    public void close() {
        memory.close();
    }
}
