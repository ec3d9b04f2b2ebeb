/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Finds blocks of a rank that use a chunk in no order, one of them to write it: what comes of it is a matter of chance.
 * A step is behind those of its block before it, the one that it waits for, and the one that sent what it receives; by
 * vector clocks of all blocks of all ranks.
 */
final class Races {
    /** Times of blocks at steps: clocks of more would take too long, and too much memory. */
    private static final long MAX_TIMES = 1 << 24;

    private final AlgorithmFile algorithm;
    /** By rank: the number of its first block. */
    private final int[] first;
    /** By number of the block. */
    private final int[][] clocks;
    private final Set<ProgramStep> awaited = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<ProgramStep, int[]> ended = new IdentityHashMap<>();
    /** By rank and chunk of its memory; null if it was not used. */
    private final Uses[][] uses;

    private Races(AlgorithmFile algorithm, int[] first, int blocks, int[] chunks) {
        this.algorithm = algorithm;
        this.first = first;
        this.clocks = new int[blocks][blocks];
        this.uses = Arrays.stream(chunks).mapToObj(Uses[]::new).toArray(Uses[][]::new);
        for (RankProgram program : algorithm.programs()) {
            program.blocks().stream().flatMap(block -> block.steps().stream()).filter(step -> step.waitBlock() >= 0)
                    .forEach(step -> awaited.add(awaited(program, step)));
        }
    }

    private static ProgramStep awaited(RankProgram program, ProgramStep step) {
        return program.blocks().get(step.waitBlock()).steps().get(step.waitStep());
    }

    /** Who has used a chunk: who wrote it last, and who has read it since, by block: when, and at which place. */
    private static final class Uses {
        private int writer = -1;
        private int writeTime;
        private String writePlace = "";
        private int[] readers = {};
        private int[] readTimes = {};
        private String[] readPlaces = {};
    }

    /** Nothing done yet; null if the algorithm is too large for that. */
    static Races of(AlgorithmFile algorithm, int... chunks) {
        int[] first = new int[chunks.length];
        int blocks = 0;
        long steps = 0;
        for (int rank = 0; rank < chunks.length; rank++) {
            RankProgram program = algorithm.programs().get(rank);
            first[rank] = blocks;
            blocks += program.blocks().size();
            steps += program.blocks().stream().mapToInt(block -> block.steps().size()).sum();
        }
        return blocks * Math.max(blocks, steps) > MAX_TIMES ? null : new Races(algorithm, first, blocks, chunks);
    }

    /** A step begins, with the clock of what it receives, or null. */
    void begin(int rank, ProgramBlock block, ProgramStep step, int[] sent) {
        int[] clock = clock(rank, block);
        if (step.waitBlock() >= 0) {
            join(clock, ended.get(awaited(algorithm.programs().get(rank), step)));
        }
        if (sent != null) {
            join(clock, sent);
        }
        clock[first[rank] + block.id()]++;
    }

    private int[] clock(int rank, ProgramBlock block) {
        return clocks[first[rank] + block.id()];
    }

    private static void join(int[] clock, int[] other) {
        for (int i = 0; i < clock.length; i++) {
            clock[i] = Math.max(clock[i], other[i]);
        }
    }

    /** It ends; returns its clock for what it sends, or null. */
    int[] end(int rank, ProgramBlock block, ProgramStep step) {
        boolean isAwaited = awaited.contains(step);
        int[] clock = isAwaited || step.kind().sends() ? clock(rank, block).clone() : null;
        if (isAwaited) {
            ended.put(step, clock);
        }
        return clock;
    }

    /** It reads a chunk of the rank's memory. */
    void read(int rank, ProgramBlock block, ProgramStep step, int chunk) {
        Uses use = uses(rank, chunk);
        int[] clock = clock(rank, block);
        int own = first[rank] + block.id();
        requireBehind(clock, use.writer, use.writeTime, use.writePlace, step);
        int at = 0;
        while (at < use.readers.length && use.readers[at] != own) {
            at++;
        }
        if (at == use.readers.length) {
            use.readers = Arrays.copyOf(use.readers, at + 1);
            use.readTimes = Arrays.copyOf(use.readTimes, at + 1);
            use.readPlaces = Arrays.copyOf(use.readPlaces, at + 1);
        }
        use.readers[at] = own;
        use.readTimes[at] = clock[own];
        use.readPlaces[at] = step.place();
    }

    /** It writes one. */
    void write(int rank, ProgramBlock block, ProgramStep step, int chunk) {
        Uses use = uses(rank, chunk);
        int[] clock = clock(rank, block);
        requireBehind(clock, use.writer, use.writeTime, use.writePlace, step);
        for (int i = 0; i < use.readers.length; i++) {
            requireBehind(clock, use.readers[i], use.readTimes[i], use.readPlaces[i], step);
        }
        Uses now = new Uses();
        now.writer = first[rank] + block.id();
        now.writeTime = clock[now.writer];
        now.writePlace = step.place();
        uses[rank][chunk] = now;
    }

    private Uses uses(int rank, int chunk) {
        if (uses[rank][chunk] == null) {
            uses[rank][chunk] = new Uses();
        }
        return uses[rank][chunk];
    }

    private void requireBehind(int[] clock, int block, int time, String place, ProgramStep step) {
        if (block >= 0 && clock[block] < time) {
            throw AlgorithmFile.refused(algorithm.file(), step.place(), "a step uses a chunk that " + place
                    + " uses, too, one of them to write it, and neither waits for the other; a depid is missing");
        }
    }
}
