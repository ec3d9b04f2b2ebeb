/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.runtime.Connector;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.testkit.Holdings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every transport must do between two ranks of this JVM, after RCCL's tests of its SHM transport: set up, carry
 * data of any size by every protocol, refuse what is broken, and give everything back. All tests use the same two
 * runtimes.
 */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class TransportConformance {
    private static final long SEED = 20_261_122;
    private static final long STAMP = 0x9e3779b97f4a7c15L;
    private static final int NO_TRANSPORT = 99;

    private TransportPair pair;
    private long opCount;

    /** For subclasses. */
    protected TransportConformance() {
    }

    /**
     * The transport.
     *
     * @return as {@code ProxyState.transports()} names it
     */
    protected abstract String transport();

    /**
     * RCCL's number of it.
     *
     * @return as its provider has it
     */
    protected abstract int transportId();

    /**
     * How it is configured.
     *
     * @return properties, without their prefix
     */
    protected abstract Map<String, String> options();

    /**
     * Whose kernels it serves.
     *
     * @param rank of the runtime
     * @return closed by the suite; null if the runtime opens what it is configured for
     */
    protected Device device(int rank) {
        return null;
    }

    /**
     * Transports that no module provides.
     *
     * @return none, unless the transport is to be tried before it is found by itself
     */
    protected List<ProxyTransportProvider> providers() {
        return List.of();
    }

    /**
     * What is carried at most in one op.
     *
     * @return bytes: more than an int counts, unless that takes too long
     */
    protected long largest() {
        return (1L << 31) + 12_345;
    }

    @BeforeAll
    void start(@TempDir Path directory) {
        pair = new TransportPair(transport(), providers(), directory, options(), device(0), device(1));
    }

    @AfterAll
    void close() {
        pair.close();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void shouldCarryWhatIsWritten(Protocol protocol) {
        TransportLink link = pair.connect(0);
        int slice = protocol == Protocol.SIMPLE ? 2 : 1;
        Random random = new Random(SEED);
        for (int bytes : new int[] {1, 7, 8, 4096, 1 << 20, 3_000_001}) {
            transfer(link, StepOp.of(link.sender(), protocol, slice, 2 * slice, bytes), bytes, random);
        }
        for (int i = 0; i < 50; i++) {
            int bytes = 1 + random.nextInt(20_000);
            transfer(link, StepOp.of(protocol, slice, slice, 1 + random.nextInt(3000), bytes), bytes, random);
        }
    }

    /** A GPU's kernels know nothing of segments. */
    @Test
    void shouldTellKernelsWhereEverythingIs() {
        TransportLink link = pair.connect(0);
        for (DeviceConnection end : List.of(link.sender(), link.receiver())) {
            KernelAddresses addresses = end.addresses();
            assertTrue(addresses.sendMem() != 0 && addresses.sendMem() % Long.BYTES == 0, addresses::toString);
            assertTrue(addresses.recvMem() != 0 && addresses.recvMem() % Long.BYTES == 0, addresses::toString);
            for (Protocol protocol : Protocol.values()) {
                MemorySegment buffer = end.buffer(protocol);
                assertEquals(buffer == null ? 0 : buffer.address(), addresses.buffer(protocol), protocol.name());
            }
        }
        pair.close(link);
    }

    @Test
    void shouldCarryNothing() {
        TransportLink link = pair.connect(0);
        for (int i = 0; i < 20; i++) {
            transfer(link, new StepOp(Protocol.SIMPLE, 1, 1, 1, 4096), 0, new Random(SEED));
        }
        transfer(link, StepOp.of(Protocol.SIMPLE, 1, 1, 4096, 100_000), 100_000, new Random(SEED));
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void shouldCarryToAndFromAnyAddress(Protocol protocol) {
        TransportLink link = pair.connect(0);
        Random random = new Random(SEED);
        try (Arena arena = Arena.ofConfined()) {
            for (int offset = 0; offset < 16; offset++) {
                MemorySegment from = arena.allocate(70_000, 64).asSlice(offset, 65_537);
                MemorySegment to = arena.allocate(70_000, 64).asSlice(15 - offset, 65_537);
                transfer(link, StepOp.of(protocol, 1, 1, 4999, from.byteSize()), from, to, random);
            }
        }
    }

    @Test
    void shouldCarryMoreThanAnIntCounts() {
        TransportLink link = pair.connect(0);
        long total = largest();
        long sliceBytes = link.sender().stepBytes(Protocol.SIMPLE) * 4;
        StepOp op = StepOp.of(Protocol.SIMPLE, 4, 4, sliceBytes, total);
        // The same few bytes again and again, but no two slices alike: only their first word differs.
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(sliceBytes, 8);
            MemorySegment to = arena.allocate(sliceBytes, 8);
            post(link, op);
            StepOp each = new StepOp(Protocol.SIMPLE, 4, 4, 4, sliceBytes);
            for (long at = 0; at < total; at += sliceBytes) {
                from.set(ValueLayout.JAVA_LONG, 0, at * STAMP);
                drive(StepKernel.sending(link.sender(), each, from), StepKernel.receiving(link.receiver(), each, to));
                assertEquals(at * STAMP, to.get(ValueLayout.JAVA_LONG, 0));
            }
            awaitOps();
        }
    }

    @Test
    void shouldServeManyChannelsAtOnce() {
        List<TransportLink> links = new ArrayList<>();
        for (int channel = 0; channel < 8; channel++) {
            links.add(pair.connect(channel));
        }
        Random random = new Random(SEED);
        List<StepKernel> kernels = new ArrayList<>();
        List<MemorySegment> sent = new ArrayList<>();
        for (TransportLink link : links) {
            MemorySegment from = noise(200_000 + random.nextInt(200_000), random);
            StepOp op = StepOp.of(Protocol.SIMPLE, 1, 1, 10_000 + random.nextInt(5000), from.byteSize());
            post(link, op);
            sent.add(from);
            kernels.add(StepKernel.sending(link.sender(), op, from));
            kernels.add(StepKernel.receiving(link.receiver(), op,
                    MemorySegment.ofArray(new byte[(int) from.byteSize()])));
        }
        drive(kernels.toArray(StepKernel[]::new));
        awaitOps();
        for (int i = 0; i < links.size(); i++) {
            assertEquals(-1, sent.get(i).mismatch(kernels.get(2 * i + 1).user), "channel " + i);
        }
    }

    /** What one protocol leaves in its buffer is no flag, and no size, of another's. */
    @Test
    void shouldCarryOneProtocolAfterAnother() {
        TransportLink link = pair.connect(0);
        Random random = new Random(SEED);
        for (int i = 0; i < 100; i++) {
            Protocol protocol = Protocol.values()[random.nextInt(Protocol.values().length)];
            int bytes = 1 + random.nextInt(60_000);
            transfer(link, StepOp.of(protocol, 1, 1 << random.nextInt(3), 1 + random.nextInt(6000), bytes), bytes,
                    random);
        }
    }

    @Test
    void shouldCarryBothWaysAtOnce() {
        TransportLink there = pair.connect(0);
        TransportLink back = pair.connectBack(0);
        Random random = new Random(SEED);
        StepOp op = StepOp.of(Protocol.SIMPLE, 1, 1, 5000, 1_000_003);
        MemorySegment ofZero = noise(1_000_003, random);
        MemorySegment ofOne = noise(1_000_003, random);
        MemorySegment atZero = MemorySegment.ofArray(new byte[1_000_003]);
        MemorySegment atOne = MemorySegment.ofArray(new byte[1_000_003]);
        post(there, op);
        post(back, op);
        drive(StepKernel.sending(there.sender(), op, ofZero), StepKernel.sending(back.sender(), op, ofOne),
                StepKernel.receiving(there.receiver(), op, atOne), StepKernel.receiving(back.receiver(), op, atZero));
        awaitOps();
        assertEquals(-1, ofZero.mismatch(atOne));
        assertEquals(-1, ofOne.mismatch(atZero));
    }

    /** As they do on two devices: nothing orders what they do but the words that they share. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void shouldCarryBetweenKernelsThatRunAtTheSameTime(Protocol protocol) throws InterruptedException {
        TransportLink link = pair.connect(0);
        StepOp op = StepOp.of(protocol, 1, 1, 56, 1_120_000);
        MemorySegment from = noise(1_120_000, new Random(SEED));
        MemorySegment to = MemorySegment.ofArray(new byte[1_120_000]);
        post(link, op);
        StepKernel sender = StepKernel.sending(link.sender(), op, from);
        Thread other = Thread.ofPlatform().start(() -> drive(sender));
        drive(StepKernel.receiving(link.receiver(), op, to));
        other.join();
        awaitOps();
        assertEquals(-1, from.mismatch(to));
    }

    @Test
    void shouldGiveBackWhatFailedSetUpsTook() {
        pair.close(pair.connect(0));
        Holdings before = Holdings.now();
        for (int i = 0; i < 5; i++) {
            Connector send = pair.connector(Direction.SEND, i);
            Connector recv = pair.connector(Direction.RECV, i);
            Connector another = pair.connector(Direction.RECV, i + 10);
            byte[] ofAnother = pair.setUp(another);
            byte[] fromSender = pair.setUp(send);
            pair.setUp(recv);
            assertThrows(ProxyException.class, () -> pair.await(send,
                    send.connect(Arrays.copyOf(ofAnother, ofAnother.length - 1))));
            recv.connect(fromSender);
            pair.await(recv, recv.close());
            pair.await(send, send.close());
            pair.await(another, another.close());
        }
        assertEquals(before, Holdings.now());
    }

    @Test
    void shouldGiveEverythingBack() {
        pair.close(pair.connect(0));
        Holdings before = Holdings.now();
        for (int i = 0; i < 5; i++) {
            TransportLink link = pair.connect(i);
            transfer(link, StepOp.of(Protocol.SIMPLE, 1, 1, 1000, 9000), 9000, new Random(SEED));
            pair.close(link);
        }
        assertEquals(before, Holdings.now());
    }

    @Test
    void shouldBearToBeFreedTwice() {
        TransportLink link = pair.connect(0);
        TransportLink other = pair.connect(1);
        pair.close(link);
        ProxyException twice = assertThrows(ProxyException.class, () -> pair.close(link));
        assertEquals(ProxyResult.INVALID_USAGE, twice.result());

        transfer(other, StepOp.of(Protocol.SIMPLE, 1, 1, 1000, 9000), 9000, new Random(SEED));
    }

    @Test
    void shouldRefuseToConnectWithoutSetUp() {
        long id = pair.ranks.getFirst().client().callBlocking(0, new InitRequest(transportId(), Direction.SEND, 1),
                TransportPair.TIMEOUT).connectionId();
        ProxyException refusal = assertThrows(ProxyException.class, () -> pair.ranks.getFirst().client()
                .callBlocking(id, new ConnectRequest(ByteBuffer.allocate(16)), TransportPair.TIMEOUT));

        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
    }

    @Test
    void shouldRefuseConnectInfoOfAnotherVersionOrConnectionAndConnectAfterAll() {
        Connector send = pair.connector(Direction.SEND, 0);
        Connector recv = pair.connector(Direction.RECV, 0);
        byte[] fromSender = pair.setUp(send);
        byte[] fromReceiver = pair.setUp(recv);
        byte[] newer = fromReceiver.clone();
        newer[versionAt(newer)]++;
        assertRefused(ProxyResult.INVALID_ARGUMENT, send, newer);
        assertRefused(ProxyResult.REMOTE_ERROR, send, new byte[0]);
        assertRefused(ProxyResult.INVALID_USAGE, send,
                ByteBuffer.allocate(Connector.CONNECT_INFO_BYTES).putInt(NO_TRANSPORT).array());
        assertRefused(ProxyResult.INVALID_ARGUMENT, recv, Arrays.copyOf(fromSender, fromSender.length - 1));

        TransportLink link = pair.connect(0, send, recv, fromSender, fromReceiver);
        transfer(link, StepOp.of(Protocol.SIMPLE, 1, 1, 1000, 9000), 9000, new Random(SEED));
    }

    /** The transport's part begins with its version, behind the id and two short texts that begin with lengths. */
    private static int versionAt(byte[] info) {
        return 6 + info[4] + info[5] + 3;
    }

    private void assertRefused(ProxyResult result, Connector connector, byte[] info) {
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> pair.await(connector, connector.connect(info)));
        assertEquals(result, refusal.result(), refusal::toString);
    }

    private void transfer(TransportLink link, StepOp op, int bytes, Random random) {
        transfer(link, op, noise(bytes, random), MemorySegment.ofArray(new byte[bytes]), random);
    }

    private void transfer(TransportLink link, StepOp op, MemorySegment from, MemorySegment to, Random random) {
        from.copyFrom(noise((int) from.byteSize(), random));
        post(link, op);
        drive(StepKernel.sending(link.sender(), op, from), StepKernel.receiving(link.receiver(), op, to));
        awaitOps();
        assertEquals(-1, from.mismatch(to), () -> op.toString());
    }

    private static MemorySegment noise(int bytes, Random random) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return MemorySegment.ofArray(noise);
    }

    /** Tells the proxies that stand at the ends. */
    private void post(TransportLink link, StepOp op) {
        long bytes = link.sender().stepBytes(op.protocol()) * op.slice();
        opCount += 2;
        if (link.send().needsProxy()) {
            post(link.send(), op, bytes);
        }
        if (link.recv().needsProxy()) {
            post(link.recv(), op, bytes);
        }
    }

    private void post(Connector connector, StepOp op, long nbytes) {
        OpsPoster poster = pair.posters.get(connector.request().self().rank());
        poster.append(opCount).connection(connector.connectionId()).peer(connector.request().peer().rank())
                .channelId(connector.request().channelId()).protocol(op.protocol().ordinal()).nsteps(op.nsteps())
                .sliceSteps(op.slice()).chunkSteps(op.chunk()).nbytes(nbytes);
        poster.post();
    }

    /** Kernels take turns until all are done, however long it takes as long as they move. */
    private void drive(StepKernel... kernels) {
        long movedNs = System.nanoTime();
        for (boolean isDone = false; !isDone; ) {
            isDone = true;
            boolean isMoved = false;
            for (StepKernel kernel : kernels) {
                isMoved |= kernel.step();
                isDone &= kernel.isDone();
            }
            if (isMoved) {
                movedNs = System.nanoTime();
            } else {
                Thread.yield();
                assertTrue(System.nanoTime() - movedNs < TransportPair.TIMEOUT.toNanos(), this::failures);
            }
        }
    }

    private void awaitOps() {
        long deadline = System.nanoTime() + TransportPair.TIMEOUT.toNanos();
        while (pair.posters.stream().anyMatch(poster -> poster.outstanding() > 0)) {
            Thread.yield();
            assertTrue(System.nanoTime() - deadline < 0, this::failures);
        }
        assertEquals("", failures());
    }

    private String failures() {
        StringBuilder text = new StringBuilder();
        pair.ranks.forEach(rank -> {
            ProxyException failure = rank.asyncResult().failure();
            text.append(failure == null ? "" : failure.toString());
        });
        return text.toString();
    }
}
