/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceConnection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Carries a file's algorithm out by all ranks at once, with names of chunks in place of data. It shows whether all
 * blocks come to their end over connections of eight slots, of which a step takes one for each piece; whether those of
 * a rank use chunks in an order; and whether each rank has in the end what the collective gives it. Blocks only ever
 * wait for what stays so once it is so: hence all orders come to the end, or none does.
 */
final class Rehearsal {
    private static final int MOST_NAMED = 4;

    private final AlgorithmFile algorithm;
    private final boolean isInPlace;
    /** So many steps of a connection are under way; each has as many slots as it has pieces. */
    private final int slots;
    private final List<Memory> memories;
    private final Map<Connection, Deque<Parcel>> connections = new HashMap<>();
    /** By rank and block: steps that are done. */
    private final int[][] done;
    /** Null if the algorithm is too large. */
    private final Races races;

    private Rehearsal(AlgorithmFile algorithm, boolean isInPlace) {
        this.algorithm = algorithm;
        this.isInPlace = isInPlace;
        this.slots = DeviceConnection.STEPS / algorithm.mostPieces();
        this.memories = IntStream.range(0, algorithm.nRanks()).mapToObj(this::memory).toList();
        this.done = algorithm.programs().stream().map(program -> new int[program.blocks().size()])
                .toArray(int[][]::new);
        this.races = Races.of(algorithm, memories.stream().mapToInt(memory -> memory.chunks.length).toArray());
    }

    /** One way of a pair of ranks on a channel. */
    private record Connection(int from, int to, int channel) {
    }

    /** A part of the data: which, and whose of it are reduced. */
    private record Chunk(int id, BitSet ranks) {
    }

    /** What a step sends, and its clock. */
    private record Parcel(Chunk[] chunks, int[] clock) {
    }

    /** A rank's rooms, which are one another's in place. */
    private record Memory(Chunk[] chunks, int input, int output, int scratch) {
        int index(Room room, int offset) {
            return offset + switch (room) {
                case INPUT -> input;
                case OUTPUT -> output;
                case SCRATCH -> scratch;
            };
        }
    }

    /** Refuses an algorithm that does not end, or not with what it should. */
    static void run(AlgorithmFile algorithm) {
        requirePairs(algorithm);
        if (algorithm.inPlace()) {
            new Rehearsal(algorithm, true).run();
        }
        if (algorithm.outOfPlace()) {
            requireInputUntouched(algorithm);
            new Rehearsal(algorithm, false).run();
        }
    }

    /** Whether it ends as it should. */
    static boolean isWell(AlgorithmFile algorithm) {
        try {
            run(algorithm);
            return true;
        } catch (ProxyException e) {
            return false;
        }
    }

    /** Whether it would show blocks that use chunks in no order. */
    static boolean showsOrder(AlgorithmFile algorithm) {
        return new Rehearsal(algorithm, algorithm.inPlace()).races != null;
    }

    /** Each send has a receive of as many chunks. */
    private static void requirePairs(AlgorithmFile algorithm) {
        Map<Connection, List<ProgramStep>> sends = new HashMap<>();
        Map<Connection, List<ProgramStep>> recvs = new HashMap<>();
        for (int rank = 0; rank < algorithm.nRanks(); rank++) {
            for (ProgramBlock block : algorithm.programs().get(rank).blocks()) {
                if (block.sends() > 0) {
                    sends.put(new Connection(rank, block.sendPeer(), block.channel()), block.steps().stream()
                            .filter(step -> step.kind().sends()).toList());
                }
                if (block.recvs() > 0) {
                    recvs.put(new Connection(block.recvPeer(), rank, block.channel()), block.steps().stream()
                            .filter(step -> step.kind().receives()).toList());
                }
            }
        }
        sends.forEach((connection, steps) -> requirePairs(algorithm, connection, steps,
                recvs.getOrDefault(connection, List.of()), "sends", "receives"));
        recvs.forEach((connection, steps) -> requirePairs(algorithm, connection, steps,
                sends.getOrDefault(connection, List.of()), "receives", "sends"));
    }

    private static void requirePairs(AlgorithmFile algorithm, Connection connection, List<ProgramStep> steps,
            List<ProgramStep> others, String what, String opposite) {
        for (int i = 0; i < steps.size(); i++) {
            ProgramStep step = steps.get(i);
            if (i >= others.size() || others.get(i).count() != step.count()) {
                throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step " + what + " " + step.count()
                        + " chunks from rank " + connection.from + " to rank " + connection.to + " on channel "
                        + connection.channel + ", and the other rank " + opposite + (i >= others.size() ? " no more"
                        : " " + others.get(i).count() + " at " + others.get(i).place()));
            }
        }
    }

    private static void requireInputUntouched(AlgorithmFile algorithm) {
        for (RankProgram program : algorithm.programs()) {
            for (ProgramBlock block : program.blocks()) {
                for (ProgramStep step : block.steps()) {
                    if (step.kind().writes() && step.target() == Room.INPUT) {
                        throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step writes to the input, which "
                                + "calls out of place keep; outofplace=\"0\" is wanted");
                    }
                }
            }
        }
    }

    private Memory memory(int rank) {
        int inputs = algorithm.inputChunks();
        int outputs = algorithm.outputChunks();
        int scratch = algorithm.programs().get(rank).scratchChunks();
        int users = isInPlace ? Math.max(inputs, outputs) : inputs + outputs;
        int input = isInPlace && inputs < outputs ? rank * inputs : 0;
        int output = !isInPlace ? inputs : outputs < inputs ? rank * outputs : 0;
        Memory memory = new Memory(new Chunk[users + scratch], input, output, users);
        BitSet own = new BitSet();
        own.set(rank);
        for (int i = 0; i < inputs; i++) {
            memory.chunks[input + i] = new Chunk(switch (algorithm.function()) {
                case ALL_GATHER -> rank * inputs + i;
                case ALL_TO_ALL -> rank * algorithm.nChunks() + i;
                default -> i;
            }, own);
        }
        return memory;
    }

    private void run() {
        boolean hasMoved = true;
        while (hasMoved) {
            hasMoved = false;
            for (int rank = 0; rank < done.length; rank++) {
                for (int block = 0; block < done[rank].length; block++) {
                    hasMoved |= goOn(rank, algorithm.programs().get(rank).blocks().get(block));
                }
            }
        }
        requireEnd();
        requireOutputs();
    }

    private boolean goOn(int rank, ProgramBlock block) {
        int before = done[rank][block.id()];
        while (done[rank][block.id()] < block.steps().size()
                && whyNot(rank, block, block.steps().get(done[rank][block.id()])).isEmpty()) {
            carryOut(rank, block, block.steps().get(done[rank][block.id()]));
            done[rank][block.id()]++;
        }
        return done[rank][block.id()] > before;
    }

    /** What a step waits for; empty if it can be done. */
    private String whyNot(int rank, ProgramBlock block, ProgramStep step) {
        if (step.waitBlock() >= 0 && done[rank][step.waitBlock()] <= step.waitStep()) {
            return "step " + step.waitStep() + " of its block " + step.waitBlock();
        }
        if (step.kind().receives() && wire(block.recvPeer(), rank, block).isEmpty()) {
            return "data from rank " + block.recvPeer();
        }
        return step.kind().sends() && wire(rank, block.sendPeer(), block).size() == slots
                ? "rank " + block.sendPeer() + ", which has " + slots + " steps yet to receive" : "";
    }

    private Deque<Parcel> wire(int from, int to, ProgramBlock block) {
        return connections.computeIfAbsent(new Connection(from, to, block.channel()), any -> new ArrayDeque<>());
    }

    private void carryOut(int rank, ProgramBlock block, ProgramStep step) {
        StepKind kind = step.kind();
        Parcel parcel = kind.receives() ? wire(block.recvPeer(), rank, block).remove() : null;
        Chunk[] moved = parcel == null ? null : parcel.chunks;
        int[] clock = races == null ? null : order(rank, block, step, parcel);
        Chunk[] result = new Chunk[step.count()];
        for (int i = 0; i < step.count(); i++) {
            Chunk source = kind.reads() ? read(rank, step, step.source(), step.sourceOffset() + i) : null;
            Chunk other = kind == StepKind.REDUCE ? read(rank, step, step.target(), step.targetOffset() + i)
                    : moved == null ? null : moved[i];
            result[i] = source == null ? other : other == null ? source : reduced(step, source, other);
        }
        Memory memory = memories.get(rank);
        requireApart(memory, step);
        for (int i = 0; kind.writes() && i < step.count(); i++) {
            memory.chunks[memory.index(step.target(), step.targetOffset() + i)] = result[i];
        }
        if (kind.sends()) {
            wire(rank, block.sendPeer(), block).add(new Parcel(result, clock));
        }
    }

    /** Returns the clock of what it sends, or null. */
    private int[] order(int rank, ProgramBlock block, ProgramStep step, Parcel parcel) {
        Memory memory = memories.get(rank);
        races.begin(rank, block, step, parcel == null ? null : parcel.clock);
        boolean isOntoItself = step.kind() == StepKind.COPY && memory.index(step.source(), step.sourceOffset())
                == memory.index(step.target(), step.targetOffset());
        if (isOntoItself) {
            return races.end(rank, block, step);
        }
        for (int i = 0; step.kind().reads() && i < step.count(); i++) {
            races.read(rank, block, step, memory.index(step.source(), step.sourceOffset() + i));
        }
        for (int i = 0; step.kind().writes() && i < step.count(); i++) {
            races.write(rank, block, step, memory.index(step.target(), step.targetOffset() + i));
        }
        return races.end(rank, block, step);
    }

    private void requireApart(Memory memory, ProgramStep step) {
        if (step.kind().reads() && step.kind().writes()) {
            int distance = Math.abs(memory.index(step.source(), step.sourceOffset())
                    - memory.index(step.target(), step.targetOffset()));
            if (distance > 0 && distance < step.count()) {
                throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step's source and target overlap"
                        + (isInPlace ? " in place" : "") + ", and are not the same");
            }
        }
    }

    private Chunk read(int rank, ProgramStep step, Room room, int offset) {
        Memory memory = memories.get(rank);
        Chunk chunk = memory.chunks[memory.index(room, offset)];
        if (chunk == null) {
            throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step reads chunk " + offset + " of "
                    + room.word() + ", to which nothing was written");
        }
        return chunk;
    }

    private Chunk reduced(ProgramStep step, Chunk one, Chunk other) {
        if (one.id != other.id || one.ranks.intersects(other.ranks)) {
            throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step reduces " + name(one) + " with "
                    + name(other) + ", which are not to be reduced");
        }
        BitSet both = (BitSet) one.ranks.clone();
        both.or(other.ranks);
        return new Chunk(one.id, both);
    }

    private void requireEnd() {
        List<String> waiting = new ArrayList<>();
        String first = "";
        for (int rank = 0; rank < done.length; rank++) {
            for (ProgramBlock block : algorithm.programs().get(rank).blocks()) {
                int at = done[rank][block.id()];
                if (at < block.steps().size()) {
                    ProgramStep step = block.steps().get(at);
                    first = waiting.isEmpty() ? step.place() : first;
                    waiting.add("block " + block.id() + " of rank " + rank + " (" + step.place() + ") for "
                            + whyNot(rank, block, step));
                }
            }
        }
        if (!waiting.isEmpty()) {
            throw AlgorithmFile.refused(algorithm.file(), first, "no block can go on: "
                    + String.join("; ", waiting.subList(0, Math.min(MOST_NAMED, waiting.size())))
                    + (waiting.size() > MOST_NAMED ? "; and " + (waiting.size() - MOST_NAMED) + " others" : ""));
        }
    }

    private void requireOutputs() {
        boolean isReduced = algorithm.function() == CollFunction.ALL_REDUCE
                || algorithm.function() == CollFunction.REDUCE_SCATTER;
        for (int rank = 0; rank < done.length; rank++) {
            Memory memory = memories.get(rank);
            for (int i = 0; i < algorithm.outputChunks(); i++) {
                Chunk chunk = memory.chunks[memory.output + i];
                Chunk wanted = wanted(rank, i, isReduced);
                if (!wanted.equals(chunk)) {
                    throw AlgorithmFile.refused(algorithm.file(), algorithm.programs().get(rank).place(), "rank " + rank
                            + " has " + name(chunk) + " in the end as chunk " + i + " of its output"
                            + (isInPlace ? " in place" : "") + ", and " + name(wanted) + " is wanted");
                }
            }
        }
    }

    private Chunk wanted(int rank, int index, boolean isReduced) {
        int part = algorithm.nChunks() / algorithm.nRanks();
        BitSet ranks = new BitSet();
        if (isReduced) {
            ranks.set(0, algorithm.nRanks());
        } else {
            ranks.set(index / part);
        }
        return new Chunk(switch (algorithm.function()) {
            case REDUCE_SCATTER -> rank * part + index;
            case ALL_TO_ALL -> index / part * algorithm.nChunks() + rank * part + index % part;
            default -> index;
        }, ranks);
    }

    private String name(Chunk chunk) {
        return chunk == null ? "nothing" : "chunk " + chunk.id % algorithm.nChunks() + " of "
                + (chunk.ranks.cardinality() == 1 ? "rank " : "ranks ") + chunk.ranks;
    }
}
