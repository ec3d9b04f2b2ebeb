/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads MSCCL++'s execution plans: {@code gpus} of {@code threadblocks} of {@code ops}. Each number is checked where it
 * stands. Chunks are cut into as many parts as the groups of thread blocks need that share them.
 */
final class PlanReader {
    static final int MAX_RANKS = 512;
    private static final int MAX_BLOCKS = 512;
    private static final int MAX_PORTS = 1 << 12;
    private static final int MAX_SEMAPHORES = 256;
    private static final Map<String, CollFunction> FUNCTIONS = new TreeMap<>(Map.of(
            "allreduce", CollFunction.ALL_REDUCE, "allgather", CollFunction.ALL_GATHER,
            "reducescatter", CollFunction.REDUCE_SCATTER, "alltoall", CollFunction.ALL_TO_ALL));
    private static final Set<String> PROTOCOLS = Set.of("Simple", "LL");

    private final PlanValue plan;
    private final List<PlanValue> gpus;
    private final CollFunction function;
    private final int nChunks;
    /** Of a chunk of the file. */
    private final int parts;

    private PlanReader(PlanValue plan) {
        this.plan = plan;
        this.function = function(plan);
        this.gpus = plan.items("gpus", MAX_RANKS);
        if (gpus.size() < 2) {
            throw plan.needed("gpus").refused("has " + gpus.size() + " elements; 2 are wanted at least");
        }
        this.parts = PlanGroups.parts(gpus);
        this.nChunks = nChunks();
    }

    /** What a file says, of which all numbers make sense by themselves. */
    static Plan read(String file, String text) {
        return new PlanReader(PlanDocument.parse(file, text)).plan();
    }

    private static CollFunction function(PlanValue plan) {
        PlanValue collective = plan.needed("collective");
        CollFunction function = FUNCTIONS.get(collective.text());
        if (function == null) {
            throw leftOut(collective, "is \"" + collective.text() + "\", and kernels of the host go by plans for "
                    + FUNCTIONS.keySet());
        }
        return function;
    }

    /** A plan that makes sense, and is not for here. */
    static ProxyException leftOut(PlanValue at, String why) {
        return new ProxyException(ProxyResult.INVALID_USAGE, at.file() + ", " + at.place() + ": " + why
                + "; leave the file out");
    }

    private Plan plan() {
        if (!PROTOCOLS.contains(plan.text("protocol"))) {
            throw plan.needed("protocol").wrong("Simple or LL");
        }
        long minBytes = plan.bytes("min_message_size", 0);
        long maxBytes = plan.bytes("max_message_size", Long.MAX_VALUE);
        if (maxBytes < Math.max(1, minBytes)) {
            throw plan.needed("max_message_size").wrong("a number from min_message_size, " + minBytes
                    + ", on, and from 1");
        }
        Plan.OfRank[] ranks = new Plan.OfRank[gpus.size()];
        RankProgram[] rooms = gpus.stream().map(this::rooms).toArray(RankProgram[]::new);
        for (int rank = 0; rank < ranks.length; rank++) {
            ranks[rank] = new PlanRankReader(gpus.get(rank), rank, rooms, parts).read();
        }
        return new Plan(plan.needed("gpus").place(), function, nChunks, minBytes,
                maxBytes == Long.MAX_VALUE ? 0 : maxBytes, plan.flag("inplace"), Arrays.asList(ranks));
    }

    /** By the buffer of the first rank that is whole, or by the other one where that has no chunks. */
    private int nChunks() {
        int most = AlgorithmXml.MAX_CHUNKS / gpus.size();
        int ofInput = gpus.getFirst().number("input_chunks", 0, most);
        int ofOutput = gpus.getFirst().number("output_chunks", 0, most);
        boolean isGather = function == CollFunction.ALL_GATHER;
        int whole = isGather ? ofOutput : ofInput;
        long other = isGather ? ofInput : ofOutput;
        long chunks = whole > 0 ? whole : isGather || function == CollFunction.REDUCE_SCATTER ? other * gpus.size()
                : other;
        if (chunks == 0 || function != CollFunction.ALL_REDUCE && chunks % gpus.size() != 0) {
            throw gpus.getFirst().refused("has " + ofInput + " input_chunks and " + ofOutput + " output_chunks; of a "
                    + "whole buffer there have to be some" + (function == CollFunction.ALL_REDUCE ? ""
                            : ", equally many of each of the " + gpus.size() + " ranks"));
        }
        if (chunks * parts > most) {
            throw gpus.getFirst().refused("has " + chunks + " chunks, cut into " + parts + " by thread block groups; "
                    + most + " are taken in all");
        }
        return (int) chunks * parts;
    }

    private RankProgram rooms(PlanValue gpu) {
        int inputs = AlgorithmFile.inputChunks(function, nChunks, gpus.size());
        int outputs = AlgorithmFile.outputChunks(function, nChunks, gpus.size());
        return new RankProgram(gpu.place(), chunks(gpu, "input_chunks", inputs), chunks(gpu, "output_chunks", outputs),
                gpu.number("scratch_chunks", 0, AlgorithmXml.MAX_CHUNKS / gpus.size() / parts) * parts, List.of());
    }

    private int chunks(PlanValue gpu, String key, int all) {
        int chunks = gpu.number(key, 0, all / parts);
        if (chunks > 0 && chunks * parts != all) {
            throw gpu.needed(key).wrong("as many as other ranks have, " + all / parts + ", or 0,");
        }
        return chunks * parts;
    }

    /** What a rank has and does. */
    private record PlanRankReader(PlanValue gpu, int rank, RankProgram[] rooms, int parts) {
        Plan.OfRank read() {
            if (gpu.number("id", 0, rooms.length - 1) != rank) {
                throw gpu.needed("id").wrong("its place in the list, " + rank + ",");
            }
            List<Integer> semaphores = gpu.itemsIfAny("semaphores", MAX_SEMAPHORES).stream()
                    .map(semaphore -> semaphore.number("init_value", 0, Integer.MAX_VALUE)).toList();
            List<Plan.Port> ports = ports();
            List<Remote> remotes = remotes();
            List<PlanValue> blocks = gpu.items("threadblocks", MAX_BLOCKS);
            Plan.Block[] read = new Plan.Block[blocks.size()];
            for (PlanValue block : blocks) {
                int id = block.number("id", 0, read.length - 1);
                if (read[id] != null) {
                    throw block.needed("id").wrong("a number that no other thread block of rank " + rank + " has");
                }
                read[id] = new PlanOps(rank, rooms, parts, ports, remotes, semaphores.size()).block(block);
            }
            return new Plan.OfRank(rooms[rank], semaphores, Arrays.asList(read));
        }

        /** Those of type port, in the order of the file: it is by this that channels of two ranks are one. */
        private List<Plan.Port> ports() {
            List<Plan.Port> ports = new ArrayList<>();
            int[] count = new int[rooms.length];
            for (PlanValue channel : gpu.items("channels", MAX_PORTS)) {
                if (!channel.text("channel_type").equals(PlanOps.PORT)) {
                    continue;
                }
                for (PlanValue to : channel.items("connected_to", MAX_PORTS)) {
                    int peer = to.number(0, rooms.length - 1);
                    if (peer == rank || ports.size() == MAX_PORTS) {
                        throw to.wrong("another rank than its own, of " + MAX_PORTS + " at most,");
                    }
                    ports.add(new Plan.Port(peer, count[peer]++));
                }
            }
            return ports;
        }

        private List<Remote> remotes() {
            List<Remote> remotes = new ArrayList<>();
            for (PlanValue buffer : gpu.itemsIfAny("remote_buffers", MAX_PORTS)) {
                boolean isByPort = buffer.items("access_channel_types", 4).stream().map(PlanValue::text)
                        .anyMatch(PlanOps.PORT::equals);
                remotes.add(new Remote(buffer.number("rank", 0, rooms.length - 1), PlanOps.room(buffer), isByPort));
            }
            return Collections.unmodifiableList(remotes);
        }
    }

    /** A buffer of another rank. */
    record Remote(int rank, Room room, boolean isByPort) {
    }
}
