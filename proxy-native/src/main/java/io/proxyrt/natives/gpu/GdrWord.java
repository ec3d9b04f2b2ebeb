/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.platform.Arenas;
import io.proxyrt.core.platform.Closing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A word in a GPU's memory that the CPU reads over the bus, where GDRCopy maps it. The answer to such a read comes
 * behind what other devices have written to that GPU before: PCI keeps that order. So the read flushes them. The word
 * is 0 from the beginning, and stays so.
 */
final class GdrWord implements AutoCloseable {
    /** Enough for a page of the GPU's, wherever memory begins. */
    static final long MEMORY_BYTES = 2 * GdrApi.PAGE_BYTES;
    private static final VarHandle WORD = JAVA_INT.varHandle().withInvokeExactBehavior();
    private static final int GONE = -ProxyResult.UNHANDLED_DEVICE_ERROR.code();

    private final GdrApi api;
    private final long gdr;
    private final DeviceMemory memory;
    private final Arena arena = Arena.ofShared();
    /** 0 as long as nothing is pinned. */
    private long handle;
    /** 0 as long as nothing is mapped. */
    private long mapped;
    private MemorySegment word;
    private boolean isClosed;

    private GdrWord(GdrApi api, long gdr, DeviceMemory memory) {
        this.api = api;
        this.gdr = gdr;
        this.memory = memory;
    }

    /**
     * Maps a word.
     *
     * @param memory of the GPU, zeroed, of {@link #MEMORY_BYTES}; the word's from now on, even if this throws
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the library refuses, or maps something else
     */
    static GdrWord map(GdrApi api, DeviceMemory memory) {
        long gdr = api.open();
        if (gdr == 0) {
            memory.close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "gdr_open does not reach the driver any more");
        }
        GdrWord word = new GdrWord(api, gdr, memory);
        try {
            word.map();
            return word;
        } catch (RuntimeException | Error e) {
            try {
                word.close();
            } catch (RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    @SuppressWarnings("restricted")
    private void map() {
        long page = GpuAllocator.rounded(memory.address(), GdrApi.PAGE_BYTES);
        handle = api.pin(gdr, page, GdrApi.PAGE_BYTES);
        mapped = api.map(gdr, handle, GdrApi.PAGE_BYTES);
        GdrApi.Info info = api.info(gdr, handle);
        // What is mapped begins at a page of the driver's choice.
        long offset = page - info.address();
        if (mapped == 0 || offset < 0 || offset > info.mappedBytes() - Integer.BYTES) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "GDRCopy maps " + info.mappedBytes() + " bytes at 0x"
                    + Long.toHexString(info.address()) + ", not the page at 0x" + Long.toHexString(page));
        }
        if (info.mappingType() == GdrApi.CACHING) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "GDRCopy maps memory with a cache here, and a read that"
                    + " the cache answers flushes nothing");
        }
        word = MemorySegment.ofAddress(mapped + offset).reinterpret(Integer.BYTES, arena, null);
        if (flush() < 0) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "what GDRCopy maps is not the memory that was zeroed");
        }
    }

    /** Reads it. Returns 1, or a negated result if it is not what it was: reads of a GPU that is lost give all ones. */
    int flush() {
        // What said that data have come was read before.
        VarHandle.fullFence();
        return (int) WORD.getVolatile(word, 0L) == 0 ? 1 : GONE;
    }

    /** A later flush throws. Idempotent. */
    @Override
    public synchronized void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        Arenas.close(arena);
        Closing closing = new Closing();
        if (mapped != 0) {
            closing.add(() -> api.unmap(gdr, handle, mapped, GdrApi.PAGE_BYTES));
        }
        if (handle != 0) {
            closing.add(() -> api.unpin(gdr, handle));
        }
        closing.add(() -> api.close(gdr)).add(memory).end();
    }
}
