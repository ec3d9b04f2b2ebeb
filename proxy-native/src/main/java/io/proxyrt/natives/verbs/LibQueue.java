/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.WorkCompletion;
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;

/** {@code ibv_cq}. */
final class LibQueue implements CompletionQueue {
    private final CFunction pollCq;
    private final IbvObject object;

    LibQueue(LibContext context, int entries) {
        this.pollCq = context.pollCq();
        this.object = IbvObject.of("a completion queue of " + context.device() + " with " + entries + " entries",
                context.library().destroyCq, context.object());
        if (entries < 1) {
            throw IbvErrors.create(object.name(), Errno.EINVAL);
        }
        int errno = object.make(state -> IbvCalls.createCq(context.library().createCq, state,
                context.object().address(), entries));
        if (errno != 0) {
            throw IbvErrors.create(object.name(), errno);
        }
    }

    @Override
    public int poll(MemorySegment completions, int most) {
        Objects.checkFromIndexSize(0, most * WorkCompletion.BYTES, completions.byteSize());
        long address = object.address();
        assert completions.isNative() && completions.scope().isAlive() : completions;
        int count = address == 0 ? -1 : IbvCalls.poll(pollCq, address, most, completions.address());
        // The call has but addresses.
        Reference.reachabilityFence(completions);
        return count;
    }

    IbvObject object() {
        return object;
    }

    @Override
    public void close() {
        object.close();
    }
}
