/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.KernelPool;
import io.proxyrt.collectives.kernel.ProgramKernel;
import io.proxyrt.collectives.kernel.ProgramLinks;
import io.proxyrt.collectives.msccl.AlgorithmFile;
import io.proxyrt.collectives.msccl.ProgramBlock;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Collectives by an algorithm of a file. Each channel of it is one of connections; a step takes a slot of one, so a
 * slot holds a piece of as many chunks as the largest step moves.
 */
final class AlgorithmFileWay implements HostWay {
    private final AlgorithmFile algorithm;
    private final StepPorts[] channels;
    private final int rank;
    private final List<ProgramBlock> blocks;
    private final int mostOps;
    /** By block: steps that send, and that receive. */
    private final int[] sendSteps;
    private final int[] recvSteps;
    /** By block; null where nothing is sent, or received. */
    private final ConnectionEnd[] sends;
    private final ConnectionEnd[] recvs;
    /** Null before they are connected. */
    private ProgramLinks links;
    private long mostPieceBytes;

    /** Over channels that other files use, too, as many as it has at least. */
    AlgorithmFileWay(AlgorithmFile algorithm, int rank, StepPorts... channels) {
        this.algorithm = algorithm;
        this.channels = channels;
        this.rank = rank;
        this.blocks = algorithm.programs().get(rank).blocks();
        this.sendSteps = blocks.stream().mapToInt(ProgramBlock::sends).toArray();
        this.recvSteps = blocks.stream().mapToInt(ProgramBlock::recvs).toArray();
        this.mostOps = algorithm.mostOps(rank);
        this.sends = new ConnectionEnd[blocks.size()];
        this.recvs = new ConnectionEnd[blocks.size()];
    }

    @Override
    public boolean isConnected(CollectiveWork work) {
        return links != null;
    }

    @Override
    public void connect(CollectiveWork work, Duration timeout) {
        for (int c = 0; c < algorithm.nChannels(); c++) {
            int channel = c;
            channels[c].connect(timeout, mostOps, blocks.stream().filter(block -> block.channel() == channel)
                    .flatMapToInt(AlgorithmFileWay::peers).distinct().sorted().toArray());
        }
        for (ProgramBlock block : blocks) {
            int id = block.id();
            sends[id] = sendSteps[id] == 0 ? null : channels[block.channel()].pair(block.sendPeer()).send();
            recvs[id] = recvSteps[id] == 0 ? null : channels[block.channel()].pair(block.recvPeer()).recv();
        }
        mostPieceBytes = algorithm.pieceBytes(channels[0].stepBytes(Protocol.SIMPLE));
        requireRoom();
        links = new ProgramLinks(algorithm, rank, devices(recvs), devices(sends));
    }

    private static IntStream peers(ProgramBlock block) {
        return IntStream.concat(block.sends() > 0 ? IntStream.of(block.sendPeer()) : IntStream.empty(),
                block.recvs() > 0 ? IntStream.of(block.recvPeer()) : IntStream.empty());
    }

    private static DeviceConnection[] devices(ConnectionEnd[] ends) {
        return Stream.of(ends).map(end -> end == null ? null : end.device()).toArray(DeviceConnection[]::new);
    }

    /** There always is for buffers of the usual option; a transport may have smaller ones of its own. */
    private void requireRoom() {
        if (mostPieceBytes == 0) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + ": a step of " + algorithm.file()
                    + " moves " + algorithm.mostCount() + " chunks, and a slot has "
                    + channels[0].stepBytes(Protocol.SIMPLE) + " bytes; raise p2p.memcpy.buffer.bytes, or leave the "
                    + "file out");
        }
    }

    private static long pieceOf(long chunkBytes, int pieces) {
        return Math.ceilDiv(chunkBytes, (long) pieces * Long.BYTES) * Long.BYTES;
    }

    @Override
    public int mostOps() {
        return mostOps;
    }

    @Override
    public HostKernel prepare(KernelPool kernels, CollectiveWork wanted, LaunchOps ops) {
        ProgramKernel kernel = kernels.take(ProgramKernel.class);
        CollectiveWork work = kernel.work();
        wanted.copyTo(work);
        work.opCount(ops.nextCollective());
        long chunkBytes = algorithm.chunkBytes(work.bytes());
        int pieces = algorithm.pieces(chunkBytes, mostPieceBytes, work.wholeChunk());
        long pieceBytes = Math.min(chunkBytes, Math.min(mostPieceBytes, pieceOf(chunkBytes, pieces)));
        int loops = Math.toIntExact(Math.ceilDiv(chunkBytes, pieceBytes));
        for (int i = 0; i < sends.length; i++) {
            ops.block(recvs[i], Math.multiplyExact(loops, recvSteps[i]), work);
            ops.block(sends[i], Math.multiplyExact(loops, sendSteps[i]), work);
        }
        kernel.prepare(links, chunkBytes, pieceBytes, pieces);
        return kernel;
    }
}
