/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** By a function of the user's, which gets blocks in native memory. */
final class ReductionByUser extends Reduction {
    private static final long ALIGNMENT = 64;

    private final DataType type;
    private final Operands whole;
    private Operands part;
    private UserRedOp user;

    /** What a call of the function is given; slices of one size are made once. */
    private record Operands(MemorySegment in, MemorySegment inout) {
        Operands first(int bytes) {
            return new Operands(in.asSlice(0, bytes), inout.asSlice(0, bytes));
        }

        boolean hasBytes(int bytes) {
            return in.byteSize() == bytes;
        }
    }

    ReductionByUser(DataType type) {
        final MemorySegment inout = Arena.ofAuto().allocate(BLOCK_BYTES + SLACK_BYTES, ALIGNMENT);
        final MemorySegment in = Arena.ofAuto().allocate(BLOCK_BYTES + SLACK_BYTES, ALIGNMENT);
        super(type, RedOp.SUM, inout, in);
        this.type = type;
        this.whole = new Operands(in, inout).first(BLOCK_BYTES);
        this.part = whole;
    }

    @Override
    public Reduction begin(ReduceOp current) {
        user = (UserRedOp) current;
        return this;
    }

    @Override
    void combineStaged(RedOp step, int bytes) {
        if (!whole.hasBytes(bytes) && !part.hasBytes(bytes)) {
            part = whole.first(bytes);
        }
        final Operands operands = whole.hasBytes(bytes) ? whole : part;
        try {
            user.function().reduce(operands.in, operands.inout, bytes / elementBytes(), type);
        } catch (RuntimeException | Error e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the function of reduction " + user.label()
                    + " threw " + e, e);
        }
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        throw new AssertionError("a function of the user's has no arrays");
    }
}
