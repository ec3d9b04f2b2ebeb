/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.gpu.ConnectionTable;
import io.proxyrt.collectives.gpu.DevicePrograms;
import io.proxyrt.collectives.gpu.LaunchArguments;
import io.proxyrt.collectives.gpu.LaunchQueue;
import io.proxyrt.collectives.gpu.WaitJudge;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.kernel.RingOrder;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Launches kernels on a GPU. A message is spread over as many channels as it is worth, each with connections of its
 * own; its kernel has a block for each of them and each direction.
 */
final class GpuLauncher implements KernelLauncher {
    /** Streams take a hundred commands and more. */
    private static final int CAPACITY = 32;
    /** Of a launch, at most: of a message both ways by as many channels as there may be. */
    static final int MAX_BLOCKS = 128;

    /** What a message has for each of its channels, unless that is the only one. */
    private static final long LEAST_PART_BYTES = 64 << 10;
    /** What a collective moves for each of its channels, unless that is the only one. */
    private static final long LEAST_CHANNEL_BYTES = 16 << 10;
    /** Of places that kernels look for each time. */
    private static final long ANY_VERSION = -1;
    /** Of a rank that is alone, and copies. */
    private static final int COPY_CHANNELS = 32;

    private final Device device;
    private final LaunchQueue queue;
    private final DevicePrograms programs;
    private final LaunchPlanner planner;
    private final UserMemory memory;
    private final ConnectionTable table;
    private final LaunchOps ops;
    private final Ring[] rings;
    private final RingOrder order;
    private final int rank;
    private final int nRanks;
    /** By channel. */
    private final PeerPorts[] peers;
    /** Those of the table. */
    private final List<ConnectionEnd> ends = new ArrayList<>();
    private final WaitJudge judge = this::whyHopeless;
    private final CollectiveWork work;
    private final LaunchTables tables;
    private final MessageTable messages;
    private final RingGeometry geometry = new RingGeometry();
    private final DeferredOps deferred;
    private int blocks;
    private long partBytes;
    /** The stream that captures launches; null if they are done. */
    private DeviceStream captured;

    /**
     * Puts the rings' connections into the kernels' hands, and has room for those of other ways; messages of the first
     * channel go by the parts' ports.
     */
    GpuLauncher(CommunicatorParts parts, DevicePrograms programs, LaunchPlanner planner, LaunchOps ops,
            int waysEntries) {
        RingSetup setup = parts.setup;
        this.device = parts.proxy.device();
        this.queue = programs.queue();
        this.programs = programs;
        this.planner = planner;
        this.memory = parts.memory;
        this.ops = ops;
        this.deferred = new DeferredOps(parts.poster, parts.failure);
        this.rings = parts.rings;
        this.order = setup.order();
        this.rank = setup.rank();
        this.nRanks = setup.nRanks();
        this.work = new CollectiveWork(nRanks);
        this.tables = new LaunchTables(device, nRanks, CAPACITY);
        this.messages = new MessageTable(tables);
        this.peers = new PeerPorts[rings.length];
        this.table = table(Math.max(1, firstFree() + waysEntries));
        try {
            for (Ring ring : rings) {
                peers[ring.channel()] = ring.channel() == 0 ? parts.peers
                        : new PeerPorts(setup, ring.channel(), setup.messageConnIndex());
                ends.add(ring.recv());
                ends.add(ring.send());
                table.put(2 * ring.channel(), ring.recv().device(), ring.prev());
                table.putPlacing(2 * ring.channel() + 1, ring.send().device(), ring.next());
            }
        } catch (RuntimeException | Error e) {
            queue.close();
            table.close();
            tables.close();
            throw e;
        }
    }

    private ConnectionTable table(int capacity) {
        try {
            return new ConnectionTable(device, queue, capacity);
        } catch (RuntimeException | Error e) {
            tables.close();
            throw e;
        }
    }

    /** Compiles the kernels that reduce nothing, on a queue of their own, and has others compiled meanwhile. */
    static DevicePrograms compile(ProxyState proxy) {
        ProxyConfig config = proxy.config();
        LaunchQueue queue = new LaunchQueue(proxy.device(), "rank " + proxy.rank(), MAX_BLOCKS,
                config.get(CollectivesOptions.GPU_THREADS), config.get(CollectivesOptions.GPU_TIMEOUT));
        try {
            DevicePrograms programs = new DevicePrograms(proxy.device(), queue);
            config.get(CollectivesOptions.GPU_COMPILE_AHEAD).forEach(programs::compileAhead);
            return programs;
        } catch (RuntimeException | Error e) {
            queue.close();
            throw e;
        }
    }

    /** The first entry of the table that rings and messages have no use for. */
    int firstFree() {
        return 2 * rings.length * (1 + nRanks);
    }

    /** All kernels, and what they are given. */
    DevicePrograms programs() {
        return programs;
    }

    /** What kernels are told beside that. */
    LaunchTables tables() {
        return tables;
    }

    @Override
    public int capacity() {
        return CAPACITY;
    }

    /** Whether the kernels are there that some work needs. */
    boolean isLoaded(CollectiveWork wanted) {
        return programs.isLoaded(wanted.type(), wanted.op());
    }

    /** Gets the kernels that some work needs. Blocks, and wants a stream that is idle, at all ranks. */
    void load(CollectiveWork wanted) {
        programs.load(wanted.type(), wanted.op());
    }

    @Override
    public CollectiveWork work() {
        blocks = 0;
        partBytes = 0;
        return work;
    }

    @Override
    public int channels(CollectiveWork wanted) {
        long traffic = wanted.function() == CollFunction.ALL_REDUCE ? wanted.bytes() : wanted.bytes() * nRanks;
        int most = nRanks == 1 ? COPY_CHANNELS : rings.length;
        return Math.clamp(traffic / LEAST_CHANNEL_BYTES, 1, most);
    }

    @Override
    public RingGeometry prepare(int channel, long offset, long bytes) {
        if (bytes > 0) {
            blocks = channel + 1;
            partBytes = Math.max(partBytes, bytes);
        }
        if (bytes > 0 && nRanks > 1) {
            Protocol protocol = work.protocol();
            geometry.compute(work.function(), nRanks, bytes, rings[channel].dataBytes(protocol),
                    protocol == Protocol.SIMPLE ? RingGeometry.MAX_CHUNK_STEPS : 1, work.wholeChunk());
        }
        return geometry;
    }

    @Override
    public void launchCollective() {
        LaunchArguments arguments = programs.ringArguments();
        arguments.set(0, kernelFunction(work.function()).ordinal() | work.protocol().ordinal() << Byte.SIZE
                | (long) work.stamp() << Integer.SIZE);
        arguments.set(1, order.place(rank) | (long) nRanks << Integer.SIZE);
        arguments.set(2, order.place(work.root()) | (long) nRanks << Integer.SIZE);
        setBuffers(arguments, 3, work);
        arguments.set(5, work.bytes());
        arguments.set(6, partBytes);
        arguments.set(7, tables.parts(work, order));
        setScalar(arguments, 8, work);
        setOffer(arguments, 10);
        DeviceConnection send = rings.length == 0 ? null : rings[0].send().device();
        try {
            arguments.set(13, send == null ? 0 : placesVersion(send));
            arguments.set(14, 0);
            launch(programs.ring(work.type(), work.op()), blocks, arguments);
        } finally {
            if (send != null) {
                table.launched(send);
            }
        }
    }

    /** What the rank before may put into the receive buffer. */
    private void setOffer(LaunchArguments arguments, int index) {
        RegisteredMemory piece = planner.findOffered(work);
        long handle = piece == null ? 0 : memory.direct(piece, rings[0].recv());
        arguments.set(index, Math.max(0, handle));
        arguments.set(index + 1, piece == null ? 0 : piece.offset(work.recvBuffer()));
        arguments.set(index + 2, work.recvBytes(rank));
    }

    /** A graph does not know what is deregistered before it is launched. */
    private long placesVersion(DeviceConnection send) {
        long version = table.launching(send);
        return version == 0 || captured == null ? version : ANY_VERSION;
    }

    /** Sets where the input begins, and the output behind it. */
    void setBuffers(LaunchArguments arguments, int index, CollectiveWork of) {
        arguments.set(index, device.deviceAddress(of.sendBuffer(), of.sendBytes(rank)));
        arguments.set(index + 1, device.deviceAddress(of.recvBuffer(), of.recvBytes(rank)));
    }

    /** Sets what this rank's input is multiplied by, and behind it where that lies. */
    void setScalar(LaunchArguments arguments, int index, CollectiveWork of) {
        boolean isScaled = of.op() instanceof PreMulSum;
        PreMulSum scaled = isScaled ? (PreMulSum) of.op() : null;
        boolean isInMemory = isScaled && scaled.isInMemory();
        arguments.set(index, isScaled && !isInMemory ? scaled.bits() : 0);
        arguments.set(index + 1, isInMemory ? device.deviceAddress(scaled.memory(), scaled.type().sizeBytes()) : 0);
    }

    /** Parts of any sizes are told to the kernel apart. */
    static CollFunction kernelFunction(CollFunction function) {
        return switch (function) {
            case ALL_GATHERV -> CollFunction.ALL_GATHER;
            case REDUCE_SCATTERV -> CollFunction.REDUCE_SCATTER;
            default -> function;
        };
    }

    @Override
    public boolean isConnected(int peer) {
        return peers[peers.length - 1].pair(peer) != null;
    }

    @Override
    public void connect(Duration timeout, int... missing) {
        for (int channel = 0; channel < peers.length; channel++) {
            PeerPorts ports = peers[channel];
            int[] now = IntStream.of(missing).filter(peer -> ports.pair(peer) == null).toArray();
            ports.connect(timeout, now);
            for (int peer : now) {
                putPair(channel, peer);
            }
        }
    }

    /** Forgets what the last messages were. */
    void beginMessages() {
        programs.messageArguments().clear();
        messages.begin();
    }

    /** Whether one more end of a message finds room in the launch. */
    boolean hasRoom(Message message) {
        return messages.hasRoom(message.isSend);
    }

    /** Ops that one end of a message takes, at most. */
    int most(Message message) {
        return channels(message.part.bytes());
    }

    /** Adds one end of a message, and appends its ops. */
    void add(Message message) {
        int channels = channels(message.part.bytes());
        long opCount = ops.nextMessage();
        PeerPorts.Pair first = peers[0].pair(message.peer);
        for (int channel = 0; channel < channels; channel++) {
            PeerPorts.Pair pair = peers[channel].pair(message.peer);
            ops.part(opCount, channel, message.isSend ? pair.send() : pair.recv(),
                    message.isSend ? pair.sendPort() : pair.recvPort(), part(message.part.bytes(), channel, channels));
        }
        MessagePart part = message.part;
        messages.add(message.isSend, channels, pairIndex(0, message.peer) + (message.isSend ? 1 : 0),
                address(part.buffer(), part.offset(), part.bytes()), part.bytes(),
                channels | (long) part.stamp() << Integer.SIZE,
                (message.isSend ? first.sendPort() : first.recvPort()).llBytes());
    }

    /** Launches what was added since {@link #beginMessages}; false if that is nothing. */
    boolean launchMessages() {
        int count = messages.finish(programs.messageArguments());
        if (count > 0) {
            launch(programs.message(), count, programs.messageArguments());
        }
        return count > 0;
    }

    /** Launches a copy within the device's memory. */
    void copy(MessagePart from, MemorySegment to, long toOffset) {
        int channels = Math.clamp(from.bytes() / LEAST_CHANNEL_BYTES, 1, COPY_CHANNELS);
        LaunchArguments arguments = programs.ringArguments();
        arguments.clear();
        arguments.set(1, 1L << Integer.SIZE);
        arguments.set(3, address(from.buffer(), from.offset(), from.bytes()));
        arguments.set(4, address(to, toOffset, from.bytes()));
        arguments.set(5, from.bytes());
        arguments.set(6, RingGeometry.share(from.bytes(), channels));
        launch(programs.ring(null, null), channels, arguments);
    }

    /** Launches a kernel of so many blocks, behind what its ops are posted by. */
    void launch(DeviceKernel kernel, int count, LaunchArguments arguments) {
        Runnable before = deferred.take();
        if (captured == null) {
            queue.launch(kernel, count, arguments, table, before);
        } else {
            queue.capture(captured, kernel, count, arguments, table, before);
        }
    }

    /**
     * Has launches become part of what a stream captures; from here on, ops are posted by streams for good. Throws if
     * the stream takes nothing, and all is as it was.
     */
    void beginCapture(DeviceStream stream) {
        queue.beginCapture(stream);
        ops.sink(deferred);
        tables.keep(true);
        captured = stream;
    }

    /** Puts what comes behind all that was captured. */
    void finishCapture() {
        queue.finishCapture(captured);
    }

    /** Launches are done again. */
    void endCapture() {
        captured = null;
        tables.keep(false);
    }

    /** Whether there may be graphs that launch kernels again. */
    boolean hasCaptured() {
        return queue.hasCaptured();
    }

    /** Launches that are not retired. */
    long outstanding() {
        return queue.outstanding();
    }

    /** Puts launches behind what is on a stream. */
    void follow(DeviceStream stream) {
        queue.follow(stream);
    }

    /** Puts what comes on a stream behind launches. */
    void precede(DeviceStream stream) {
        queue.precede(stream);
    }

    /** The number of the last launch. */
    long launched() {
        return queue.launched();
    }

    /** Whether a launch is complete, and all before it. Any thread. */
    boolean isDone(long launch) {
        return queue.isDone(launch);
    }

    /** Changes whenever data move. */
    long moves() {
        return queue.moves();
    }

    /** What was launched and not finished when it was aborted or closed; empty if nothing. */
    String abandoned() {
        return queue.abandoned();
    }

    /** Why a kernel gave up; null if none did. */
    ProxyException failure() {
        return queue.failure();
    }

    /** Why what kernels wait for will never come, unless it is on its way; null if there is no known reason. */
    ProxyException whyHopeless() {
        return queue.whyHopeless(judge);
    }

    /** Of any connection with the peer that way: what becomes of a peer becomes of all of them. */
    private ProxyException whyHopeless(int peer, boolean isCredit) {
        for (int i = 0; i < ends.size(); i++) {
            ConnectionEnd end = ends.get(i);
            if (end.peer() == peer && isCredit == (end.connector().request().direction() == Direction.SEND)) {
                ProxyException why = isCredit ? end.device().whyNoCredit() : end.device().whyNoSteps(Protocol.SIMPLE);
                if (why != null) {
                    return why;
                }
            }
        }
        return null;
    }

    /** What kernels wait for, as far as they tell; empty if they do not. */
    String waits() {
        return queue.waits();
    }

    /** Ends all kernels, those to come too. Any thread. */
    void abort() {
        queue.abort();
    }

    /** Ends all kernels and gives back what they need, once nothing is launched any more. Idempotent, bounded. */
    void close() {
        queue.close();
        table.close();
        tables.close();
        programs.close();
    }

    /** Where so many bytes of a buffer begin for the device; 0 if it does not reach them. */
    long address(MemorySegment buffer, long offset, long bytes) {
        long address = device.deviceAddress(buffer, offset + bytes);
        return address == 0 ? 0 : address + offset;
    }

    /** No more than have something to do: parts are rounded up. Both ends count alike. */
    private int channels(long bytes) {
        long channels = Math.clamp((bytes + LEAST_PART_BYTES - 1) / LEAST_PART_BYTES, 1, peers.length);
        long part = RingGeometry.share(bytes, channels);
        return bytes == 0 ? 1 : (int) ((bytes + part - 1) / part);
    }

    private static long part(long bytes, int channel, int channels) {
        long part = RingGeometry.share(bytes, channels);
        return Math.min(part, bytes - channel * part);
    }

    private int pairIndex(int channel, int peer) {
        return 2 * (peers.length * (1 + peer) + channel);
    }

    private void putPair(int channel, int peer) {
        put(pairIndex(channel, peer), peers[channel].pair(peer));
    }

    /** Gives both connections with a rank to the kernels. */
    void put(int entry, PeerPorts.Pair pair) {
        put(entry, pair.recv(), pair.send());
    }

    /** Gives two connections to the kernels, as one entry and the next. */
    void put(int entry, ConnectionEnd recv, ConnectionEnd send) {
        ends.add(recv);
        ends.add(send);
        table.put(entry, recv.device(), recv.peer());
        table.put(entry + 1, send.device(), send.peer());
    }
}
