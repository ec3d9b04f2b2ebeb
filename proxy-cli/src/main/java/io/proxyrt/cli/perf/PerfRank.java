/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.cli.perf.PerfView.Measurement;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceGraph;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One rank's part of a measurement: goes through all types, reductions, roots and sizes, in step with the others. */
final class PerfRank implements AutoCloseable {
    private static final double NANOS_PER_MICRO = 1e3;

    private final Communicator comm;
    private final PerfPlan plan;
    private final PerfReport report;
    private final ControlChannel control;
    private final int share;
    private final JitSettling settling;
    private final DeviceBytes access;
    /** Null if operations are launched themselves. */
    private final GraphLauncher graphs;
    private final GuardedBuffer sendBuffer;
    private final GuardedBuffer recvBuffer;
    private final Map<Variant, DataCheck> checks = new HashMap<>();
    private int failures;
    private int measurements;
    private double busBwSum;

    PerfRank(Communicator comm, PerfPlan plan, PerfReport report) {
        this.comm = comm;
        this.plan = plan;
        this.report = report;
        this.control = new ControlChannel(comm);
        // All ranks do the same number of rounds, whatever CPUs each has.
        this.share = (int) control.reduce(JitWarmup.share(comm.proxy().threading().load()), RedOp.MAX);
        this.settling = new JitSettling(control, this::launch, plan.jitWarmup(), share);
        this.access = new DeviceBytes(comm.proxy().device());
        this.graphs = plan.loops().graphs() == 0 ? null : new GraphLauncher(comm);
        this.sendBuffer = new GuardedBuffer(comm, plan.sizes().maxBytes(), access);
        this.recvBuffer = new GuardedBuffer(comm, plan.sizes().maxBytes(), access);
    }

    /** Measures everything. Returns how many measurements had something wrong, the same at every rank. */
    int run(String device) {
        report.begin(plan, control.gather(device));
        if (comm.proxy().config().get(CollectivesOptions.COLLNET_ENABLE)) {
            report.collNet(comm.explainCollNet());
        }
        plan.collective().ofFiles().ifPresent(this::tellFiles);
        new JitWarmup(plan, comm.nRanks(), share, control, report, this::rehearse).run();
        report.beginRows();
        for (Variant variant : plan.variants()) {
            warmUp(variant);
            for (long bytes : plan.sizes().all()) {
                row(variant, bytes);
            }
            checks.remove(variant);
        }
        report.end(failures, measurements == 0 ? 0 : busBwSum / measurements);
        return failures;
    }

    /** Says which rows are of algorithms of files, if any are. */
    private void tellFiles(CollFunction function) {
        Variant variant = plan.variants().getFirst();
        int elementBytes = variant.type().sizeBytes();
        List<Long> sizes = plan.sizes().all().stream().map(bytes -> shape(variant, bytes))
                .filter(shape -> comm.algorithm(function, shape.paramCount() * elementBytes) == Algorithm.MSCCL)
                .map(shape -> shape.sizeBytes(elementBytes)).toList();
        if (!sizes.isEmpty()) {
            report.note("MSCCL files are for " + sizes.size() + " of " + plan.sizes().rows() + " sizes, from "
                    + sizes.getFirst() + " to " + sizes.getLast() + " bytes");
        }
    }

    @Override
    public void close() {
        recvBuffer.close();
        sendBuffer.close();
        if (graphs != null) {
            graphs.close();
        }
        access.close();
        control.close();
    }

    private void warmUp(Variant variant) {
        control.barrier();
        for (long bytes : List.of(plan.sizes().maxBytes(), plan.sizes().minBytes())) {
            launch(variant, bytes, false, plan.loops().warmup());
        }
    }

    /** Checks too, because the compilers would otherwise still work on that while the first rows are measured. */
    private void rehearse(Variant variant, long bytes, boolean isInPlace, int calls) {
        launch(variant, bytes, isInPlace, calls);
        check(variant, shape(variant, bytes), isInPlace);
    }

    private void row(Variant variant, long bytes) {
        Shape shape = shape(variant, bytes);
        report.beginRow(shape.sizeBytes(variant.type().sizeBytes()), shape.paramCount(), variant);
        for (boolean isInPlace : new boolean[] {false, true}) {
            Measurement measurement = measure(variant, shape, bytes, isInPlace);
            report.measured(measurement);
            failures += measurement.wrong() != null && measurement.wrong() > 0 ? 1 : 0;
            busBwSum += measurement.busBw();
            measurements++;
        }
    }

    private Measurement measure(Variant variant, Shape shape, long bytes, boolean isInPlace) {
        if (!plan.jitWarmup().isZero()) {
            settling.settle(variant, bytes, isInPlace);
        }
        launch(variant, bytes, isInPlace, 1);
        double nanos = average(nanos(variant, bytes, isInPlace));
        double algBw = shape.sizeBytes(variant.type().sizeBytes()) / nanos;
        return new Measurement(nanos / NANOS_PER_MICRO, algBw, algBw * plan.collective().busFactor(comm.nRanks()),
                check(variant, shape, isInPlace));
    }

    /** Of an operation. All ranks begin together. */
    private double nanos(Variant variant, long bytes, boolean isInPlace) {
        int calls = plan.loops().iterations() * plan.loops().aggregate();
        if (graphs == null) {
            control.barrier();
            long start = System.nanoTime();
            launch(variant, bytes, isInPlace, calls);
            return (double) (System.nanoTime() - start) / calls;
        }
        try (DeviceGraph graph = capture(variant, placement(variant, shape(variant, bytes), isInPlace), calls)) {
            graphs.launch(graph, 1);
            control.barrier();
            long start = System.nanoTime();
            graphs.launch(graph, plan.loops().graphs());
            return (double) (System.nanoTime() - start) / calls / plan.loops().graphs();
        }
    }

    private DeviceGraph capture(Variant variant, Placement placement, int calls) {
        return graphs.capture(stream -> {
            for (int i = 0; i < calls; i++) {
                plan.collective().capture(comm, stream, call(variant, placement), placement.send(i), placement.recv(i));
            }
        });
    }

    /** How many elements and guard words are wrong; null if that is not to be checked. */
    private Long check(Variant variant, Shape shape, boolean isInPlace) {
        if (plan.loops().checks() == 0 || isInPlace && !plan.collective().isCheckedInPlace()) {
            return null;
        }
        DataCheck check = checks.computeIfAbsent(variant, v -> new DataCheck(plan.collective(), v, comm));
        Placement placement = placement(variant, shape, isInPlace);
        long wrong = 0;
        for (int i = 0; i < plan.loops().checks() && wrong == 0; i++) {
            check.prepare(placement);
            checked(variant, placement);
            wrong = (long) control.reduce(check.countWrong(placement), RedOp.SUM);
        }
        return wrong;
    }

    /** One operation, in the way that is measured. */
    private void checked(Variant variant, Placement placement) {
        if (graphs == null) {
            call(variant, placement, 0);
            comm.synchronize();
            return;
        }
        try (DeviceGraph graph = capture(variant, placement, 1)) {
            graphs.launch(graph, 1);
        }
    }

    /** Launches calls, one behind the other, and waits for all of them once. */
    private void launch(Variant variant, long bytes, boolean isInPlace, int calls) {
        Placement placement = placement(variant, shape(variant, bytes), isInPlace);
        for (int i = 0; i < calls; i++) {
            call(variant, placement, i);
        }
        comm.synchronize();
    }

    private void call(Variant variant, Placement placement, long call) {
        plan.collective().launch(comm, call(variant, placement), placement.send(call), placement.recv(call));
    }

    private static Collective.Call call(Variant variant, Placement placement) {
        return new Collective.Call(placement.shape().paramCount(), variant.type(), variant.op(), variant.root());
    }

    private Shape shape(Variant variant, long bytes) {
        return plan.shape(bytes, variant.type(), comm.rank(), comm.nRanks());
    }

    private Placement placement(Variant variant, Shape shape, boolean isInPlace) {
        return new Placement(isInPlace ? recvBuffer : sendBuffer, recvBuffer, shape, variant.type().sizeBytes(),
                plan.sizes().maxBytes());
    }

    private double average(double mine) {
        return switch (plan.average()) {
            case AVERAGE -> control.reduce(mine, RedOp.SUM) / comm.nRanks();
            case MIN -> control.reduce(mine, RedOp.MIN);
            case MAX -> control.reduce(mine, RedOp.MAX);
            case RANK0 -> control.reduce(comm.rank() == 0 ? mine : 0, RedOp.SUM);
        };
    }
}
