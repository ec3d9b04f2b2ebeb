/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.RedOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One rank's part of a soak: round after round, in step with the others, until rank 0 has had enough. */
final class SoakRank implements AutoCloseable {
    /** What a rank has to say after a round; the greatest is heard by all. */
    private static final int GO_ON = 0;
    private static final int STOP = 1;
    private static final int WRONG = 2;

    private final Communicator comm;
    private final SoakPlan plan;
    private final SoakReport report;
    private final ControlChannel control;
    private final DeviceBytes access;
    private final List<SoakBuffers> buffers = new ArrayList<>();
    private final long seed;

    SoakRank(Communicator comm, SoakPlan plan, SoakReport report) {
        this.comm = comm;
        this.plan = plan;
        this.report = report;
        this.control = new ControlChannel(comm);
        this.access = new DeviceBytes(comm.proxy().device());
        Map<String, DataPattern> patterns = SoakBuffers.patterns();
        for (int i = 0; i < SoakRound.MAX_OPS; i++) {
            buffers.add(new SoakBuffers(comm, plan.maxBytes(), access, patterns));
        }
        this.seed = Long.parseLong(control.gather(Long.toString(plan.seed())).getFirst());
    }

    /** Returns whether everything was right, the same at all ranks. */
    boolean run(String device) {
        report.begin(seed, plan, control.gather(device));
        int verdict = GO_ON;
        for (long number = plan.firstRound(); verdict == GO_ON; number++) {
            SoakRound round = SoakRound.of(seed, number, comm.nRanks(), plan.maxBytes());
            prepare(round.ops());
            long beforeNs = System.nanoTime();
            launch(round.ops());
            comm.synchronize();
            String wrong = findWrong(round.ops());
            boolean isEnough = number - plan.firstRound() + 1 >= plan.rounds() || report.isEnough();
            int mine = !wrong.isEmpty() ? WRONG : isEnough && comm.rank() == 0 ? STOP : GO_ON;
            verdict = (int) control.reduce(mine, RedOp.MAX);
            report.done(round, System.nanoTime() - beforeNs, comm.nRanks());
            if (verdict == WRONG) {
                report.wrong(round, control.gather(wrong));
            }
        }
        report.end(verdict == STOP);
        return verdict == STOP;
    }

    @Override
    public void close() {
        buffers.forEach(SoakBuffers::close);
        access.close();
        control.close();
    }

    private void prepare(List<SoakOp> ops) {
        for (int i = 0; i < ops.size(); i++) {
            buffers.get(i).prepare(ops.get(i));
        }
    }

    private void launch(List<SoakOp> ops) {
        for (int i = 0; i < ops.size(); i++) {
            launch(ops.get(i), buffers.get(i));
        }
    }

    private void launch(SoakOp op, SoakBuffers memory) {
        int nRanks = comm.nRanks();
        if (op.collective() == Collective.SENDRECV) {
            comm.sendRecv(memory.input(op), (comm.rank() + op.peer()) % nRanks, memory.output(op),
                    Math.floorMod(comm.rank() - op.peer(), nRanks));
        } else {
            op.collective().launch(comm, new Collective.Call(op.count(), op.type(), op.op(), op.peer()),
                    memory.input(op), memory.output(op));
        }
    }

    private String findWrong(List<SoakOp> ops) {
        for (int i = 0; i < ops.size(); i++) {
            String wrong = buffers.get(i).findWrong(ops.get(i));
            if (!wrong.isEmpty()) {
                return "operation " + i + ": " + wrong;
            }
        }
        return "";
    }
}
