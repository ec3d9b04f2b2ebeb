/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollNetGeometry;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.runtime.ConnectionEnd;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import org.slf4j.Logger;

/** Launches collectives that the network carries out, on the stream of a {@link HostLauncher}. */
final class CollNetLauncher {
    private static final Logger LOG = Subsystem.NET.logger("collnet");
    private static final int TYPES = DataType.values().length;
    private static final int OPS = ReduceOp.CODES;

    private final CollNet collNet;
    private final HostLauncher launcher;
    private final LaunchOps ops;
    private final LaunchPlanner planner;
    private final CollNetKernel[] kernels;
    private final boolean reports;
    /** By function, type and operator. */
    private final BitSet reported = new BitSet();
    private long opCount;

    CollNetLauncher(CollNet collNet, HostLauncher launcher, LaunchOps ops, LaunchPlanner planner, int rank) {
        this.collNet = collNet;
        this.launcher = launcher;
        this.ops = ops;
        this.planner = planner;
        this.kernels = collNet.kernels(launcher.capacity());
        this.reports = rank == 0;
    }

    /** Whether the network carries a collective out; what it cannot, rank 0 says once. All ranks say the same. */
    boolean takes(CollFunction function, DataType type, ReduceOp op, long bytes) {
        if (bytes == 0 || function == CollFunction.BROADCAST || !collNet.isSmall(function, bytes)) {
            return false;
        }
        boolean isCarried = collNet.carries(function, type, op);
        if (!isCarried && reports) {
            report(function, type, op);
        }
        return isCarried;
    }

    Algorithm algorithm() {
        return collNet.algorithm();
    }

    private void report(CollFunction function, DataType type, ReduceOp op) {
        int which = (function.ordinal() * TYPES + type.ordinal()) * (OPS + 1) + (op == null ? OPS : op.code());
        if (!reported.get(which)) {
            reported.set(which);
            LOG.info("rank 0: {}: the ranks do it", collNet.whyNot(function, type, op));
        }
    }

    /** Takes over what is asked for, and tells the proxy; posting is the caller's. */
    CollNetKernel append(CollectiveWork asked) {
        CollNetKernel kernel = kernels[launcher.next()];
        kernel.redoable(false);
        opCount = ops.nextCollective();
        asked.moveTo(kernel.work());
        kernel.work().opCount(opCount);
        RegisteredMemory send = find(kernel.work(), kernel.work().sendBuffer());
        RegisteredMemory recv = send == null ? null : find(kernel.work(), kernel.work().recvBuffer());
        kernel.registered(recv != null);
        CollNetGeometry geometry = kernel.prepare(collNet.stepBytes());
        if (recv != null) {
            ops.collNet(opCount, collNet, geometry, kernel.work(), send, recv);
        } else {
            for (CollNet.Lane lane : collNet.lanes()) {
                ops.collNet(opCount, collNet, lane, geometry, kernel.work());
            }
        }
        return kernel;
    }

    /** The piece that an all-reduce's buffer lies in, if the network takes it as it is; else null. */
    private RegisteredMemory find(CollectiveWork work, MemorySegment buffer) {
        boolean mayBe = work.function() == CollFunction.ALL_REDUCE && !(work.op() instanceof PreMulSum);
        RegisteredMemory piece = mayBe ? planner.find(buffer, work.bytes()) : null;
        return piece == null || piece.collNet == 0 ? null : piece;
    }

    /**
     * Ends what was appended last, which will not end by itself; then no network uses the user's memory any more.
     *
     * @throws ProxyException {@link ProxyResult#TIMEOUT} if that cannot be had in time
     */
    void end(CommunicatorParts parts) {
        long deadline = System.nanoTime() + parts.timeout.toNanos();
        List<ConnectionEnd> proxied = CollNetLanes.ends(collNet.lanes()).filter(ConnectionEnd::needsProxy).toList();
        do {
            for (ConnectionEnd end : proxied) {
                parts.proxy.await(parts.proxy.cancel(end.id(), opCount), left(deadline), "cancelling op " + opCount);
            }
            // An op that was not fetched yet cannot be cancelled yet.
        } while (parts.poster.outstanding() > 0 && !left(deadline).isZero());
        if (parts.poster.outstanding() > 0) {
            throw new ProxyException(ProxyResult.TIMEOUT, parts.poster.outstanding() + " ops of collective #" + opCount
                    + " did not end within " + parts.timeout.toMillis() + " ms");
        }
        for (ConnectionEnd end : CollNetLanes.network(collNet.lanes())) {
            parts.proxy.await(end.connector().close(), left(deadline), "close of " + end.connector());
        }
        parts.memory.withoutNetwork();
    }

    private static Duration left(long deadlineNs) {
        return Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime()));
    }

    /** What was appended. */
    void launch() {
        launcher.launch(kernels[launcher.next()]);
    }
}
