/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import java.lang.foreign.MemorySegment;

/** {@code ibv_pd}. */
final class LibDomain implements ProtectionDomain {
    private final LibContext context;
    private final IbvObject object;

    LibDomain(LibContext context) {
        this.context = context;
        this.object = IbvObject.of("a protection domain of " + context.device(), context.library().deallocPd,
                context.object());
        int errno = object.make(state -> IbvCalls.pointer(context.library().allocPd, state,
                context.object().address()));
        if (errno != 0) {
            throw IbvErrors.create(object.name(), errno);
        }
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        if (!memory.isNative()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of the Java heap cannot be registered with "
                    + context.device() + ": allocate it with an Arena");
        }
        return new LibRegion(this, memory, access);
    }

    @Override
    public MemoryRegion registerDmaBuf(int fd, long offset, long bytes, long iova, int access) {
        if (!context.library().regDmaBufMr.exists()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "this libibverbs knows no dma-bufs (ibv_reg_dmabuf_mr); rdma-core 34 and later do");
        }
        return new LibRegion(this, fd, offset, bytes, iova, access);
    }

    @Override
    public QueuePair queuePair(CompletionQueue queue, QueuePairLimits limits) {
        return new LibQueuePair(this, (LibQueue) queue, limits);
    }

    LibContext context() {
        return context;
    }

    IbvObject object() {
        return object;
    }

    @Override
    public void close() {
        object.close();
    }
}
