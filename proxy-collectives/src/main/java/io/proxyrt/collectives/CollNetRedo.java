/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;

/**
 * Sees to it that a collective which the network did not finish at one rank is done again by all. A rank that finds the
 * network gone tells all others, whose kernels then give up; when no rank's runs any more, they tell each other what
 * came of it. The input is as it was, for the caller waits meanwhile, and what the output overwrites is kept.
 */
final class CollNetRedo {
    private static final Logger LOG = Subsystem.NET.logger("collnet");

    private final CommunicatorParts parts;
    private final RankGroup group;
    private final CollNetLauncher launcher;
    private final HostWaiter waiter;
    private final CollectiveWork asked;
    private MemorySegment overwritten = MemorySegment.NULL;

    CollNetRedo(CommunicatorParts parts, CollNetLauncher launcher, HostWaiter waiter) {
        this.parts = parts;
        this.group = parts.failure.group();
        this.launcher = launcher;
        this.waiter = waiter;
        this.asked = new CollectiveWork(parts.setup.nRanks());
    }

    /** Waits for all that was launched, and keeps what the output would overwrite of the input. */
    void begin(CollectiveWork work) {
        parts.await();
        work.copyTo(asked);
        MemorySegment output = asked.recvBuffer();
        boolean overwrites = asked.function() != CollFunction.ALL_GATHER
                && asked.sendBuffer().asOverlappingSlice(output).isPresent();
        overwritten = overwrites ? Arena.ofAuto().allocate(asked.bytes())
                .copyFrom(output.asSlice(0, asked.bytes())) : MemorySegment.NULL;
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
            parts.networkLoss.tell("rank " + group.rank() + ": " + lost.getMessage());
        }
        byte[] mine = lost == null ? new byte[0] : lost.getMessage().getBytes(StandardCharsets.UTF_8);
        String reason = "";
        for (byte[] one : group.allGather(mine, parts.timeout)) {
            reason = reason.isEmpty() ? new String(one, StandardCharsets.UTF_8) : reason;
        }
        if (reason.isEmpty()) {
            parts.await();
            forget();
            return true;
        }
        leave(reason);
        return false;
    }

    private void leave(String reason) {
        parts.networkLoss.unwatch();
        launcher.end(parts);
        parts.withoutCollNet("it failed: " + reason);
        if (group.rank() == 0) {
            LOG.warn("rank 0: the network carries out no more collectives, the ranks do, beginning with {}: {}",
                    asked.function(), reason);
        }
    }

    /** Says to another kernel what was asked for, with the input as it was. */
    CollectiveWork again(CollectiveWork work) {
        if (overwritten.byteSize() > 0) {
            asked.recvBuffer().asSlice(0, asked.bytes()).copyFrom(overwritten);
        }
        asked.copyTo(work);
        forget();
        return work;
    }

    /** The user's memory. */
    private void forget() {
        overwritten = MemorySegment.NULL;
        asked.buffers(null, null, 0);
    }
}
