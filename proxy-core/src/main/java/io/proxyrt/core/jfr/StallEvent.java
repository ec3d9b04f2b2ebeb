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

/** An op stands still; a second event tells when that is over. It is told while it lasts, so it has no duration. */
@Name("io.proxyrt.Stall")
@Label("Stall")
@Description("An op has not moved for a second, or moves again after that, or has ended")
@StackTrace(false)
public final class StallEvent extends ActiveOpEvent {
    static final StallEvent PROBE = new StallEvent();

    /** For how long it has not moved, or did not. */
    @Label("Still For")
    @Timespan(Timespan.NANOSECONDS)
    public long stillNs;

    /** Whether it moves again, or has ended, well or badly. */
    @Label("Over")
    public boolean isOver;

    /** One that is not recorded yet. */
    public StallEvent() {
    }
}
