/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

/** What happened, as the black box has it. The ordinal stands in the mapped file. */
public enum EventType {
    /** Nothing: an empty place. */
    NONE(""),
    /** A communicator was asked for something: see {@link EventRing#called}. */
    CALLED("called"),
    /** An op was fetched, and is advanced unless it waits behind others of its connection. The value is its bytes. */
    FETCHED("fetched"),
    /** An op that waited behind another is advanced from now on; the value is its steps. */
    BEGUN("begun"),
    /** An op ended well; the value is the bytes that it moved, as far as its transport tells. */
    DONE("done"),
    /** An op ended with an error: the detail is its {@link io.proxyrt.core.ProxyResult}, the value its steps done. */
    FAILED("failed"),
    /** An op has not moved for a while; the value is how many of its steps are done. */
    STALLED("stalled"),
    /** An op that had stalled goes on; the value is for how many milliseconds it did not move. */
    RESUMED("resumed"),
    /** A connection was made; the detail is the ordinal of its {@link io.proxyrt.core.Direction}. */
    CONNECTED("connected"),
    /** A connection is freed; the detail as before. */
    CLOSED("closed"),
    /** Something failed; the detail is the {@link io.proxyrt.core.ProxyResult}. */
    ERROR("error"),
    /** A thread is about to begin its work. */
    STARTED("started"),
    /** A thread ended in good order. */
    ENDED("ended"),
    /**
     * A caller waits in vain for so many milliseconds, which is the value; the peer is a rank that all wait for, the
     * detail a number of {@code io.proxyrt.core.diagnosis.Reason}.
     */
    STUCK("stuck"),
    /** A caller waits, and nothing has moved for so many milliseconds, which is the value. */
    WAITS("waits");

    private static final EventType[] ALL = values();

    private final String label;

    EventType(String label) {
        this.label = label;
    }

    /**
     * For people.
     *
     * @return one word
     */
    public String label() {
        return label;
    }

    /** {@link #NONE} for a code that this program does not know. */
    static EventType of(int code) {
        return code >= 0 && code < ALL.length ? ALL[code] : NONE;
    }
}
