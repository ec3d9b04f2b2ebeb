/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** A rank of a communicator. */
final class FaultComm implements FaultRank {
    private static final long COUNT = 16 << 10;

    private final Communicator comm;
    private final MemorySegment data;

    FaultComm(Communicator comm) {
        this.comm = comm;
        this.data = comm.allocate(COUNT * Float.BYTES * comm.nRanks()).segment();
    }

    @Override
    public void round(Misdeed misdeed) {
        switch (misdeed) {
            case OTHER -> comm.allGather(data.asSlice(comm.rank() * COUNT * Float.BYTES, COUNT * Float.BYTES), data,
                    COUNT, DataType.FLOAT32);
            case SIZE -> comm.allReduce(data, data, COUNT / 2, DataType.FLOAT32, RedOp.MAX);
            default -> comm.allReduce(data, data, COUNT, DataType.FLOAT32, RedOp.MAX);
        }
        comm.synchronize();
    }

    @Override
    public String dump() {
        return String.join("; ", comm.proxy().dump().orTimeout(1, TimeUnit.SECONDS).join());
    }

    @Override
    public void close() {
        comm.close();
    }
}
