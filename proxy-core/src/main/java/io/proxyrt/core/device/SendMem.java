/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * RCCL's {@code ncclSendMem}, the page of a connection that its sender polls.
 *
 * <pre>
 *   0        8                                             4096
 *  +--------+----------------------------------------------+
 *  | head   | ptrExchange @64, redOpArgs @72, offsFifo @128 |
 *  +--------+----------------------------------------------+
 * </pre>
 *
 * <p>On a send connection the proxy stores head, a credit: the kernel may write steps below head + 8. On a receive
 * connection the kernel stores head: it has consumed all steps below.
 */
public final class SendMem {
    /** Bytes of the page. */
    public static final long BYTES = 4096;
    /** Bytes of the page that hold words: two cache lines, so that many connections' words can share a page. */
    public static final long WORDS_BYTES = 128;

    private static final long HEAD = 0;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final long base;

    /**
     * A view.
     *
     * @param memory at least {@link #WORDS_BYTES}, aligned to 8
     */
    public SendMem(MemorySegment memory) {
        this(memory, 0);
    }

    /**
     * A view of a part. Views of many connections' words that lie in one memory share that, and no object more.
     *
     * @param memory aligned to 8
     * @param offset where the {@link #WORDS_BYTES} begin, a multiple of 8
     */
    public SendMem(MemorySegment memory, long offset) {
        this.memory = memory;
        this.base = Objects.checkFromIndexSize(offset, WORDS_BYTES, memory.byteSize());
    }

    /**
     * Acquire load of head; pairs with {@link #head(long)}.
     *
     * @return absolute step
     */
    public long head() {
        return (long) LONG.getAcquire(memory, base + HEAD);
    }

    /**
     * Release store of head: slots below were read, or are free to write.
     *
     * @param step absolute step
     */
    public void head(long step) {
        LONG.setRelease(memory, base + HEAD, step);
    }
}
