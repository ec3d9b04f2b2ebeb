/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import java.util.ArrayList;
import java.util.List;

/** A group of ops and what must hold of it after each pass. */
final class PassCheck {
    private static final int POSTED = 0;
    private static final int RECEIVED = 1;
    private static final int TRANSMITTED = 2;
    private static final int DONE = 3;

    final ProxyArgs args;
    private final NetScenario scenario;
    private final boolean isSend;
    private final List<TestEnd> ends = new ArrayList<>();
    private final List<long[]> before = new ArrayList<>();
    private final boolean isPooled;

    PassCheck(ProxyArgs args, NetScenario scenario) {
        this.args = args;
        this.scenario = scenario;
        this.isSend = args.sub(0).connection.direction() == Direction.SEND;
        this.isPooled = scenario.isShared() && scenario.protocol() == Protocol.SIMPLE;
    }

    void add(TestEnd end) {
        ends.add(end);
        before.add(new long[4]);
    }

    boolean isOver() {
        return args.state == State.NONE;
    }

    void before() {
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            long[] counters = before.get(i);
            boolean isNew = args.state == State.READY;
            counters[POSTED] = isNew ? 0 : sub.posted;
            counters[RECEIVED] = isNew ? 0 : sub.received;
            counters[TRANSMITTED] = isNew ? 0 : sub.transmitted;
            counters[DONE] = isNew ? 0 : sub.done;
        }
    }

    void after(int moved) {
        if (moved < 0) {
            throw new AssertionError("failed: " + moved);
        }
        long steps = 0;
        int finished = 0;
        int posting = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            long[] was = before.get(i);
            if (hasMoved(sub, was)) {
                steps += isSend ? afterSend(sub, ends.get(i), was) : afterRecv(sub, ends.get(i), was);
                posting += sub.posted > was[POSTED] ? 1 : 0;
            }
            finished += sub.isDone() ? 1 : 0;
        }
        if (posting > 0 && isPooled) {
            assertSlots();
        }
        assertTrue((moved > 0) == (steps > 0), () -> "moved " + moved);
        assertTrue(isSend || posting == 0 || steps == (long) posting * args.sliceSteps(), "one phase a pass");
        assertEquals(finished, args.done);
        assertTrue(finished == args.nsubs() == (args.state == State.NONE));
    }

    private static boolean hasMoved(ProxySubArgs sub, long[] was) {
        return sub.posted != was[POSTED] || sub.received != was[RECEIVED] || sub.transmitted != was[TRANSMITTED]
                || sub.done != was[DONE];
    }

    /** Only the oldest 16 have slots of the pool, and no slot has two users. */
    private void assertSlots() {
        int unfinishedBefore = 0;
        int slots = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            if (sub.posted > sub.done) {
                assertTrue(unfinishedBefore < SharedPool.SLOTS, "only the oldest 16 may post");
                slots |= scenario.usesUser() ? 0 : takeSlots(sub, ends.get(i), slots);
            }
            unfinishedBefore += before.get(i)[DONE] == sub.nsteps ? 0 : 1;
        }
    }

    private long afterSend(ProxySubArgs sub, TestEnd end, long[] was) {
        assertTrue(sub.isSendOrdered(), "the counters are out of order");
        long posted = step(sub.posted - was[POSTED]);
        long transmitted = step(sub.transmitted - was[TRANSMITTED]);
        long done = step(sub.done - was[DONE]);
        assertTrue(posted == 0 || transmitted + done == 0, "one action for a sub and pass");
        assertDepth(sub);
        long head = end.kernelEnd.sendMem().head();
        if (!scenario.isShared() && sub.done > 0) {
            assertEquals(sub.base + sub.done, head, "a dedicated connection gets credit at completion");
        } else if (scenario.isShared() && sub.posted > 0) {
            assertEquals(sub.base + sub.posted - DeviceConnection.STEPS, head, "a shared one gets credit at post");
        }
        return posted + transmitted + done;
    }

    private long afterRecv(ProxySubArgs sub, TestEnd end, long[] was) {
        assertTrue(sub.isRecvOrdered(), "the counters are out of order");
        long posted = step(sub.posted - was[POSTED]);
        long received = step(sub.received - was[RECEIVED]);
        long transmitted = step(sub.transmitted - was[TRANSMITTED]);
        assertDepth(sub);
        if (!scenario.isFlushing() || scenario.protocol() != Protocol.SIMPLE) {
            assertEquals(sub.received, sub.transmitted, "what needs no flush is published at once");
        }
        if (sub.transmitted > 0) {
            assertEquals(sub.base + sub.transmitted, end.kernelEnd.recvMem().tail());
        }
        return posted + received + transmitted + sub.done - was[DONE];
    }

    /** A counter moved by a slice, or not at all. */
    private long step(long moved) {
        assertTrue(moved == 0 || moved == args.sliceSteps(), "a counter moved by something else than a slice");
        return moved;
    }

    private void assertDepth(ProxySubArgs sub) {
        int depth = Math.max(1, Math.min(8, 16 / args.nsubs()));
        int slice = args.sliceSteps();
        assertTrue(sub.posted - sub.done <= (depth + slice - 1) / slice * slice, "too many steps under way");
    }

    /** Slots of the pool that a sub has, as connFifo tells the kernel; none is of another sub. */
    private int takeSlots(ProxySubArgs sub, TestEnd end, int taken) {
        int slots = 0;
        for (long step = sub.base + sub.done; step < sub.base + sub.posted; step += args.sliceSteps()) {
            long index = end.kernelEnd.slotOffset(Protocol.SIMPLE, step) / NetScenario.CHUNK_BYTES;
            int bit = 1 << index % SharedPool.SLOTS;
            assertEquals(end.request.channelId(), index / SharedPool.SLOTS);
            assertEquals(0, (taken | slots) & bit, "a slot of the pool has two users");
            slots |= bit;
        }
        return slots;
    }

    @Override
    public String toString() {
        return args.toString();
    }
}
