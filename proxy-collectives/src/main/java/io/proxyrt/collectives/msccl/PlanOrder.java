/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.collectives.msccl.PlanStrand.Draft;
import io.proxyrt.core.ProxyException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What thread blocks of a rank wait for of one another: barriers and semaphores. Which release an acquire takes is a
 * matter of chance if several blocks release, or acquire, the same semaphore; then it waits for all of them.
 */
final class PlanOrder {
    private final String file;
    private final Plan.OfRank rank;
    /** Of releases and arrivals at barriers: the steps that they become. */
    private final Map<Plan.Op, Draft> steps = new IdentityHashMap<>();
    private final Map<Integer, Uses> releases = new HashMap<>();
    private final Map<Integer, Uses> acquires = new HashMap<>();
    private final Map<Integer, Uses> barriers = new HashMap<>();
    /** Which of its block's uses of a semaphore or a barrier an op is. */
    private final Map<Plan.Op, Map<Integer, Integer>> numbers = new IdentityHashMap<>();

    PlanOrder(String file, Plan.OfRank rank) {
        this.file = file;
        this.rank = rank;
        for (int block = 0; block < rank.blocks().size(); block++) {
            for (Plan.Op op : rank.blocks().get(block).ops()) {
                switch (op.kind()) {
                    case SEM_RELEASE -> add(releases, block, op, op.ids());
                    case SEM_ACQUIRE -> add(acquires, block, op, op.ids());
                    case BARRIER -> add(barriers, block, op, op.ids().subList(0, 1));
                    default -> {
                        // No matter of several blocks.
                    }
                }
            }
        }
        barriers.values().forEach(this::requireAll);
    }

    /** By block: its uses, in its order. */
    private record Uses(Map<Integer, List<Plan.Op>> byBlock) {
        int count() {
            return byBlock.values().stream().mapToInt(List::size).sum();
        }
    }

    private void add(Map<Integer, Uses> uses, int block, Plan.Op op, List<Integer> ids) {
        steps.put(op, Draft.nop(op.place(), null));
        Map<Integer, Integer> own = numbers.computeIfAbsent(op, any -> new HashMap<>());
        for (int id : ids) {
            List<Plan.Op> before = uses.computeIfAbsent(id, any -> new Uses(new LinkedHashMap<>())).byBlock
                    .computeIfAbsent(block, any -> new ArrayList<>());
            if (own.putIfAbsent(id, before.size()) != null) {
                throw AlgorithmFile.refused(file, op.place(), "semaphore " + id + " is there twice");
            }
            before.add(op);
        }
    }

    private void requireAll(Uses uses) {
        Set<Integer> blocks = uses.byBlock.keySet();
        for (List<Plan.Op> ops : uses.byBlock.values()) {
            for (Plan.Op op : ops) {
                if (op.ids().get(1) != blocks.size()) {
                    throw AlgorithmFile.refused(file, op.place(), "barrier " + op.ids().getFirst() + " is for "
                            + op.ids().get(1) + " thread blocks, and " + blocks + " have it");
                }
            }
            if (ops.size() * blocks.size() != uses.count()) {
                throw AlgorithmFile.refused(file, ops.getFirst().place(), "thread blocks " + blocks + " do not have "
                        + "barrier " + ops.getFirst().ids().getFirst() + " equally often");
            }
        }
    }

    /** What a release or an arrival becomes. */
    Draft step(Plan.Op op) {
        return steps.get(op);
    }

    /** What the others do before a block goes on behind its barrier. */
    List<Draft> arrivals(Plan.Op barrier) {
        int id = barrier.ids().getFirst();
        int number = numbers.get(barrier).get(id);
        return barriers.get(id).byBlock.values().stream().map(ops -> steps.get(ops.get(number)))
                .filter(step -> step != steps.get(barrier)).toList();
    }

    /** What is done before an acquire comes to its end. */
    List<Draft> released(Plan.Op acquire, int id) {
        Uses given = releases.getOrDefault(id, new Uses(Map.of()));
        Uses taken = acquires.get(id);
        int initial = rank.semaphores().get(id);
        if (taken.count() - (long) given.count() > initial) {
            throw tooFew(acquire, id, taken.count(), given.count() + (long) initial);
        }
        boolean isAlone = taken.byBlock.size() == 1;
        int needed = isAlone ? numbers.get(acquire).get(id) + 1 - initial : taken.count() - initial;
        if (needed <= 0) {
            return List.of();
        }
        if (isAlone && given.byBlock.size() == 1) {
            return List.of(steps.get(given.byBlock.values().iterator().next().get(needed - 1)));
        }
        return given.byBlock.values().stream().map(ops -> steps.get(ops.getLast())).toList();
    }

    private ProxyException tooFew(Plan.Op acquire, int id, int taken, long given) {
        return AlgorithmFile.refused(file, acquire.place(), "semaphore " + id + " is acquired " + taken
                + " times in all, and has " + given + " to give with its releases");
    }
}
