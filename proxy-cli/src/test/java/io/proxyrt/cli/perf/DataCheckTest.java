/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataCheckTest {
    private static final int COUNT = 10_000;
    private static final long BYTES = COUNT * 4L;
    private static final Variant FLOATS = new Variant(DataType.FLOAT32, PerfOp.SUM, -1);

    @TempDir
    private Path folder;
    private BootstrapRoot root;
    private Communicator comm;
    private GuardedBuffer send;
    private GuardedBuffer recv;

    @BeforeEach
    void join() {
        root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        comm = Communicator.init(root.id(), 0, 1, ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, folder.toString()).set(CoreOptions.THREADING, ThreadingMode.INVOKER)
                .build());
        DeviceBytes access = new DeviceBytes(comm.proxy().device());
        send = new GuardedBuffer(comm, 2 * BYTES, access);
        recv = new GuardedBuffer(comm, 2 * BYTES, access);
    }

    @AfterEach
    void leave() {
        comm.close();
        root.close();
    }

    @Test
    void shouldFindNothingWrongWithARightResult() {
        for (Placement placement : new Placement[] {outOfPlace(), inPlace()}) {
            DataCheck check = new DataCheck(Collective.ALL_REDUCE, FLOATS, comm);
            for (int i = 0; i < 3; i++) {
                check.prepare(placement);
                reduce(placement);
                assertEquals(0, check.countWrong(placement));
            }
        }
    }

    @Test
    void shouldCountWrongElements() {
        DataCheck check = new DataCheck(Collective.ALL_REDUCE, FLOATS, comm);
        check.prepare(outOfPlace());
        reduce(outOfPlace());
        MemorySegment result = recv.slice(0, BYTES);
        for (int element : new int[] {0, 77, COUNT - 1}) {
            result.setAtIndex(ValueLayout.JAVA_FLOAT, element, 12_345);
        }
        assertEquals(3, check.countWrong(outOfPlace()));
    }

    @Test
    void shouldFindEverythingWrongIfNothingWasDone() {
        DataCheck check = new DataCheck(Collective.ALL_REDUCE, FLOATS, comm);
        check.prepare(outOfPlace());
        assertEquals(COUNT, check.countWrong(outOfPlace()));
    }

    @Test
    void shouldFindTheResultOfAnEarlierCheckWrong() {
        DataCheck check = new DataCheck(Collective.ALL_REDUCE, FLOATS, comm);
        check.prepare(outOfPlace());
        reduce(outOfPlace());
        byte[] earlier = recv.slice(0, BYTES).toArray(ValueLayout.JAVA_BYTE);
        check.prepare(outOfPlace());
        MemorySegment.copy(MemorySegment.ofArray(earlier), 0, recv.slice(0, BYTES), 0, BYTES);
        assertTrue(check.countWrong(outOfPlace()) > COUNT * 0.9);
    }

    @Test
    void shouldCountWordsOverwrittenOnBothSides() {
        DataCheck check = new DataCheck(Collective.ALL_REDUCE, FLOATS, comm);
        check.prepare(outOfPlace());
        reduce(outOfPlace());
        recv.slice(-1, 1).fill((byte) 0);
        recv.slice(-512, 1).fill((byte) 0);
        recv.slice(BYTES, 1).fill((byte) 0);
        recv.slice(BYTES + 504, 8).fill((byte) 0);
        assertEquals(4, check.countWrong(outOfPlace()));
    }

    @Test
    void shouldGuardTheWholeBufferInPlace() {
        Shape shape = Collective.REDUCE_SCATTER.shape(COUNT, 4, 0, 1);
        Placement placement = new Placement(recv, recv, shape, 4, 2 * BYTES);
        DataCheck check = new DataCheck(Collective.REDUCE_SCATTER, FLOATS, comm);
        check.prepare(placement);
        comm.reduceScatter(placement.send(0), placement.recv(0), shape.paramCount(), DataType.FLOAT32, RedOp.SUM);
        comm.synchronize();
        assertEquals(0, check.countWrong(placement));
        recv.slice(shape.sendCount() * 4, 1).fill((byte) 0);
        assertEquals(1, check.countWrong(placement));
    }

    private Placement outOfPlace() {
        return new Placement(send, recv, new Shape(COUNT, COUNT, COUNT, 0, 0, COUNT), 4, 2 * BYTES);
    }

    private Placement inPlace() {
        return new Placement(recv, recv, new Shape(COUNT, COUNT, COUNT, 0, 0, COUNT), 4, 2 * BYTES);
    }

    private void reduce(Placement placement) {
        comm.allReduce(placement.send(0), placement.recv(0), COUNT, DataType.FLOAT32, RedOp.SUM);
        comm.synchronize();
    }
}
