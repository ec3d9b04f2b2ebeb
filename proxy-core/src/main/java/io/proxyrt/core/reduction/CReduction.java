/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;

/** Reductions of the user's own that are written in C. */
public final class CReduction {
    private CReduction() {
    }

    /**
     * By {@code void function(const void *in, void *inout, int64_t count, int type)}, which does what
     * {@link UserRedOp.Function#reduce} says; type is numbered as {@code ncclDataType_t}.
     *
     * @param name     for people
     * @param function where it is; stays the caller's, and valid as long as anything is reduced by it. That its
     *                 parameters are these is for the caller to know: a process that calls another one may crash
     * @return called by the FFM API, for elements of any type
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no function,
     *                        {@link ProxyResult#INVALID_USAGE} without {@code proxy-native}, or native access for it
     */
    public static UserRedOp of(String name, MemorySegment function) {
        if (function == null || function.address() == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "function is null");
        }
        return UserRedOp.of(name, Platform.find().reduction(function));
    }
}
