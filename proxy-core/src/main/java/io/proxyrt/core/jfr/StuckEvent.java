/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A caller waits in vain: what {@code proxyrt why} says, at its rank. */
@Name("io.proxyrt.Stuck")
@Label("Stuck")
@Description("A caller waits and nothing moves: which rank all wait for, and what it owes")
@StackTrace(false)
public final class StuckEvent extends JobEvent {
    static final StuckEvent PROBE = new StuckEvent();

    /** For people, as errors have it. */
    @Label("Communicator")
    public String communicator;

    /** That all wait for. */
    @Label("Culprit")
    public int culprit;

    /** What it owes. */
    @Label("Reason")
    public String reason;

    /** For how long nothing has moved. */
    @Label("Still For")
    @Timespan(Timespan.NANOSECONDS)
    public long stillNs;

    /** For people. */
    @Label("Sentence")
    public String sentence;

    /** One that is not recorded yet. */
    public StuckEvent() {
    }
}
