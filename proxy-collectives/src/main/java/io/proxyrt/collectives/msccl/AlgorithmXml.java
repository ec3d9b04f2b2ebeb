/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.topology.xml.XmlDocument;
import io.proxyrt.topology.xml.XmlElement;
import io.proxyrt.topology.xml.XmlValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads MSCCL's XML: {@code <algo>} of {@code <gpu>}s, of {@code <tb>}s, of {@code <step>}s. Each number is checked
 * where it stands; what ranks do together is {@link Rehearsal}'s.
 */
final class AlgorithmXml {
    /** Chunks of all ranks' buffers, and of all ranks' scratch memory. */
    static final int MAX_CHUNKS = 1 << 19;
    /** Chunks of a step, which share a slot. */
    static final int MAX_COUNT = 512;
    static final int MAX_CHANNELS = 64;
    private static final int MAX_ELEMENTS = 1 << 17;
    private static final XmlDocument.Grammar GRAMMAR = new XmlDocument.Grammar("algo", Map.of("algo", Set.of("gpu"),
            "gpu", Set.of("tb"), "tb", Set.of("step")), MAX_ELEMENTS);
    private static final Map<String, CollFunction> FUNCTIONS = new TreeMap<>(Map.of(
            "allreduce", CollFunction.ALL_REDUCE, "allgather", CollFunction.ALL_GATHER,
            "reducescatter", CollFunction.REDUCE_SCATTER, "alltoall", CollFunction.ALL_TO_ALL));
    private static final Set<String> PROTOCOLS = Set.of("Simple", "LL", "LL128");

    private final String file;
    private final XmlElement algo;
    private final XmlValues values;
    private final int nRanks;
    private final int nChannels;

    private AlgorithmXml(String file, XmlElement algo) {
        this.file = file;
        this.algo = algo;
        this.values = new XmlValues(file);
        this.nRanks = values.needed(algo, "ngpus", 2, XmlDocument.MAX_CHILDREN);
        this.nChannels = values.needed(algo, "nchannels", 1, MAX_CHANNELS);
    }

    /** What a file says, of which all numbers make sense by themselves. */
    static AlgorithmFile parse(String file, String digest, String text) {
        return new AlgorithmXml(file, XmlDocument.parse(file, text, GRAMMAR)).algorithm(digest);
    }

    private AlgorithmFile algorithm(String digest) {
        CollFunction function = FUNCTIONS.get(values.text(algo, "coll"));
        if (function == null) {
            throw values.wrong(algo, "coll", "one of " + FUNCTIONS.keySet());
        }
        if (!PROTOCOLS.contains(values.text(algo, "proto"))) {
            throw values.wrong(algo, "proto", "Simple, LL or LL128");
        }
        int nChunks = values.needed(algo, "nchunksperloop", 1, MAX_CHUNKS / nRanks);
        if (function != CollFunction.ALL_REDUCE && nChunks % nRanks != 0) {
            throw values.wrong(algo, "nchunksperloop", "a multiple of ngpus, " + nRanks + ",");
        }
        boolean isInPlace = values.needed(algo, "inplace", 0, 1) == 1;
        boolean isOutOfPlace = values.needed(algo, "outofplace", 0, 1) == 1;
        if (!isInPlace && !isOutOfPlace) {
            throw values.wrong(algo, "inplace", "1, here or for outofplace,");
        }
        long minBytes = values.longNumber(algo, "minBytes", 0, 0, Long.MAX_VALUE);
        long maxBytes = values.longNumber(algo, "maxBytes", 0, 0, Long.MAX_VALUE);
        if (maxBytes > 0 && maxBytes < minBytes) {
            throw values.wrong(algo, "maxBytes", "0, or a number from minBytes, " + minBytes + ", on");
        }
        return new AlgorithmFile(file, digest, function, nChunks, nChannels, minBytes, maxBytes, isInPlace,
                isOutOfPlace, programs(function, nChunks), 1);
    }

    private List<RankProgram> programs(CollFunction function, int nChunks) {
        RankProgram[] programs = new RankProgram[nRanks];
        int inputs = AlgorithmFile.inputChunks(function, nChunks, nRanks);
        int outputs = AlgorithmFile.outputChunks(function, nChunks, nRanks);
        for (XmlElement gpu : algo.children()) {
            int rank = values.needed(gpu, "id", 0, nRanks - 1);
            if (programs[rank] != null) {
                throw values.wrong(gpu, "id", "a number that no other <gpu> has");
            }
            RankProgram rooms = new RankProgram(place(gpu), values.needed(gpu, "i_chunks", 0, inputs),
                    values.needed(gpu, "o_chunks", 0, outputs), values.needed(gpu, "s_chunks", 0,
                            MAX_CHUNKS / nRanks),
                    List.of());
            programs[rank] = new RankProgram(place(gpu), rooms.inputChunks(), rooms.outputChunks(),
                    rooms.scratchChunks(), blocks(gpu, rank, rooms));
        }
        int missing = Arrays.asList(programs).indexOf(null);
        if (missing >= 0) {
            throw refused(place(algo), "ngpus is " + nRanks + ", and there is no <gpu> with id " + missing);
        }
        return Arrays.asList(programs);
    }

    private List<ProgramBlock> blocks(XmlElement gpu, int rank, RankProgram rooms) {
        ProgramBlock[] blocks = new ProgramBlock[gpu.children().size()];
        for (XmlElement tb : gpu.children()) {
            int id = values.needed(tb, "id", 0, blocks.length - 1);
            if (blocks[id] != null) {
                throw values.wrong(tb, "id", "a number that no other <tb> of rank " + rank + " has");
            }
            blocks[id] = block(tb, id, rank, rooms);
        }
        assert Arrays.stream(blocks).allMatch(Objects::nonNull) : "as many ids as blocks, all different";
        for (int i = 0; i < blocks.length; i++) {
            requireOwnConnections(blocks, i, rank);
            requireSteps(blocks, blocks[i], rank);
        }
        return Arrays.asList(blocks);
    }

    private ProgramBlock block(XmlElement tb, int id, int rank, RankProgram rooms) {
        int sendPeer = peer(tb, "send", rank);
        int recvPeer = peer(tb, "recv", rank);
        int channel = values.needed(tb, "chan", sendPeer < 0 && recvPeer < 0 ? -1 : 0, nChannels - 1);
        List<ProgramStep> steps = new ArrayList<>();
        for (XmlElement step : tb.children()) {
            if (values.needed(step, "s", 0, XmlDocument.MAX_CHILDREN) != steps.size()) {
                throw values.wrong(step, "s", "the number of steps before it in its <tb>, " + steps.size() + ",");
            }
            steps.add(step(step, rooms));
            requirePeer(step, steps.getLast().kind().sends(), "send", sendPeer);
            requirePeer(step, steps.getLast().kind().receives(), "recv", recvPeer);
        }
        return new ProgramBlock(place(tb), id, sendPeer, recvPeer, channel, steps);
    }

    private int peer(XmlElement tb, String key, int rank) {
        int peer = values.needed(tb, key, -1, nRanks - 1);
        if (peer == rank) {
            throw values.wrong(tb, key, "another rank than its own, or -1,");
        }
        return peer;
    }

    private void requirePeer(XmlElement step, boolean isUsed, String key, int peer) {
        if (isUsed && peer < 0) {
            throw values.wrong(step, "type", "a step without " + key + ", which its <tb> has as -1,");
        }
    }

    private ProgramStep step(XmlElement step, RankProgram rooms) {
        StepKind kind = StepKind.of(values.text(step, "type")).orElseThrow(() -> values.wrong(step, "type",
                "one of " + StepKind.words()));
        int count = kind == StepKind.NOP ? 0 : values.needed(step, "cnt", 1, MAX_COUNT);
        Room source = kind.reads() ? room(step, "srcbuf") : null;
        Room target = kind.writes() ? room(step, "dstbuf") : null;
        values.needed(step, "hasdep", 0, 1);
        return new ProgramStep(place(step), kind, source, offset(step, "srcoff", source, count, rooms), target,
                offset(step, "dstoff", target, count, rooms), count,
                values.needed(step, "depid", -1, XmlDocument.MAX_CHILDREN - 1),
                values.needed(step, "deps", -1, XmlDocument.MAX_CHILDREN - 1));
    }

    private Room room(XmlElement step, String key) {
        return Room.of(values.text(step, key)).orElseThrow(() -> values.wrong(step, key, "i, o or s"));
    }

    private int offset(XmlElement step, String key, Room room, int count, RankProgram rooms) {
        if (room == null) {
            return -1;
        }
        int chunks = rooms.chunks(room);
        if (count > chunks) {
            throw values.wrong(step, "cnt", "no more than the " + chunks + " chunks of " + room.word());
        }
        return values.needed(step, key, 0, chunks - count);
    }

    /** MSCCL's blocks have a connection each way to themselves. */
    private void requireOwnConnections(ProgramBlock[] blocks, int at, int rank) {
        ProgramBlock block = blocks[at];
        for (int i = 0; i < at; i++) {
            boolean isShared = blocks[i].channel() == block.channel()
                    && (block.sends() > 0 && blocks[i].sends() > 0 && blocks[i].sendPeer() == block.sendPeer()
                    || block.recvs() > 0 && blocks[i].recvs() > 0 && blocks[i].recvPeer() == block.recvPeer());
            if (isShared) {
                throw refused(block.place(), "blocks " + i + " and " + at + " of rank " + rank
                        + " have the same connection of channel " + block.channel() + "; one of them is to have it");
            }
        }
    }

    private void requireSteps(ProgramBlock[] blocks, ProgramBlock block, int rank) {
        for (ProgramStep step : block.steps()) {
            int to = step.waitBlock();
            if (to >= blocks.length) {
                throw refused(step.place(), "a step waits for block " + to + " of rank " + rank + ", which has "
                        + blocks.length);
            }
            if (to >= 0 && (step.waitStep() < 0 || step.waitStep() >= blocks[to].steps().size())) {
                throw refused(step.place(), "a step waits for step " + step.waitStep() + " of block " + to
                        + " of rank " + rank + ", which has " + blocks[to].steps().size());
            }
        }
    }

    private static String place(XmlElement element) {
        return "line " + element.line();
    }

    private ProxyException refused(String place, String why) {
        return AlgorithmFile.refused(file, place, why);
    }
}
