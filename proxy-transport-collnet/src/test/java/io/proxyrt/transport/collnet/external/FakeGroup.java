/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Participants of a {@link FakeCollNetLibrary}. A call is carried out when the last of them has posted it. */
final class FakeGroup {
    private final int nRanks;
    private final CountDownLatch there;
    private final List<Call> calls = new ArrayList<>();

    FakeGroup(int nRanks) {
        this.nRanks = nRanks;
        this.there = new CountDownLatch(nRanks);
    }

    /** Until all are there. */
    void await() {
        there.countDown();
        try {
            if (!there.await(60, TimeUnit.SECONDS)) {
                throw new ProxyException(ProxyResult.REMOTE_ERROR, "not all participants came");
            }
        } catch (InterruptedException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "interrupted", e);
        }
    }

    /** A collective: what goes in, and once that is complete, what comes out. */
    private final class Call {
        private final String what;
        private final MemorySegment[] inputs = new MemorySegment[nRanks];
        private boolean isDisputed;
        private int posted;
        private MemorySegment outcome;

        Call(String what) {
            this.what = what;
        }

        /** Takes a copy of what goes in. */
        void post(String same, int rank, MemorySegment input) {
            isDisputed |= !what.equals(same);
            inputs[rank] = Arena.ofAuto().allocate(Math.max(1, input.byteSize()), 8).asSlice(0, input.byteSize())
                    .copyFrom(input);
            posted++;
        }

        void reduce(DataType type, RedOp op) {
            outcome = inputs[0];
            for (int rank = 1; rank < nRanks; rank++) {
                Reduction.of(type, op, nRanks).operands(outcome, 0, inputs[rank], 0)
                        .reduce(outcome, 0, outcome.byteSize() / type.sizeBytes(), false);
            }
        }

        void gather(long bytes) {
            outcome = Arena.ofAuto().allocate(bytes, 8);
            long at = 0;
            for (MemorySegment input : inputs) {
                MemorySegment.copy(input, 0, outcome, at, input.byteSize());
                at += input.byteSize();
            }
        }
    }

    /** One of them. */
    final class Member {
        private final int rank;
        private final List<Target> targets = new ArrayList<>();
        private int complete;

        private record Target(MemorySegment memory, long offset) {
        }

        Member(int rank) {
            this.rank = rank;
        }

        int rank() {
            return rank;
        }

        int outstanding() {
            return targets.size() - complete;
        }

        /** Returns the number of the call. */
        int reduce(String what, MemorySegment from, DataType type, RedOp op, MemorySegment to, long offset) {
            Call call = post(what, from, new Target(to, offset));
            if (call.posted == nRanks && !call.isDisputed) {
                call.reduce(type, op);
            }
            return targets.size() - 1;
        }

        int gather(String what, MemorySegment from, MemorySegment to) {
            Call call = post(what, from, new Target(to, 0));
            if (call.posted == nRanks && !call.isDisputed) {
                call.gather(to.byteSize());
            }
            return targets.size() - 1;
        }

        private Call post(String what, MemorySegment from, Target to) {
            if (calls.size() == targets.size()) {
                calls.add(new Call(what));
            }
            Call call = calls.get(targets.size());
            call.post(what, rank, from);
            targets.add(to);
            return call;
        }

        /** Returns 1 if a call is complete, 0 if not, a negated code if it cannot be. */
        int complete(int number) {
            if (number != complete) {
                return -ProxyResult.INTERNAL_ERROR.code();
            }
            Call call = calls.get(number);
            if (call.isDisputed) {
                return -ProxyResult.INVALID_USAGE.code();
            }
            if (call.outcome == null) {
                return 0;
            }
            Target to = targets.get(number);
            MemorySegment.copy(call.outcome, to.offset, to.memory, 0, to.memory.byteSize());
            complete++;
            return 1;
        }
    }
}
