/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.op.OpsPoster;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongToDoubleFunction;

/**
 * Steps that a proxy copies from its kernel's buffer into shared memory, where the kernel of another process finds
 * them. Both kernels move control words only. Or, for comparison, one thread that copies the same slots, and does
 * nothing else.
 */
final class ShmCopyRig {
    /** In the last slice of a run, and in no other. */
    private static final long LAST = 0x1a57;
    private static final int IDLE_SPINS = 100_000;
    private static final int STEPS_PER_OP = 512;

    private final RigArguments arguments;
    private long opCount;

    ShmCopyRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws IOException {
        try (PeerJvm peer = PeerJvm.of("shmcopy", arguments.words()); ShmEnd end = new ShmEnd(0, arguments, peer)) {
            if (arguments.isTrue("alone")) {
                DeviceConnection send = end.send();
                try (DeviceMemory target = target(end, send.buffer(Protocol.SIMPLE).byteSize())) {
                    return measure(bytes -> copy(send, target.segment(), bytes, arguments.nanos("seconds")));
                }
            }
            try (OpsPoster poster = end.proxy().poster()) {
                return measure(bytes -> run(peer, end, poster, bytes, arguments.nanos("seconds")));
            }
        }
    }

    /** Such memory as segments are of, where there is some. */
    private static DeviceMemory target(ShmEnd end, long bytes) {
        Device device = end.proxy().device();
        return device.capabilities().contains(DeviceCapability.SHAREABLE_MEMORY) ? device.allocateShareable(bytes)
                : device.allocate(bytes);
    }

    /** Once more than is counted, for the compilers. */
    private Measurements measure(LongToDoubleFunction run) {
        Measurements found = new Measurements();
        long warmupNs = arguments.nanos("warmup") / arguments.sizes().size();
        for (long bytes : arguments.sizes()) {
            WarmUp.run(warmupNs, () -> run.applyAsDouble(bytes));
        }
        for (long bytes : arguments.sizes()) {
            found.add(Long.toString(bytes), "gbs", run.applyAsDouble(bytes));
        }
        return found;
    }

    /** Bytes a nanosecond. */
    private double run(PeerJvm peer, ShmEnd end, OpsPoster poster, long bytes, long durationNs) {
        peer.tell("consume");
        StreamRate rate = new StreamRate(durationNs);
        long limit = System.nanoTime() + StreamRate.sendingNs(durationNs);
        while (System.nanoTime() - limit < 0) {
            send(end, poster, STEPS_PER_OP, bytes);
            rate.add(STEPS_PER_OP * bytes);
        }
        DeviceConnection kernel = end.send();
        long slot = kernel.slotOffset(Protocol.SIMPLE, kernel.step());
        kernel.buffer(Protocol.SIMPLE).set(ValueLayout.JAVA_LONG, slot, LAST);
        send(end, poster, 1, Long.BYTES);
        kernel.buffer(Protocol.SIMPLE).set(ValueLayout.JAVA_LONG, slot, 0);
        peer.line();
        return rate.perNs();
    }

    private void send(ShmEnd end, OpsPoster poster, int steps, long bytes) {
        DeviceConnection kernel = end.send();
        poster.append(++opCount).connection(end.sendId()).peer(1)
                .protocol(Protocol.SIMPLE.ordinal()).sliceSteps(1).chunkSteps(1).nsteps(steps)
                .nbytes(kernel.stepBytes(Protocol.SIMPLE));
        poster.post();
        long last = kernel.step() + steps;
        while (kernel.step() < last) {
            long step = kernel.step();
            if (end.hasCredit()) {
                kernel.recvMem().size((int) (step % DeviceConnection.STEPS), bytes);
                kernel.recvMem().tail(step + 1);
                kernel.step(step + 1);
            }
            end.proxy().invoke();
        }
        while (kernel.sendMem().head() < last || poster.outstanding() > 0) {
            end.proxy().invoke();
        }
    }

    /** The other end of {@link #run}. Looks at the data only when no more come. */
    static void consume(ShmEnd end) {
        DeviceConnection kernel = end.recv();
        MemorySegment slots = kernel.buffer(Protocol.SIMPLE);
        long first = kernel.step();
        for (int spins = 0; !isLast(kernel, slots, first, spins); spins++) {
            long step = kernel.step();
            if (kernel.recvMem().tail() > step) {
                kernel.step(step + 1);
                kernel.sendMem().head(step + 1);
                spins = 0;
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private static boolean isLast(DeviceConnection kernel, MemorySegment slots, long first, int spins) {
        return spins > IDLE_SPINS && kernel.step() > first && slots.get(ValueLayout.JAVA_LONG,
                kernel.slotOffset(Protocol.SIMPLE, kernel.step() - 1)) == LAST;
    }

    private static double copy(DeviceConnection send, MemorySegment target, long bytes, long durationNs) {
        MemorySegment source = send.buffer(Protocol.SIMPLE);
        StreamRate rate = new StreamRate(durationNs);
        long limit = System.nanoTime() + StreamRate.sendingNs(durationNs);
        while (System.nanoTime() - limit < 0) {
            for (int step = 0; step < STEPS_PER_OP; step++) {
                long slot = send.slotOffset(Protocol.SIMPLE, step);
                MemorySegment.copy(source, slot, target, slot, bytes);
            }
            rate.add(STEPS_PER_OP * bytes);
        }
        return rate.perNs();
    }
}
