/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.collectives.msccl.PlanStrand.Draft;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes steps of a thread block's ops, one after the other. */
final class PlanBlock {
    private final PlanTranslation translation;
    private final PlanOrder order;
    private final int rank;
    private final int id;
    private final PlanStrand local;
    /** What the next step by itself has to wait for, besides its own strand. */
    private final Set<Draft> pending = new LinkedHashSet<>();
    /** By port: what was put last, of packets and of all else. */
    private final Map<Plan.Port, Map<PlanStrand, Draft>> sent = new HashMap<>();

    PlanBlock(PlanTranslation translation, PlanOrder order, int rank, int id, String place) {
        this.translation = translation;
        this.order = order;
        this.rank = rank;
        this.id = id;
        this.local = translation.local(rank, place);
    }

    void translate(Plan.Op op) {
        switch (op.kind()) {
            case NOP -> {
                // Steps of a block are in their order without it.
            }
            case BARRIER -> {
                put(op, order.step(op));
                await(op, order.arrivals(op));
            }
            case SEM_RELEASE -> put(op, order.step(op));
            case SEM_ACQUIRE -> op.ids().forEach(semaphore -> await(op, order.released(op, semaphore)));
            case PUT, PWS, PWSF -> send(op);
            case SIGNAL -> signal(op);
            case WAIT -> receive(op);
            case FLUSH -> flush(op);
            case COPY -> local(op, StepKind.COPY, op.sources().getFirst(), op.targets().getFirst());
            case RE -> reduce(op);
            case PPKT, RPPKT -> sendPackets(op);
            case CPKT -> put(op, translation.packets().step(op, 0));
            case UPKT -> {
                awaitPackets(op, 0);
                local(op, StepKind.COPY, op.sources().getFirst(), op.targets().getFirst());
            }
            case REPKT -> reducePackets(op);
            case RECPKT -> {
                reducePackets(op);
                put(op, translation.packets().step(op, 0));
            }
        }
    }

    /** What is done so far, for what other strands do next; null if nothing is. */
    private Draft point(Plan.Op op) {
        if (pending.size() == 1 && pending.iterator().next().after == local.last()) {
            return pending.iterator().next();
        }
        if (!pending.isEmpty()) {
            put(op, Draft.nop(op.place(), null));
        }
        return local.last();
    }

    /** A step by itself, behind all that is pending: of that, each but the last has a step of its own. */
    private void put(Plan.Op op, Draft step) {
        Draft last = null;
        for (Draft before : pending) {
            if (last != null) {
                translation.count(op.place());
                local.add(Draft.nop(op.place(), last));
            }
            last = before;
        }
        pending.clear();
        translation.count(op.place());
        step.after = last;
        local.add(step);
    }

    private void local(Plan.Op op, StepKind kind, Plan.Chunks source, Plan.Chunks target) {
        put(op, new Draft(op.place(), kind, source, target, null));
    }

    private void await(Plan.Op op, Collection<Draft> steps) {
        for (Draft step : steps) {
            if (step.strand != local) {
                translation.count(op.place());
                pending.remove(step.after);
                pending.add(step);
            }
        }
    }

    private void awaitPackets(Plan.Op op, int firstSource) {
        op.sources().stream().skip(firstSource).forEach(packets ->
                await(op, translation.packets().before(rank, op, packets)));
    }

    private void send(Plan.Op op) {
        Draft point = point(op);
        for (int i = 0; i < op.ports().size(); i++) {
            PlanStrand strand = translation.sends(rank, op.ports().get(i), id, false, op);
            send(op, i, strand, new Draft(op.place(), StepKind.SEND, op.sources().get(i), op.targets().get(i), point));
            strand.last().isSignalled = op.kind() != Plan.Kind.PUT;
        }
        if (op.kind() == Plan.Kind.PWSF) {
            flush(op);
        }
    }

    private void send(Plan.Op op, int port, PlanStrand strand, Draft draft) {
        translation.count(op.place());
        strand.add(draft);
        sent.computeIfAbsent(op.ports().get(port), any -> new LinkedHashMap<>()).put(strand, draft);
    }

    private void sendPackets(Plan.Op op) {
        awaitPackets(op, 0);
        Draft point = point(op);
        for (int i = 0; i < op.ports().size(); i++) {
            PlanStrand strand = translation.sends(rank, op.ports().get(i), id, true, op);
            Draft draft = new Draft(op.place(), StepKind.SEND, op.sources().get(i % op.sources().size()),
                    op.targets().get(i), point);
            draft.arrival = translation.packets().step(op, i);
            send(op, i, strand, draft);
        }
    }

    /** With the put before it, if nothing has been done since: then the data are the signal. */
    private void signal(Plan.Op op) {
        Draft point = point(op);
        for (Plan.Port port : op.ports()) {
            PlanStrand strand = translation.sends(rank, port, id, false, op);
            Draft last = strand.last();
            boolean isWithPut = last != null && last.kind == StepKind.SEND && !last.isSignalled
                    && (last.after == point || point != null && point.strand == strand);
            if (!isWithPut) {
                translation.count(op.place());
                last = strand.add(new Draft(op.place(), StepKind.SIGNAL, null, null, point));
            }
            last.isSignalled = true;
        }
    }

    private void receive(Plan.Op op) {
        Draft point = point(op);
        List<Draft> waits = new ArrayList<>();
        for (Plan.Port port : op.ports()) {
            translation.count(op.place());
            waits.add(translation.recvs(rank, port, id, op)
                    .add(new Draft(op.place(), StepKind.WAIT, null, null, point)));
        }
        await(op, waits);
    }

    /** What was put is in slots of connections as soon as its step is done. */
    private void flush(Plan.Op op) {
        op.ports().forEach(port -> await(op, sent.getOrDefault(port, Map.of()).values()));
    }

    private void reducePackets(Plan.Op op) {
        awaitPackets(op, 1);
        reduce(op);
    }

    /** All sources into the target, which may be one of them. */
    private void reduce(Plan.Op op) {
        Plan.Chunks target = op.targets().getFirst();
        int first = 0;
        while (first < op.sources().size() && !translation.isSame(rank, op.sources().get(first), target)) {
            first++;
        }
        if (first == op.sources().size()) {
            first = 0;
            local(op, StepKind.COPY, op.sources().getFirst(), target);
        }
        for (int i = 0; i < op.sources().size(); i++) {
            if (i != first) {
                local(op, StepKind.REDUCE, op.sources().get(i), target);
            }
        }
    }
}
