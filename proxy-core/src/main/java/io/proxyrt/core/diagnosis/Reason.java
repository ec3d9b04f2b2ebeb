/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

/** What keeps a job from going on; the first that applies in this order. */
public enum Reason {
    /** A process is dead. */
    DEAD("dead"),
    /** A process is stopped, by a signal or a debugger. */
    STOPPED("stopped"),
    /** Ranks were asked for different things. */
    CALLED_OTHER("called other"),
    /** A rank has failed. */
    FAILED("failed"),
    /** Threads of a rank get no CPU. */
    NO_CPU("no CPU"),
    /** A progress thread does not do its work. */
    PROXY("proxy"),
    /** An application has not called what the others wait for. */
    NOT_CALLED("not called"),
    /** Ranks are at calls of different communicators, in different orders. */
    OTHER_COMMUNICATOR("other communicator"),
    /** A network does not bring what was given to it. */
    NETWORK("network"),
    /** A kernel has not come, or stands still. */
    KERNEL("kernel"),
    /** A rank cannot be seen from here, and no rank of its host answers. */
    NO_ANSWER("no answer"),
    /** A rank cannot be seen from here. */
    NOT_SEEN("not seen"),
    /** Ranks wait for each other, and were asked for the same. */
    CIRCLE("circle"),
    /** Nothing stands still. */
    NONE("none");

    private final String label;

    Reason(String label) {
        this.label = label;
    }

    /**
     * For people.
     *
     * @return one word or two
     */
    public String label() {
        return label;
    }
}
