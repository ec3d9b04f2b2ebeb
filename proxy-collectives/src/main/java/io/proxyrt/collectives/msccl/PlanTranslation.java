/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.collectives.msccl.PlanStrand.Draft;
import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Makes steps that send and receive of a plan's puts, signals and waits. What is put comes in where its receiver waits
 * for the signal behind it: earlier, nothing says that it may, and later, it is needed. The n-th wait of a channel is
 * for the n-th signal, so all that is known before anything runs.
 */
final class PlanTranslation {
    private static final int MAX_STEPS = 1 << 17;

    private final String file;
    private final Plan plan;
    /** Whether signals are left out behind which nothing comes. */
    private final boolean isLean;
    private final PlanPackets packets;
    private final List<List<PlanStrand>> strands;
    private final Map<Link, PlanStrand> sends = new LinkedHashMap<>();
    private final Map<Link, PlanStrand> recvs = new LinkedHashMap<>();
    /** Of pairs of ranks, one to the other: links so far. */
    private final Map<List<Integer>, Integer> channels = new HashMap<>();
    /** Whose a link is at either end. */
    private final Map<PlanStrand, Integer> owners = new HashMap<>();
    private int steps;

    /**
     * One way of a channel. Packets need no order with other blocks', which may share the channel; they have one each.
     *
     * @param packets the thread block that puts packets, or -1
     */
    private record Link(int from, int to, int number, int packets) {
    }

    private PlanTranslation(String file, Plan plan, boolean isLean) {
        this.file = file;
        this.plan = plan;
        this.isLean = isLean;
        this.packets = new PlanPackets(file, plan);
        this.strands = IntStream.range(0, plan.ranks().size()).<List<PlanStrand>>mapToObj(rank -> new ArrayList<>())
                .toList();
    }

    /**
     * Makes an algorithm of a plan.
     *
     * @param isLean whether signals are left out that bring no data: they keep a peer from writing what is still read,
     *               which what comes from a slot later does not do by itself. It takes a rehearsal to know
     */
    static AlgorithmFile translate(String file, String digest, Plan plan, boolean isLean) {
        return new PlanTranslation(file, plan, isLean).algorithm(digest);
    }

    private AlgorithmFile algorithm(String digest) {
        for (int rank = 0; rank < strands.size(); rank++) {
            PlanOrder order = new PlanOrder(file, plan.ranks().get(rank));
            List<Plan.Block> blocks = plan.ranks().get(rank).blocks();
            for (int id = 0; id < blocks.size(); id++) {
                PlanBlock block = new PlanBlock(this, order, rank, id, blocks.get(id).place());
                blocks.get(id).ops().forEach(block::translate);
            }
        }
        sends.forEach(this::bring);
        recvs.forEach((link, strand) -> requireSignals(strand));
        int nChannels = channels.values().stream().mapToInt(Integer::intValue).max().orElse(1);
        if (nChannels > AlgorithmXml.MAX_CHANNELS) {
            throw AlgorithmFile.refused(file, plan.place(), "two ranks have " + nChannels + " connections one way; "
                    + AlgorithmXml.MAX_CHANNELS + " are taken");
        }
        List<RankProgram> programs = new ArrayList<>();
        for (int rank = 0; rank < strands.size(); rank++) {
            programs.add(program(rank));
        }
        return new AlgorithmFile(file, digest, plan.function(), plan.nChunks(), nChannels, plan.minBytes(),
                plan.maxBytes(), plan.isInPlace(), !plan.isInPlace(), programs, 1);
    }

    private RankProgram program(int rank) {
        List<PlanStrand> used = strands.get(rank).stream()
                .filter(strand -> strand.drafts.stream().anyMatch(draft -> !draft.isGone)).toList();
        for (int i = 0; i < used.size(); i++) {
            used.get(i).number(i);
        }
        RankProgram rooms = plan.ranks().get(rank).rooms();
        return new RankProgram(rooms.place(), rooms.inputChunks(), rooms.outputChunks(), rooms.scratchChunks(),
                used.stream().map(PlanStrand::block).toList());
    }

    /** Counts what is made, before it is. */
    void count(String place) {
        if (++steps > MAX_STEPS) {
            throw AlgorithmFile.refused(file, place, "the plan takes more than " + MAX_STEPS + " steps");
        }
    }

    PlanPackets packets() {
        return packets;
    }

    /** Whether two are the same memory of a rank, as the input and the output are in place. */
    boolean isSame(int rank, Plan.Chunks one, Plan.Chunks other) {
        return one.equals(other) || plan.isInPlace() && one.room() != Room.SCRATCH && other.room() != Room.SCRATCH
                && user(rank, one) == user(rank, other);
    }

    private int user(int rank, Plan.Chunks chunks) {
        int nRanks = plan.ranks().size();
        int inputs = AlgorithmFile.inputChunks(plan.function(), plan.nChunks(), nRanks);
        int outputs = AlgorithmFile.outputChunks(plan.function(), plan.nChunks(), nRanks);
        int part = chunks.room() == Room.INPUT ? inputs : outputs;
        return chunks.offset() + (part < Math.max(inputs, outputs) ? rank * part : 0);
    }

    /** What a thread block does by itself. */
    PlanStrand local(int rank, String place) {
        PlanStrand strand = new PlanStrand(place, -1, -1, -1);
        strands.get(rank).add(strand);
        return strand;
    }

    /** What it sends over a port. */
    PlanStrand sends(int rank, Plan.Port port, int block, boolean isOfPackets, Plan.Op op) {
        Link link = new Link(rank, port.peer(), port.number(), isOfPackets ? block : -1);
        PlanStrand strand = sends.computeIfAbsent(link, any -> new PlanStrand(op.place(), port.peer(), -1,
                channels.merge(List.of(rank, port.peer()), 1, Integer::sum) - 1));
        return owned(strand, rank, block, op);
    }

    /** What it waits for over one. */
    PlanStrand recvs(int rank, Plan.Port port, int block, Plan.Op op) {
        Link link = new Link(port.peer(), rank, port.number(), -1);
        return owned(recvs.computeIfAbsent(link, any -> new PlanStrand(op.place(), -1, port.peer(), -1)), rank, block,
                op);
    }

    private PlanStrand owned(PlanStrand strand, int rank, int block, Plan.Op op) {
        Integer owner = owners.putIfAbsent(strand, block);
        if (owner == null) {
            strands.get(rank).add(strand);
        } else if (owner != block) {
            throw AlgorithmFile.refused(file, op.place(), "thread blocks " + owner + " and " + block + " of rank "
                    + rank + " have the same channel, in no order; one of them is to have it");
        }
        return strand;
    }

    /** Lets come in what a link brings: packets at once, all else where the receiver waits for it. */
    private void bring(Link link, PlanStrand sent) {
        PlanStrand waits = link.packets < 0 ? recvs.remove(link) : null;
        PlanStrand strand = new PlanStrand(waits == null ? sent.place : waits.place, -1, link.from, sent.channel);
        int wait = 0;
        List<Draft> group = new ArrayList<>();
        for (Draft draft : sent.drafts) {
            group.add(draft);
            if (draft.arrival != null) {
                strand.add(draft.arrival);
                group.clear();
            } else if (draft.isSignalled) {
                if (waits == null || wait == waits.drafts.size()) {
                    throw AlgorithmFile.refused(file, draft.place, "rank " + link.to + " does not wait for this "
                            + "signal, number " + (wait + 1) + " of the channel");
                }
                bring(strand, group, waits.drafts.get(wait++));
                group.clear();
            }
        }
        if (!group.isEmpty()) {
            throw AlgorithmFile.refused(file, group.getFirst().place, "no signal comes behind this put, so rank "
                    + link.to + " cannot know that it has come");
        }
        if (waits != null && wait < waits.drafts.size()) {
            throw unsignalled(waits.drafts.get(wait), link.from, wait);
        }
        List<PlanStrand> own = strands.get(link.to);
        if (waits != null) {
            own.set(own.indexOf(waits), strand);
        } else {
            own.add(strand);
        }
    }

    /** Before a wait: what comes in there. */
    private void bring(PlanStrand strand, List<Draft> group, Draft wait) {
        for (Draft draft : group) {
            if (draft.kind == StepKind.SEND) {
                count(wait.place);
                wait.after = strand.add(new Draft(wait.place, StepKind.RECV, null, draft.target(), wait.after));
            }
        }
        boolean isByData = group.getLast().kind == StepKind.SEND;
        group.getLast().isGone = isLean && !isByData;
        wait.isGone = isByData || isLean;
        strand.add(wait);
    }

    private void requireSignals(PlanStrand waits) {
        throw unsignalled(waits.drafts.getFirst(), waits.recvPeer, 0);
    }

    private ProxyException unsignalled(Draft wait, int from, int given) {
        return AlgorithmFile.refused(file, wait.place, "this waits for signal " + (given + 1) + " of the channel, and "
                + "rank " + from + " gives " + given);
    }
}
