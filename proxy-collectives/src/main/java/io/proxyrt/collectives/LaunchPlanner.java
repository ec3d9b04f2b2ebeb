/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.MessagePart;
import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.collectives.msccl.AlgorithmFile;
import io.proxyrt.collectives.msccl.AlgorithmFiles;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.lang.foreign.MemorySegment;

/**
 * Chooses how a collective is carried out, by its size. All ranks have to choose alike, except for registration, which
 * changes nothing on the wire.
 */
final class LaunchPlanner {
    /** What a reader's cache takes in about as fast as a sender copies. */
    private static final long MOST_REDUCED_IN_PLACE = 256 << 10;

    private final int rank;
    private final UserMemory memory;
    private ProxyConfig config;
    private Allowed<Algorithm> allowed;
    private final TuningProfile profile;
    /** For as many ranks as there are. */
    private final AlgorithmFiles files;
    private final int nRanks;
    private final boolean canGoByNodes;
    private Ring[] rings;
    private HostPath path;
    /** Null if kernels run on a GPU. */
    private AlgorithmChoice algorithms;
    /** Null if kernels run on the host. */
    private GpuChoice gpuChoice;
    private final long gatherBytes;
    private final long registeredBytes;
    private final long llBytes;
    private final long ll128Bytes;
    /** The same of a rank's part; -1 if that is of no account. */
    private final long partLl128Bytes;
    private final Allowed<Protocol> protocols;
    private long wholeChunk;
    private RegisteredMemory sendMemory;
    private RegisteredMemory recvMemory;

    /** For kernels of the host, and what all rings go by, at every rank. */
    static LaunchPlanner ofHost(ProxyConfig config, RingSetup setup, Ring[] rings, HostPath path,
            UserMemory memory) {
        return new LaunchPlanner(config, setup, rings, path, memory);
    }

    /** For kernels of a GPU: they know rings, slots, and the registered memory that they reach. */
    static LaunchPlanner ofGpu(CommunicatorParts parts) {
        return new LaunchPlanner(parts.config, parts.setup.rank(), parts.setup.nRanks(), parts.setup.nodes(),
                parts.setup.path(), parts.memory, parts.rings);
    }

    /** As {@link #ofGpu(CommunicatorParts)}. */
    LaunchPlanner(ProxyConfig config, int rank, int nRanks, Nodes nodes, GpuPath path, UserMemory memory,
            Ring... rings) {
        this.rank = rank;
        this.memory = memory;
        this.canGoByNodes = false;
        this.config = config;
        this.allowed = config.get(CollectivesOptions.ALGORITHM);
        this.profile = TuningProfile.NONE;
        this.files = AlgorithmFiles.NONE;
        this.nRanks = nRanks;
        this.gpuChoice = new GpuChoice(config, nRanks, nodes, path);
        this.rings = rings;
        this.gatherBytes = -1;
        this.registeredBytes = registeredBytes(config);
        long wanted = config.get(CollectivesOptions.LL_BYTES);
        this.llBytes = wanted >= 0 || path == null ? wanted : path.llBytes(config);
        long wanted128 = config.get(CollectivesOptions.LL128_BYTES);
        this.ll128Bytes = wanted128;
        this.partLl128Bytes = wanted128 >= 0 || path == null ? -1 : path.ll128Bytes(config);
        this.protocols = config.get(CollectivesOptions.PROTOCOL);
        this.wholeChunk = RingGeometry.WHOLE_CHUNK_BYTES;
    }

    private LaunchPlanner(ProxyConfig config, RingSetup setup, Ring[] rings, HostPath path, UserMemory memory) {
        this.rank = setup.rank();
        this.memory = memory;
        this.config = config;
        this.allowed = config.get(CollectivesOptions.ALGORITHM);
        this.profile = setup.tuning().profile();
        this.files = setup.tuning().files().of(setup.nRanks());
        this.nRanks = setup.nRanks();
        this.canGoByNodes = Hierarchical.isFor(setup.nodes());
        this.gatherBytes = config.get(CollectivesOptions.GATHER_BYTES);
        this.registeredBytes = registeredBytes(config);
        this.llBytes = config.get(CollectivesOptions.LL_BYTES);
        this.ll128Bytes = config.get(CollectivesOptions.LL128_BYTES);
        this.partLl128Bytes = -1;
        this.protocols = config.get(CollectivesOptions.PROTOCOL);
        connected(rings, path);
    }

    /** The rings are there, and this is what all of them go by, at every rank. */
    void connected(Ring[] connected, HostPath allGoBy) {
        rings = connected;
        path = allGoBy;
        algorithms = new AlgorithmChoice(config, profile, nRanks, rings, path, canGoByNodes);
        wholeChunk = path == HostPath.SHM ? RingGeometry.WHOLE_CHUNK_BYTES
                : config.get(CollectivesOptions.WHOLE_CHUNK_BYTES);
    }

    /** What kernels of the host may choose from, from here on. */
    void allow(Allowed<Algorithm> others) {
        allowed = others;
        config = config.with(CollectivesOptions.ALGORITHM, others);
        algorithms = new AlgorithmChoice(config, profile, nRanks, rings, path, canGoByNodes);
    }

    private static long registeredBytes(ProxyConfig config) {
        return config.get(CollectivesOptions.REGISTER) ? config.get(CollectivesOptions.REGISTER_BYTES)
                : Long.MAX_VALUE;
    }

    /** What it goes by, for people. */
    String describe() {
        String byProtocol = !protocols.admits(CollFunction.ALL_REDUCE, Protocol.SIMPLE) ? protocols.toString()
                : upTo(protocols.admits(CollFunction.ALL_REDUCE, Protocol.LL) ? llBytes : -1, "LL")
                + upTo(protocols.admits(CollFunction.ALL_REDUCE, Protocol.LL128)
                        ? ll128Bytes(CollFunction.ALL_REDUCE) : -1, "LL128") + "SIMPLE";
        String registered = registeredBytes == Long.MAX_VALUE ? "not used as such"
                : "used as such from " + registeredBytes + " bytes on";
        return byFiles() + "all-reduce by "
                + (algorithms == null ? gpuChoice.describe() : algorithms.describe())
                + upTo(gatherBytes, "gathering") + byNodes() + "a ring; protocol " + byProtocol
                + "; registered memory is " + registered;
    }

    private String byFiles() {
        return files.files().isEmpty() ? "" : "MSCCL files first: " + files.digest() + "; ";
    }

    private String byNodes() {
        long least = algorithms == null ? gpuChoice.leastByNodes() : algorithms.leastByNodes();
        return least == Long.MAX_VALUE ? "" : "from " + least + " bytes on by nodes, else ";
    }

    static String upTo(long bytes, String what) {
        return bytes < 0 ? ""
                : what + " up to " + (bytes == Long.MAX_VALUE ? "any size" : bytes + " bytes") + ", else ";
    }

    /** The files that a communicator may go by; {@link #file} counts them from 1 on. */
    AlgorithmFiles files() {
        return files;
    }

    /** By which file a call goes, from 1 on; 0 if by none. MSCCL's have no steps before or after the reduction. */
    int file(CollFunction function, long bytes, DataType type, ReduceOp op, boolean isInPlace) {
        if (files.files().isEmpty() || op == RedOp.AVG || op instanceof PreMulSum
                || !allowed.admits(function, Algorithm.MSCCL)) {
            return 0;
        }
        for (int i = 0; i < files.files().size(); i++) {
            AlgorithmFile file = files.files().get(i);
            if (file.takes(function, bytes, type.sizeBytes()) && file.isFor(isInPlace)) {
                return i + 1;
            }
        }
        return 0;
    }

    /** How a call of a size will go, if any of that size goes by a file. */
    Algorithm expected(CollFunction function, long bytes) {
        boolean isByFile = allowed.admits(function, Algorithm.MSCCL)
                && files.files().stream().anyMatch(file -> file.takes(function, bytes, 1));
        return isByFile ? Algorithm.MSCCL : algorithm(function, bytes);
    }

    /** How kernels carry a collective out that goes by no file. */
    Algorithm algorithm(CollFunction function, long bytes) {
        return algorithms != null ? algorithms.of(function, bytes) : gpuChoice.of(function, bytes);
    }

    /** Fills in how steps travel that do not go by rings. */
    void planSteps(CollectiveWork work) {
        work.way(protocol(work.function(), work.bytes()), false).wholeChunk(wholeChunk).inPlace(false, false);
    }

    /** All ranks have connected for one shot; or not all of them reach each other, and nothing goes so. */
    void oneShot(boolean isDirect) {
        if (!isDirect) {
            gpuChoice = gpuChoice.withoutOneShot();
        }
    }

    /** Whether an all-reduce in one shot takes two. */
    boolean isInTwoShots(long bytes) {
        return gpuChoice.isInTwoShots(bytes);
    }

    /** Whether GPUs take trees for any all-reduce. */
    boolean usesTrees() {
        return gpuChoice.usesTrees();
    }

    /** Fills in how. */
    void plan(CollectiveWork work) {
        Protocol protocol = protocol(work.function(), work.bytes());
        boolean isGathered = work.function() == CollFunction.ALL_REDUCE && work.bytes() <= gatherBytes;
        boolean mayRegister = algorithms != null && protocol == Protocol.SIMPLE && !isGathered
                && work.bytes() >= registeredBytes && rings.length > 0;
        sendMemory = mayRegister ? memory.find(work.sendBuffer(), work.sendBytes(rank)) : null;
        recvMemory = mayRegister ? memory.find(work.recvBuffer(), work.recvBytes(rank)) : null;
        work.way(protocol, isGathered).wholeChunk(wholeChunk).inPlace(recvMemory != null && recvMemory.ringRecv[0] != 0,
                sendMemory != null && recvMemory != null && !(work.op() instanceof PreMulSum) && placeSend(work));
    }

    /** Whether the successor, or this rank's proxy, takes what is sent from where it is; tells the kernels where. */
    private boolean placeSend(CollectiveWork work) {
        ConnectionEnd next = rings[0].send();
        boolean isDirect = next.sharesMemory();
        if (isDirect && work.function() == CollFunction.REDUCE && work.bytes() > MOST_REDUCED_IN_PLACE) {
            // A sender that leaves its data where they are has nothing else to do, and the reader all of it.
            return false;
        }
        long sendHandle = isDirect ? memory.direct(sendMemory, next) : sendMemory.ringSend[0];
        if (sendHandle == 0) {
            return false;
        }
        long recvHandle = isDirect ? memory.direct(recvMemory, next) : recvMemory.ringSend[0];
        work.places().send(work.sendBuffer(), sendHandle, sendMemory.offset(work.sendBuffer()));
        work.places().recv(work.recvBuffer(), recvHandle, recvMemory.offset(work.recvBuffer()));
        return recvHandle > 0;
    }

    /** Tells a send of the work just planned where the user's memory is. Later stages send from the receive buffer. */
    void registerSend(int channel, ProxyOpEncoder op, CollectiveWork work) {
        if (work.isSendInPlace() && sendMemory.ringSend[channel] != 0) {
            op.reg(1).sendMhandle(sendMemory.ringSend[channel]).sendbuff(sendMemory.offset(work.sendBuffer()))
                    .recvMhandle(recvMemory.ringSend[channel]).recvbuff(recvMemory.offset(work.recvBuffer()));
        }
    }

    /** Tells a receive of the work just planned where the user's memory is. */
    void registerRecv(int channel, ProxyOpEncoder op, CollectiveWork work) {
        if (work.isRecvInPlace()) {
            op.reg(1).recvMhandle(recvMemory.ringRecv[channel]).recvbuff(recvMemory.offset(work.recvBuffer()));
        }
    }

    /** The piece that so much memory lies in, if the network shall take it as it is; else null. */
    RegisteredMemory find(MemorySegment memoryOfUser, long bytes) {
        return bytes >= registeredBytes ? memory.find(memoryOfUser, bytes) : null;
    }

    /** The piece that a message lies in, if the network shall take it from there; else null. */
    RegisteredMemory find(MessagePart part) {
        return part.bytes() >= registeredBytes ? memory.find(part.buffer(), part.offset() + part.bytes()) : null;
    }

    /**
     * The piece that the kernel of the rank before may put parts into as they are; null if all goes by slots, by which
     * two H100s carried out broadcasts and messages faster.
     */
    RegisteredMemory findOffered(CollectiveWork work) {
        boolean isOffered = rings.length > 0 && rings[0].recv().sharesMemory() && work.protocol() == Protocol.SIMPLE
                && !work.isUneven() && switch (work.function()) {
                    case ALL_REDUCE, ALL_GATHER -> work.bytes() >= registeredBytes;
                    default -> false;
                };
        return isOffered ? memory.find(work.recvBuffer(), work.recvBytes(rank)) : null;
    }

    /** The piece that a message lies in, if the peer's kernels shall take it from there, or put it there; else null. */
    RegisteredMemory findShared(ConnectionEnd end, Port port, MessagePart part) {
        boolean isDirect = end.sharesMemory() && port.protocol(part.bytes()) == Protocol.SIMPLE;
        return isDirect ? find(part) : null;
    }

    /** Up to which size LL128 wins. */
    private long ll128Bytes(CollFunction function) {
        return partLl128Bytes < 0 ? ll128Bytes
                : function == CollFunction.ALL_REDUCE ? partLl128Bytes * nRanks : partLl128Bytes;
    }

    private Protocol protocol(CollFunction function, long bytes) {
        boolean isSimple = protocols.admits(function, Protocol.SIMPLE);
        boolean isLl128 = protocols.admits(function, Protocol.LL128);
        boolean isLl = protocols.admits(function, Protocol.LL);
        Protocol wanted = isLl && (bytes <= llBytes || !isLl128 && !isSimple) ? Protocol.LL
                : isLl128 && (bytes <= ll128Bytes(function) || !isSimple) ? Protocol.LL128 : Protocol.SIMPLE;
        return rings.length == 0 || rings[0].send().device().buffer(wanted) != null ? wanted : Protocol.SIMPLE;
    }
}
