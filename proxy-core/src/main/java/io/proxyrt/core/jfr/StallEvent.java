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

/** An op stands still; a second event tells when it goes on. It is told while it lasts, so it has no duration. */
@Name("io.proxyrt.Stall")
@Label("Stall")
@Description("An op has not moved for a second, or moves again after that")
@StackTrace(false)
public final class StallEvent extends JobEvent {
    static final StallEvent PROBE = new StallEvent();

    /** Its id, with generation. */
    @Label("Connection")
    public long connection;

    /** The grouping key. */
    @Label("Op Count")
    public long opCount;

    /** At the other end. */
    @Label("Peer")
    public int peer;

    /** Of the communicator. */
    @Label("Channel")
    public int channel;

    /** Of the data. */
    @Label("Direction")
    public String direction;

    /** That carries them. */
    @Label("Transport")
    public String transport;

    /** That it takes. */
    @Label("Steps")
    public int steps;

    /** That are done. */
    @Label("Steps Done")
    public long done;

    /** For how long it has not moved, or did not. */
    @Label("Still For")
    @Timespan(Timespan.NANOSECONDS)
    public long stillNs;

    /** Whether it moves again. */
    @Label("Over")
    public boolean isOver;

    /** One that is not recorded yet. */
    public StallEvent() {
    }
}
