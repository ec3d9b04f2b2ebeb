/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.core.transport.CopyProgress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copy-engine mode, driven by hand over streams that are slow. */
class CopyProgressTest {
    private static final int IDLE_PASSES = 100_000;

    @TempDir
    Path folder;

    private final TestHost host = new TestHost();
    private final Random random = new Random(20_261_122);
    private SlowDevice fromDevice;
    private SlowDevice toDevice;
    private TestProxy from;
    private TestProxy to;
    private final List<TestEnd> senders = new ArrayList<>();
    private final List<TestEnd> receivers = new ArrayList<>();
    private final List<Long> sizes = new ArrayList<>();

    private void open(int mode, int channels, Map<String, String> options) {
        Map<String, String> all = new java.util.HashMap<>(options);
        all.put("shm.use.memcpy", "1");
        all.put("shm.memcpy.mode", Integer.toString(mode));
        all.put("buffer.bytes", "32768");
        all.put("ll.buffer.bytes", "1024");
        all.put("ll128.buffer.bytes", "1024");
        fromDevice = new SlowDevice(0, random);
        toDevice = new SlowDevice(1, random);
        from = new TestProxy(0, host, fromDevice, folder, all);
        to = new TestProxy(1, host, toDevice, folder, all);
        for (int channel = 0; channel < channels; channel++) {
            TestEnd sender = from.end(Direction.SEND, 1, channel);
            TestEnd receiver = to.end(Direction.RECV, 0, channel);
            TestEnd.connect(sender, receiver);
            senders.add(sender);
            receivers.add(receiver);
        }
    }

    @AfterEach
    void close() {
        fromDevice.worksWhenAsked = true;
        toDevice.worksWhenAsked = true;
        from.close();
        to.close();
        assertEquals(0, fromDevice.events + toDevice.events);
        assertEquals(0, fromDevice.streams.size() + toDevice.streams.size());
    }

    @ParameterizedTest
    @CsvSource({"1, 1, true, false", "2, 2, false, true", "3, 1, true, true"})
    void shouldStandOnlyWhereTheModeSays(int mode, String locality, boolean atSender, boolean atReceiver) {
        open(mode, 1, Map.of("shm.locality", locality));
        assertEquals(atSender, from.transport.progress(Direction.SEND) != null);
        assertEquals(atReceiver, from.transport.progress(Direction.RECV) != null);
        DeviceConnection sender = senders.getFirst().kernelEnd;
        DeviceConnection receiver = receivers.getFirst().kernelEnd;
        assertFalse(sender.isDirect(Protocol.SIMPLE), "the proxy needs the sizes");
        assertEquals(!atReceiver, receiver.isDirect(Protocol.SIMPLE));
        for (DeviceConnection end : List.of(sender, receiver)) {
            assertTrue(end.isDirect(Protocol.LL) && end.isDirect(Protocol.LL128));
        }
        sender.buffer(Protocol.LL).setString(0, "LL is direct");
        assertEquals("LL is direct", receiver.buffer(Protocol.LL).getString(0));
    }

    /** Sub counts, with each mode, and slices that the CPU copies, or a stream, or now this and now that. */
    @ParameterizedTest
    @CsvSource({"1, 1, 0", "2, 1, 0", "3, 1, 0", "3, 2, 2000", "1, 7, 1000000", "3, 16, 3000", "2, 17, 0",
            "3, 64, 1000"})
    void shouldCarryEveryScheduleOfEveryGroup(int mode, int channels, String cpuBytes) {
        open(mode, channels, Map.of("shm.cpu.copy.bytes", cpuBytes, "shm.locality", channels % 2 == 0 ? "1" : "2"));
        for (int round = 0; round < 2 + 40 / channels; round++) {
            int slice = 1 << random.nextInt(3);
            int chunk = slice << random.nextInt(2);
            int nsteps = slice * (1 + random.nextInt(20));
            run(slice, chunk, nsteps);
        }
        assertEquals(streamed(mode, Long.parseLong(cpuBytes)), fromDevice.copies + toDevice.copies);
    }

    /** How many slices streams had to copy: each one once, or twice if both proxies copy. */
    private long streamed(int mode, long cpuBytes) {
        return sizes.stream().filter(bytes -> bytes > cpuBytes && bytes > 0).count() * Integer.bitCount(mode);
    }

    private void run(int slice, int chunk, int nsteps) {
        ProxyArgs send = op(senders, nsteps, slice, chunk);
        ProxyArgs recv = op(receivers, nsteps, slice, chunk);
        List<TestKernel> kernels = new ArrayList<>();
        for (int i = 0; i < senders.size(); i++) {
            long seed = random.nextLong();
            kernels.add(new TestKernel(senders.get(i).kernelEnd, true, nsteps, slice, chunk, seed));
            kernels.getLast().sizes = sizes;
            kernels.add(new TestKernel(receivers.get(i).kernelEnd, false, nsteps, slice, chunk, seed));
        }
        int idle = 0;
        while (!isOver(send) || !isOver(recv) || kernels.stream().anyMatch(kernel -> !kernel.isDone())) {
            int moved = 0;
            switch (random.nextInt(5)) {
                case 0 -> moved = pass(from, send);
                case 1 -> moved = pass(to, recv);
                case 2 -> fromDevice.work();
                case 3 -> toDevice.work();
                default -> moved = kernels.get(random.nextInt(kernels.size())).step() ? 1 : 0;
            }
            idle = moved > 0 ? 0 : idle + 1;
            assertTrue(idle < IDLE_PASSES, () -> send + " | " + recv + " | " + kernels);
        }
    }

    private static ProxyArgs op(List<TestEnd> ends, int nsteps, int slice, int chunk) {
        if (ends.getFirst().proxy.transport.progress(ends.getFirst().connection.direction()) == null) {
            return null;
        }
        ProxyArgs args = ProxyArgs.of(ends.getFirst().connection, 2, nsteps, slice, chunk, 1);
        ends.stream().skip(1).forEach(end -> args.add(end.connection, nsteps, 1));
        return args;
    }

    private static boolean isOver(ProxyArgs args) {
        return args == null || args.state == State.NONE;
    }

    /** Also checks what a pass must leave true. */
    private static int pass(TestProxy proxy, ProxyArgs args) {
        if (isOver(args)) {
            return 0;
        }
        int moved = proxy.advance(args);
        assertTrue(moved >= 0, () -> args.toString());
        assertTrue(CopyProgress.isOrdered(args), () -> args.toString());
        int done = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            done += args.sub(i).isDone() ? 1 : 0;
        }
        assertEquals(done, args.done);
        return moved;
    }

    @Test
    void shouldHaveEightStepsUnderWay() {
        open(1, 1, Map.of("shm.cpu.copy.bytes", "0"));
        ProxyArgs send = op(senders, 16, 1, 1);
        DeviceConnection kernel = senders.getFirst().kernelEnd;
        for (int step = 0; step < 16; step++) {
            // The second eight steps are none that a sound kernel would write before it has credits.
            for (int pass = 0; pass < 1000 && send.sub(0).transmitted < step; pass++) {
                from.advance(send);
            }
            kernel.recvMem().size(step % 8, 100);
            kernel.recvMem().tail(step + 1);
        }
        assertEquals(8, send.sub(0).transmitted);
        assertEquals(0, send.sub(0).done);
        assertEquals(0, from.advance(send), "nothing moves, so the thread may rest");
        assertEquals(0, receivers.getFirst().kernelEnd.recvMem().tail(), "no copy is done");
    }

    @ParameterizedTest
    @ValueSource(strings = {"LL", "LL128"})
    void shouldCountTheStepsOfOtherProtocolsAtOnce(Protocol protocol) {
        open(3, 2, Map.of());
        ProxyArgs lines = op(senders, 5, 1, 1).protocol(protocol);
        assertEquals(2, from.advance(lines));
        assertEquals(State.NONE, lines.state);
        assertEquals(5, lines.sub(1).done);
        ProxyArgs next = op(senders, 4, 2, 4);
        from.advance(next);
        assertEquals(8, next.sub(0).base, "rounded up to a chunk behind the five steps");
        assertEquals(8, next.sub(1).base);
    }

    @Test
    void shouldFailAnOpWhoseStreamFailsAndNameIt() {
        open(1, 2, Map.of("shm.cpu.copy.bytes", "0"));
        ProxyArgs send = op(senders, 4, 1, 1);
        senders.get(1).kernelEnd.recvMem().size(0, 100);
        senders.get(1).kernelEnd.recvMem().tail(1);
        assertEquals(1, from.advance(send));
        fromDevice.failure = ProxyResult.UNHANDLED_DEVICE_ERROR;
        assertEquals(-ProxyResult.UNHANDLED_DEVICE_ERROR.code(), from.advance(send));
    }

    @ParameterizedTest
    @ValueSource(longs = {-2, 4097, Long.MIN_VALUE, Long.MAX_VALUE})
    void shouldFailAnOpWhosePeerTellsOfASizeThatCannotBe(long bytes) {
        open(2, 1, Map.of());
        ProxyArgs recv = op(receivers, 4, 1, 1);
        senders.getFirst().kernelEnd.recvMem().size(0, bytes);
        senders.getFirst().kernelEnd.recvMem().tail(1);
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), to.advance(recv));
    }

    @Test
    void shouldRefuseSlicesThatDoNotFitTheSlots() {
        open(1, 1, Map.of());
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), from.advance(op(senders, 6, 3, 3)));
        assertEquals(-ProxyResult.INVALID_ARGUMENT.code(), from.advance(op(senders, 6, 2, 3)));
    }

    @Test
    void shouldFreeWhatIsUnderWay() {
        open(3, 3, Map.of("shm.cpu.copy.bytes", "0"));
        ProxyArgs send = op(senders, 8, 1, 1);
        for (TestEnd sender : senders) {
            sender.kernelEnd.recvMem().size(0, 4096);
            sender.kernelEnd.recvMem().tail(1);
        }
        for (int i = 0; i < 50; i++) {
            from.advance(send);
        }
        ProxySubArgs sub = send.sub(0);
        assertEquals(1, sub.transmitted);
        assertNotNull(sub.connection.resources());
        fromDevice.worksWhenAsked = true;
        senders.forEach(TestEnd::free);
        assertNull(sub.connection.resources());
    }
}
