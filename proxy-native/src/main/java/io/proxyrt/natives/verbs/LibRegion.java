/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.core.verbs.MemoryRegion;
import io.proxyrt.core.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/** {@code ibv_mr}. */
final class LibRegion implements MemoryRegion {
    private final IbvObject object;
    /** Kept, or memory of an automatic arena might be freed under the device. */
    private final MemorySegment memory;
    private final int lkey;
    private final int rkey;

    LibRegion(LibDomain domain, MemorySegment memory, int access) {
        this.memory = memory;
        IbvLibrary library = domain.context().library();
        String what = memory.byteSize() + " bytes with " + domain.context().device();
        this.object = IbvObject.of("the registration of " + what, library.deregMr, domain.object());
        int errno = object.make(state -> register(library, state, domain.object().address(), access));
        if (errno != 0) {
            throw IbvErrors.register(what, errno);
        }
        this.lkey = object.read(JAVA_INT, IbvLayout.MR_LKEY);
        this.rkey = object.read(JAVA_INT, IbvLayout.MR_RKEY);
    }

    LibRegion(LibDomain domain, int fd, long offset, long bytes, long iova, int access) {
        this.memory = MemorySegment.NULL;
        IbvLibrary library = domain.context().library();
        String what = bytes + " bytes of dma-buf " + fd + " with " + domain.context().device();
        this.object = IbvObject.of("the registration of " + what, library.deregMr, domain.object());
        int errno = object.make(state -> IbvCalls.regDmaBufMr(library.regDmaBufMr, state, domain.object().address(),
                offset, bytes, iova, fd, access));
        if (errno != 0) {
            throw IbvErrors.dmaBuf(what, errno);
        }
        this.lkey = object.read(JAVA_INT, IbvLayout.MR_LKEY);
        this.rkey = object.read(JAVA_INT, IbvLayout.MR_RKEY);
    }

    /** Only the newer function lets a device relax the order of its writes. */
    private long register(IbvLibrary library, MemorySegment errno, long domain, int access) {
        return (access & ProtectionDomain.RELAXED_ORDERING) != 0 && library.regMrIova2.exists()
                ? IbvCalls.regMrIova2(library.regMrIova2, errno, domain, memory.address(), memory.byteSize(), access)
                : IbvCalls.regMr(library.regMr, errno, domain, memory.address(), memory.byteSize(),
                        access & ~ProtectionDomain.RELAXED_ORDERING);
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public void close() {
        object.close();
    }
}
