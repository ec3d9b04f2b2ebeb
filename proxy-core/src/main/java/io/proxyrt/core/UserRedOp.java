/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.lang.foreign.MemorySegment;

/**
 * A reduction of the user's own, for kernels of the host; kernels of GPUs and networks have no way to call it. MPI's
 * {@code MPI_Op_create}. Ranks do not compare their functions, only that each has one. Immutable; any thread.
 */
public final class UserRedOp implements ReduceOp {
    private final String name;
    private final Function function;

    private UserRedOp(String name, Function function) {
        this.name = name;
        this.function = function;
    }

    /**
     * Combines elements of two operands, one by one. It has to be associative and commutative, for ranks and kernels
     * combine in any order and grouping. It runs on the thread that runs the kernels, which may be the caller's, and
     * must not block: while it does, nothing else moves there. What it throws ends the communicator at all ranks.
     */
    @FunctionalInterface
    public interface Function {
        /**
         * Sets {@code inout[i] = inout[i] op in[i]}.
         *
         * @param in    one operand, native, exactly its elements, at a multiple of 64 bytes; not to be kept
         * @param inout the other one, and the result; likewise
         * @param count elements, at least 1; how many at once is not for the function to choose
         * @param type  of the elements, as the collective was told
         */
        void reduce(MemorySegment in, MemorySegment inout, long count, DataType type);
    }

    /**
     * By a function.
     *
     * @param name     for people
     * @param function called by each rank of this process that reduces by it, perhaps at the same time
     * @return for elements of any type
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if either is null
     */
    public static UserRedOp of(String name, Function function) {
        if (name == null || function == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, (name == null ? "name" : "function") + " is null");
        }
        return new UserRedOp(name, function);
    }

    /**
     * What combines elements.
     *
     * @return as it was given
     */
    public Function function() {
        return function;
    }

    /** {@inheritDoc} As it was given. */
    @Override
    public String label() {
        return name;
    }

    /** {@return for people} */
    @Override
    public String toString() {
        return "USER " + name;
    }
}
