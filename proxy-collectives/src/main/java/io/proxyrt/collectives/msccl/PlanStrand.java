/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.ArrayList;
import java.util.List;

/**
 * Steps that become one block of a rank: what a thread block does by itself, what it sends over a port, or what comes
 * in over one. A thread block of MSCCL++ goes on while its proxy sends; so sends have blocks of their own.
 */
final class PlanStrand {
    final String place;
    final int sendPeer;
    final int recvPeer;
    final int channel;
    final List<Draft> drafts = new ArrayList<>();
    /** Of the block that it becomes. */
    int id;

    PlanStrand(String place, int sendPeer, int recvPeer, int channel) {
        this.place = place;
        this.sendPeer = sendPeer;
        this.recvPeer = recvPeer;
        this.channel = channel;
    }

    Draft add(Draft draft) {
        draft.strand = this;
        drafts.add(draft);
        return draft;
    }

    Draft last() {
        return drafts.isEmpty() ? null : drafts.getLast();
    }

    /** Numbers what becomes steps. */
    void number(int block) {
        id = block;
        int at = 0;
        for (Draft draft : drafts) {
            if (!draft.isGone) {
                draft.index = at++;
            }
        }
    }

    ProgramBlock block() {
        return new ProgramBlock(place, id, sendPeer, recvPeer, channel, drafts.stream().filter(draft -> !draft.isGone)
                .map(Draft::step).toList());
    }

    /** A step, before all others are known. */
    static final class Draft {
        private static final Plan.Chunks NOWHERE = new Plan.Chunks(null, -1, 0);

        final String place;
        final StepKind kind;
        private final Plan.Chunks source;
        /** Of what is sent, where at the peer. */
        private final Plan.Chunks target;
        /** The step that has to be done before, besides those of its strand; null if there is none. */
        Draft after;
        /** Null while it was only spoken of. */
        PlanStrand strand;
        /** Of packets that are sent: where they come in, whenever that is. */
        Draft arrival;
        /** Whether the receiver waits for it; of what is sent. */
        boolean isSignalled;
        /** What it waits for is what comes before it: there is nothing left to do. */
        boolean isGone;
        private int index;

        Draft(String place, StepKind kind, Plan.Chunks source, Plan.Chunks target, Draft after) {
            this.place = place;
            this.kind = kind;
            this.source = source;
            this.target = target;
            this.after = after;
        }

        static Draft nop(String place, Draft after) {
            return new Draft(place, StepKind.NOP, null, null, after);
        }

        Plan.Chunks target() {
            return target;
        }

        private int count() {
            return source != null ? source.count() : target != null ? target.count() : 0;
        }

        /** Itself, or what is done when it is. */
        private Draft standIn() {
            Draft draft = this;
            while (draft != null && draft.isGone) {
                draft = draft.after;
            }
            return draft;
        }

        private ProgramStep step() {
            Draft before = after == null ? null : after.standIn();
            boolean isBehind = before == null || before.strand == strand && before.index < index;
            Plan.Chunks from = kind.reads() ? source : NOWHERE;
            Plan.Chunks to = kind.writes() ? target : NOWHERE;
            return new ProgramStep(place, kind, from.room(), from.offset(), to.room(), to.offset(), count(),
                    isBehind ? -1 : before.strand.id, isBehind ? -1 : before.index);
        }
    }
}
