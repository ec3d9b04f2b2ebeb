/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.QueuePairLimits;
import io.proxyrt.core.verbs.VerbsDevice;
import java.lang.foreign.MemorySegment;

/** A protection domain of a {@link SoftContext}. */
final class SoftDomain implements ProtectionDomain {
    private static final int MOST_INLINE_BYTES = 1024;

    private final SoftContext context;
    private int users;
    private boolean isClosed;

    SoftDomain(SoftContext context) {
        this.context = context;
    }

    @Override
    public MemoryRegion register(MemorySegment memory, int access) {
        SoftDevice device = context.softDevice();
        if (!memory.isNative()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "memory of the Java heap cannot be registered with "
                    + device.name() + ": allocate it with an Arena");
        }
        synchronized (device.fabric()) {
            requireOpen();
            device.requirePresent("register memory");
            if (memory.byteSize() > device.attributes().maxMrBytes() || isWithoutLocalWrite(access)) {
                throw SoftErrors.refused("cannot register " + memory.byteSize() + " bytes with " + device.name()
                        + " for access " + access, SoftErrors.EINVAL);
            }
            SoftRegion region = new SoftRegion(this, memory, access);
            users++;
            return region;
        }
    }

    private void requireOpen() {
        SoftErrors.requireOpen(isClosed, "a protection domain of " + context.device());
    }

    /** Who lets a peer write has to let the device write. */
    private static boolean isWithoutLocalWrite(int access) {
        return (access & REMOTE_WRITE) != 0 && (access & LOCAL_WRITE) == 0;
    }

    @Override
    public MemoryRegion registerDmaBuf(int fd, long offset, long bytes, long iova, int access) {
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, context.device() + " knows no dma-bufs");
    }

    @Override
    public QueuePair queuePair(CompletionQueue queue, QueuePairLimits limits) {
        SoftDevice device = context.softDevice();
        synchronized (device.fabric()) {
            requireOpen();
            device.requirePresent("make a queue pair");
            VerbsDevice most = device.attributes();
            if (limits.sends() < 1 || limits.sends() > most.maxWrs() || limits.receives() < 0
                    || limits.receives() > most.maxWrs() || limits.inlineBytes() < 0
                    || limits.sges() < 1 || limits.sges() > most.maxSges() || limits.inlineBytes() > MOST_INLINE_BYTES
                    || !((SoftCompletionQueue) queue).isOf(context)) {
                throw SoftErrors.refused("cannot make a queue pair of " + device.name() + " with " + limits,
                        SoftErrors.EINVAL);
            }
            SoftQueuePair queuePair = new SoftQueuePair(this, (SoftCompletionQueue) queue, limits);
            users++;
            return queuePair;
        }
    }

    SoftContext context() {
        return context;
    }

    /** Something that was made of it is closed. */
    void leave() {
        users--;
    }

    @Override
    public void close() {
        synchronized (context.softDevice().fabric()) {
            if (isClosed) {
                return;
            }
            if (users > 0) {
                throw SoftErrors.busy("protection domain of " + context.device(), users);
            }
            isClosed = true;
            context.leave();
        }
    }
}
