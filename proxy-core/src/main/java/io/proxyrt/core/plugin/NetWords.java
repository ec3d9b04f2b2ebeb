/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What data calls of a comm pass by address, so that none allocates: out-words, and the arrays of a group of messages.
 * Sizes are there as {@code size_t} and as {@code int}, for interfaces of either kind. One thread at a time.
 *
 * <pre>
 *    0  request           void *
 *    8  done              int
 *   16  actual sizes      int[8]         what test reports
 *   48  addresses         void *[8]
 *  112  sizes             size_t[8]
 *  176  sizes             int[8]
 *  208  tags              int[8]
 *  240  mhandles          void *[8]
 *  304  phandles          void *[8]      0: nothing is profiled
 *  368  the place of messages without bytes
 * </pre>
 */
public final class NetWords {
    /** Most messages of a group: {@code NCCL_NET_IB_MAX_RECVS}. */
    public static final int MAX_RECVS = 8;
    /** Bytes at {@link #nothing()}. */
    public static final int NOTHING_BYTES = 16;
    /** What {@link #actual} is as long as the plug-in has not said it. */
    public static final int UNTOLD = -1;

    private static final int DONE = 8;
    private static final int ACTUAL = 16;
    private static final int ADDRESSES = 48;
    private static final int SIZES = 112;
    private static final int INT_SIZES = 176;
    private static final int TAGS = 208;
    private static final int MHANDLES = 240;
    private static final int PHANDLES = 304;
    private static final int NOTHING = 368;

    private final MemorySegment memory = Arena.ofAuto().allocate(NOTHING + NOTHING_BYTES, 64);

    /** All zero. The memory lives as long as this object, of which plug-ins know nothing. */
    public NetWords() {
    }

    /**
     * The request that a posting call gave.
     *
     * @return 0 for none
     */
    public long request() {
        return memory.get(JAVA_LONG, 0);
    }

    /**
     * Sets the request: before a posting call to 0, or to what the plug-in is told there.
     *
     * @param request as the plug-in shall find it
     */
    public void request(long request) {
        memory.set(JAVA_LONG, 0, request);
    }

    /**
     * Whether the last test said so.
     *
     * @return true if the request is complete
     */
    public boolean isDone() {
        return memory.get(JAVA_INT, DONE) != 0;
    }

    /**
     * What a plug-in that tests in Java says.
     *
     * @param isDone true if the request is complete
     */
    public void done(boolean isDone) {
        memory.set(JAVA_INT, DONE, isDone ? 1 : 0);
    }

    /**
     * Forgets what the last test said.
     *
     * @param n how many messages the request has
     */
    public void beforeTest(int n) {
        done(false);
        for (int i = 0; i < n; i++) {
            actual(i, UNTOLD);
        }
    }

    /**
     * The size of a message that came in.
     *
     * @param index of the message
     * @return {@link #UNTOLD} if the plug-in did not say
     */
    public int actual(int index) {
        return memory.get(JAVA_INT, ACTUAL + (long) index * Integer.BYTES);
    }

    /**
     * Sets it.
     *
     * @param index of the message
     * @param bytes that came
     */
    public void actual(int index, int bytes) {
        memory.set(JAVA_INT, ACTUAL + (long) index * Integer.BYTES, bytes);
    }

    /**
     * Describes a message of a group.
     *
     * @param index   of the message
     * @param address where it goes
     * @param bytes   most bytes of it, at most {@link Integer#MAX_VALUE}
     * @param tag     of the message
     * @param mhandle of the memory
     */
    public void message(int index, long address, long bytes, int tag, long mhandle) {
        memory.set(JAVA_LONG, ADDRESSES + (long) index * Long.BYTES, address);
        memory.set(JAVA_LONG, SIZES + (long) index * Long.BYTES, bytes);
        memory.set(JAVA_INT, INT_SIZES + (long) index * Integer.BYTES, (int) bytes);
        memory.set(JAVA_INT, TAGS + (long) index * Integer.BYTES, tag);
        memory.set(JAVA_LONG, MHANDLES + (long) index * Long.BYTES, mhandle);
    }

    /**
     * Where a message goes.
     *
     * @param index of the message
     * @return its address
     */
    public long address(int index) {
        return memory.get(JAVA_LONG, ADDRESSES + (long) index * Long.BYTES);
    }

    /**
     * How long a message may be.
     *
     * @param index of the message
     * @return in bytes
     */
    public long bytes(int index) {
        return memory.get(JAVA_LONG, SIZES + (long) index * Long.BYTES);
    }

    /**
     * The tag of a message.
     *
     * @param index of the message
     * @return as posted
     */
    public int tag(int index) {
        return memory.get(JAVA_INT, TAGS + (long) index * Integer.BYTES);
    }

    /**
     * The registration of a message's memory.
     *
     * @param index of the message
     * @return as {@link NetLibrary#regMr} gave it
     */
    public long mhandle(int index) {
        return memory.get(JAVA_LONG, MHANDLES + (long) index * Long.BYTES);
    }

    /**
     * For C: {@code void **request}.
     *
     * @return an address
     */
    public long requestAddress() {
        return memory.address();
    }

    /**
     * For C: {@code int *done}.
     *
     * @return an address
     */
    public long doneAddress() {
        return memory.address() + DONE;
    }

    /**
     * For C: {@code int *sizes} of a test.
     *
     * @return an address
     */
    public long actualAddress() {
        return memory.address() + ACTUAL;
    }

    /**
     * For C: {@code void **data}.
     *
     * @return an address
     */
    public long addressesAddress() {
        return memory.address() + ADDRESSES;
    }

    /**
     * For C: {@code size_t *sizes}.
     *
     * @return an address
     */
    public long sizesAddress() {
        return memory.address() + SIZES;
    }

    /**
     * For C: {@code int *sizes} of posting calls.
     *
     * @return an address
     */
    public long intSizesAddress() {
        return memory.address() + INT_SIZES;
    }

    /**
     * For C: {@code int *tags}.
     *
     * @return an address
     */
    public long tagsAddress() {
        return memory.address() + TAGS;
    }

    /**
     * For C: {@code void **mhandles}.
     *
     * @return an address
     */
    public long mhandlesAddress() {
        return memory.address() + MHANDLES;
    }

    /**
     * For C: {@code void **phandles}, of nothing.
     *
     * @return an address
     */
    public long phandlesAddress() {
        return memory.address() + PHANDLES;
    }

    /**
     * Memory of {@link #NOTHING_BYTES} that stands for memory of none, which plug-ins may not be able to register.
     *
     * @return an address
     */
    public long nothing() {
        return memory.address() + NOTHING;
    }
}
