/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.device.host.Devices;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/**
 * A kernel bumps a tail in pinned memory, a thread answers in the head: what a proxy's turn costs at least. The kernel
 * notes its clock at each answer; how long a tick is, this thread's clock tells over all of the rounds. {@code pause}
 * are the nanoseconds from the kernel's store to its first look for the answer.
 */
final class GpuPingPongRig {
    private static final String SOURCE = "pingpong.cu";
    private static final int SPINS_PER_LOOK = 1024;
    private static final long LINE_BYTES = 128;
    /** Of the GPU's clock, at 1 to 2 GHz: far more than a round takes, and soon over. */
    private static final long LIMIT_TICKS = 4_000_000_000L;
    /** One for which this thread loses its CPU at the end takes ticks for longer than they are. */
    private static final int CALIBRATIONS = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private final RigArguments arguments;
    private final int rounds;
    private final int pauseNs;

    GpuPingPongRig(RigArguments arguments) {
        this.arguments = arguments;
        this.rounds = arguments.number("rounds");
        this.pauseNs = arguments.number("pause");
    }

    Measurements measure() throws IOException {
        Histogram times = Measurements.histogram();
        ProxyConfig config = RigArguments.set(ProxyConfig.builder(), arguments.options()).build();
        try (Device device = Devices.open(arguments.text("device"), 0, config);
                DeviceModule module = device.compile(SOURCE, source());
                DeviceStream stream = device.stream("proxyrt-pingpong");
                DeviceMemory words = device.allocateHost(2 * LINE_BYTES);
                DeviceMemory clocks = device.allocate((long) rounds * Long.BYTES);
                DeviceMemory seen = device.allocateHost(clocks.bytes())) {
            Kernel kernel = new Kernel(module, stream, words, clocks, rounds);
            double nsPerTick = Double.POSITIVE_INFINITY;
            for (int i = 0; i < CALIBRATIONS; i++) {
                nsPerTick = Math.min(nsPerTick, nsPerTick(kernel.run(0), kernel.seen(seen)));
            }
            long elapsedNs = kernel.run(Math.round(pauseNs / nsPerTick));
            record(times, kernel.seen(seen), elapsedNs);
        }
        Measurements found = new Measurements();
        found.add("rtt", times);
        return found;
    }

    /** Between the first answer and the last so much time has passed. */
    private double nsPerTick(long elapsedNs, MemorySegment clocks) {
        return (double) elapsedNs / (clocks.getAtIndex(JAVA_LONG, rounds - 1) - clocks.get(JAVA_LONG, 0));
    }

    private void record(Histogram times, MemorySegment clocks, long elapsedNs) {
        double nsPerTick = nsPerTick(elapsedNs, clocks);
        for (int i = 1; i < rounds; i++) {
            long ticks = clocks.getAtIndex(JAVA_LONG, i) - clocks.getAtIndex(JAVA_LONG, i - 1);
            times.recordValue(Math.max(0, Math.round(ticks * nsPerTick)));
        }
    }

    private static String source() throws IOException {
        try (InputStream in = GpuPingPongRig.class.getResourceAsStream(SOURCE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private record Kernel(DeviceModule module, DeviceStream stream, DeviceMemory words, DeviceMemory clocks,
            int rounds) {
        /** Returns the nanoseconds from the first answer to the last. */
        long run(long pauseTicks) {
            words.segment().fill((byte) 0);
            clocks.zero(0, clocks.bytes());
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment parameters = arena.allocateFrom(JAVA_LONG, words.address(),
                        words.address() + LINE_BYTES, clocks.address(), rounds, pauseTicks, LIMIT_TICKS);
                int taken = stream.launch(module.kernel("pingPong"), LaunchShape.of(1, 1), parameters);
                if (taken != 1) {
                    throw new IllegalStateException("the kernel was not launched: " + taken + " " + stream.failure());
                }
            }
            long elapsedNs = answer(words.segment());
            stream.synchronize(TIMEOUT);
            return elapsedNs;
        }

        /** The clocks, copied to where this thread reads them. */
        MemorySegment seen(DeviceMemory to) {
            stream.copy(to, 0, clocks, 0, clocks.bytes());
            stream.synchronize(TIMEOUT);
            return to.segment();
        }

        private long answer(MemorySegment memory) {
            long deadline = System.nanoTime() + Rank.PATIENCE.toNanos();
            long first = 0;
            for (long round = 1; round <= rounds; round++) {
                // Pairs with the kernel's store of the tail after its fence.
                for (int spins = 1; (long) WORD.getAcquire(memory, 0L) != round; spins++) {
                    if ((spins & SPINS_PER_LOOK - 1) == 0 && System.nanoTime() - deadline > 0) {
                        throw new IllegalStateException("the kernel stands still in round " + round + " "
                                + stream.failure());
                    }
                }
                // Pairs with the kernel's volatile load of the head.
                WORD.setRelease(memory, LINE_BYTES, round);
                first = round == 1 ? System.nanoTime() : first;
            }
            return System.nanoTime() - first;
        }
    }
}
