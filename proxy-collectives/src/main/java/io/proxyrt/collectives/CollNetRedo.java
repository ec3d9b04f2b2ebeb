/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that a collective which the network did not finish at one rank is done again by all. A rank that finds the
 * network gone tells all others, whose kernels then give up; when no rank's runs any more, they tell each other what
 * came of it. The input is as it was, for the caller waits meanwhile, and what the output overwrites is kept.
 */
final class CollNetRedo {
    private static final Logger LOG = LoggerFactory.getLogger("proxyrt.collnet");

    private final CommunicatorParts parts;
    private final Bootstrap bootstrap;
    private final CollNetLauncher launcher;
    private final HostWaiter waiter;
    private CollFunction function;
    private DataType type;
    private RedOp op;
    private MemorySegment input;
    private MemorySegment output;
    private long bytes;
    private MemorySegment overwritten = MemorySegment.NULL;

    CollNetRedo(CommunicatorParts parts, CollNetLauncher launcher, HostWaiter waiter) {
        this.parts = parts;
        this.bootstrap = parts.failure.bootstrap();
        this.launcher = launcher;
        this.waiter = waiter;
    }

    CollFunction function() {
        return function;
    }

    DataType type() {
        return type;
    }

    RedOp op() {
        return op;
    }

    /** Waits for all that was launched, and keeps what the output would overwrite of the input. */
    void begin(CollectiveWork work) {
        parts.await();
        function = work.function();
        type = work.type();
        op = work.op();
        input = work.sendBuffer();
        output = work.recvBuffer();
        bytes = work.bytes();
        boolean overwrites = function != CollFunction.ALL_GATHER && input.asOverlappingSlice(output).isPresent();
        overwritten = overwrites ? Arena.ofAuto().allocate(bytes).copyFrom(output.asSlice(0, bytes))
                : MemorySegment.NULL;
    }

    /** A kernel is about to be launched. */
    void watch(CollNetKernel kernel) {
        kernel.redoable(true);
        parts.networkLoss.watch(kernel);
    }

    /** Whether all ranks' kernels finished; blocks until they have ended. If one did not, the network is given up. */
    boolean isDone(CollNetKernel kernel) {
        waiter.awaitKernels(parts.timeout);
        ProxyException lost = kernel.lost();
        if (lost != null && lost != parts.networkLoss.heard()) {
            parts.networkLoss.tell("rank " + bootstrap.rank() + ": " + lost.getMessage());
        }
        byte[] mine = lost == null ? new byte[0] : lost.getMessage().getBytes(StandardCharsets.UTF_8);
        String reason = "";
        for (byte[] one : bootstrap.allGather(mine, parts.timeout)) {
            reason = reason.isEmpty() ? new String(one, StandardCharsets.UTF_8) : reason;
        }
        if (reason.isEmpty()) {
            parts.await();
            return true;
        }
        leave(reason);
        return false;
    }

    private void leave(String reason) {
        parts.networkLoss.unwatch();
        launcher.end(parts.proxy, parts.poster, parts.memory, parts.timeout);
        parts.withoutCollNet("it failed: " + reason);
        if (bootstrap.rank() == 0) {
            LOG.warn("the network carries out no more collectives, the ranks do, beginning with {}: {}", function,
                    reason);
        }
    }

    /** What is done again. */
    CollectiveWork again(CollectiveWork work) {
        if (overwritten.byteSize() > 0) {
            output.asSlice(0, bytes).copyFrom(overwritten);
            overwritten = MemorySegment.NULL;
        }
        return work.buffers(input, output, bytes);
    }
}
