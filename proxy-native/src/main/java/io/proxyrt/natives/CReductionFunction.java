/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.DataType;
import io.proxyrt.core.UserRedOp;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * A reduction of the user's own in C.
 *
 * @param address of {@code void function(const void *in, void *inout, int64_t count, int type)}
 */
record CReductionFunction(MemorySegment address) implements UserRedOp.Function {
    private static final MethodHandle CALL = link();

    @SuppressWarnings("restricted")
    private static MethodHandle link() {
        return Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
    }

    @Override
    public void reduce(MemorySegment in, MemorySegment inout, long count, DataType type) {
        try {
            CALL.invokeExact(address, in, inout, count, type.ordinal());
        } catch (Throwable t) {
            throw CLibrary.failure("a reduction", t);
        }
    }
}
