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
 *   0        8     64                                     4096
 *  +--------+-----+---------------------------------------+
 *  | head   |     | offer: step @64, handle, ptr, bytes   |
 *  +--------+-----+---------------------------------------+
 * </pre>
 *
 * <p>On a send connection the proxy stores head, a credit: the kernel may write steps below head + 8. On a receive
 * connection the kernel stores head: it has consumed all steps below.
 *
 * <p>On a direct connection the receiving kernel may offer the place that a message goes to, RCCL's ptrExchange: memory
 * that it registered with the sender's proxy. All but the offer's step is plain, and becomes visible with that.
 */
public final class SendMem {
    /** Bytes of the page. */
    public static final long BYTES = 4096;
    /** Bytes of the page that hold words: two cache lines, so that many connections' words can share a page. */
    public static final long WORDS_BYTES = 128;

    private static final long HEAD = 0;
    private static final long OFFER = 64;
    private static final long OFFER_HANDLE = 72;
    private static final long OFFER_PTR = 80;
    private static final long OFFER_BYTES = 88;
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

    /**
     * Whether there is an offer for a message; pairs with {@link #offer}.
     *
     * @param firstStep of the message, absolute
     * @return true if its receiver made one: then {@link #offeredHandle} and {@link #offeredPtr} say where it goes, and
     *         {@link #offeredBytes} how long it may be
     */
    public boolean isOffered(long firstStep) {
        return (long) LONG.getAcquire(memory, base + OFFER) == firstStep + 1;
    }

    /**
     * Plain load of the handle of the memory that is offered.
     *
     * @return not to be trusted
     */
    public long offeredHandle() {
        return (long) LONG.get(memory, base + OFFER_HANDLE);
    }

    /**
     * Plain load of where in it the message goes.
     *
     * @return not to be trusted
     */
    public long offeredPtr() {
        return (long) LONG.get(memory, base + OFFER_PTR);
    }

    /**
     * Plain load of how many bytes are expected there.
     *
     * @return not to be trusted
     */
    public long offeredBytes() {
        return (long) LONG.get(memory, base + OFFER_BYTES);
    }

    /**
     * Offers a place; the receiving kernel, before it consumes the message's first step. Then the sender is done with
     * the offer before.
     *
     * @param firstStep of the message, absolute
     * @param handle    as the sender's proxy gave it
     * @param ptr       bytes from the beginning of what is registered
     * @param bytes     of the message, as the receiver expects it
     */
    public void offer(long firstStep, long handle, long ptr, long bytes) {
        LONG.set(memory, base + OFFER_HANDLE, handle);
        LONG.set(memory, base + OFFER_PTR, ptr);
        LONG.set(memory, base + OFFER_BYTES, bytes);
        LONG.setRelease(memory, base + OFFER, firstStep + 1);
    }
}
