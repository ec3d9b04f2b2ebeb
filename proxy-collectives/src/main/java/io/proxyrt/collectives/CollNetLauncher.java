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
import io.proxyrt.core.RedOp;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.ProxyState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Launches collectives that the network carries out, on the stream of a {@link HostLauncher}. */
final class CollNetLauncher {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.collnet");

    private final CollNet collNet;
    private final HostLauncher launcher;
    private final LaunchOps ops;
    private final LaunchPlanner planner;
    private final CollNetKernel[] kernels;
    private final boolean reports;
    private final Set<String> reported = new HashSet<>();
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
    boolean takes(CollFunction function, DataType type, RedOp op, long bytes) {
        if (bytes == 0 || function == CollFunction.BROADCAST || !collNet.isSmall(function, bytes)) {
            return false;
        }
        boolean isCarried = collNet.carries(function, type, op);
        if (!isCarried && reports) {
            report(collNet.whyNot(function, type, op));
        }
        return isCarried;
    }

    private void report(String whyNot) {
        if (reported.add(whyNot)) {
            LOG.info("{}: the ranks do it", whyNot);
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
        RegisteredMemory piece = work.function() == CollFunction.ALL_REDUCE ? planner.find(buffer, work.bytes()) : null;
        return piece == null || piece.collNet == 0 ? null : piece;
    }

    /** Ends what was appended last, which will not end by itself; then no network uses the user's memory any more. */
    void end(ProxyState proxy, OpsPoster poster, UserMemory memory, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        // An op that was not fetched yet cannot be cancelled yet.
        do {
            cancel(proxy, timeout);
        } while (poster.outstanding() > 0 && deadline - System.nanoTime() > 0);
        for (CollNet.Lane lane : collNet.lanes()) {
            if (lane.toNet() != null) {
                close(proxy, lane.toNet(), timeout);
                close(proxy, lane.fromNet(), timeout);
            }
        }
        memory.withoutNetwork();
    }

    private static void close(ProxyState proxy, ConnectionEnd end, Duration timeout) {
        proxy.await(end.connector().close(), timeout, "close of " + end.connector());
    }

    private void cancel(ProxyState proxy, Duration timeout) {
        for (CollNet.Lane lane : collNet.lanes()) {
            Stream<ConnectionEnd> own = lane.toNet() == null
                    ? Stream.of(lane.parent().send(), lane.parent().recv()) : Stream.of(lane.toNet(), lane.fromNet());
            Stream.concat(own, lane.children().stream()
                    .flatMap(child -> Stream.of(child.pair().send(), child.pair().recv())))
                    .filter(ConnectionEnd::needsProxy).forEach(end -> proxy.await(proxy.cancel(end.id(), opCount),
                            timeout, "cancelling op " + opCount));
        }
    }

    /** What was appended. */
    void launch() {
        launcher.launch(kernels[launcher.next()]);
    }
}
