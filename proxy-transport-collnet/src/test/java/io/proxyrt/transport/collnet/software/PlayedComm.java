/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;

/** A comm towards a switch that the test plays, with the platform beside the JDK's channels and without. */
abstract class PlayedComm {
    static final int BYTES = 4 << 20;
    /** More than the buffers of both sockets take. */
    static final int HUGE_BYTES = 64 << 20;
    static final MemorySegment HUGE = Arena.ofAuto().allocate(HUGE_BYTES);

    @Parameter
    boolean isNative;

    final Arena arena = Arena.ofShared();
    final PlayedSwitch played = new PlayedSwitch();
    final CollNetWindow window = new CollNetWindow();
    MemorySegment source;
    MemorySegment target;
    SwitchComm comm;
    CollNetMemory send;
    CollNetMemory recv;

    @BeforeEach
    void connect() {
        source = arena.allocate(BYTES, 4096);
        target = arena.allocate(BYTES, 4096);
        byte[] content = new byte[1 << 20];
        new Random(1).nextBytes(content);
        MemorySegment.copy(content, 0, source, ValueLayout.JAVA_BYTE, 0, content.length);
        comm = played.connect(platform());
        register();
    }

    @AfterEach
    void close() {
        played.close();
        arena.close();
    }

    Platform platform() {
        return isNative ? Platform.find() : PlayedSwitch.channelsAlone();
    }

    /** Another comm instead of the first, of that rank of so many. */
    void connect(int nRanks, int rank) {
        comm = played.connect(platform(), nRanks, rank);
        register();
    }

    void register() {
        send = comm.regMr(source);
        recv = comm.regMr(target);
    }

    long postHuge() {
        CollNetMemory huge = comm.regMr(HUGE);
        return comm.iallreduce(huge, 0, huge, 0, HUGE_BYTES, DataType.INT8, RedOp.SUM);
    }

    int await(long request) {
        int result = 0;
        while (result == 0) {
            result = comm.test(request);
            PlayedSwitch.turn();
        }
        return result;
    }

    void finish(long request) {
        assertTrue(request > 0, comm.failure());
        assertEquals(1, await(request), comm.failure());
    }

    void assertSent(long offset, ByteBuffer sent) {
        assertEquals(-1, source.asSlice(offset, sent.remaining()).mismatch(MemorySegment.ofBuffer(sent)));
    }

    void assertReceived(long offset, byte[] expected) {
        assertEquals(-1, target.asSlice(offset, expected.length).mismatch(MemorySegment.ofArray(expected)));
    }

    static byte[] bytes(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }
}
