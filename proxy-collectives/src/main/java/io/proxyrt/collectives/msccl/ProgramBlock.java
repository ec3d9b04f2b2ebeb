/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.List;

/**
 * A thread block of a rank: steps that go one after the other, beside those of other blocks.
 *
 * @param place    in the file, for people
 * @param id       its number in the rank
 * @param sendPeer to whom it sends; -1 if to none
 * @param recvPeer from whom it receives; -1 if from none
 * @param channel  over which; -1 only if it does neither
 * @param steps    in their order
 */
public record ProgramBlock(String place, int id, int sendPeer, int recvPeer, int channel, List<ProgramStep> steps) {
    /** Copies the steps. */
    public ProgramBlock {
        steps = List.copyOf(steps);
    }

    /** {@return how many steps send} */
    public int sends() {
        return (int) steps.stream().filter(step -> step.kind().sends()).count();
    }

    /** {@return how many steps receive} */
    public int recvs() {
        return (int) steps.stream().filter(step -> step.kind().receives()).count();
    }
}
