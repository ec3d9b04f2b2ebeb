/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An op has got on in one look at it. A flood: off unless it is asked for. */
@Name("io.proxyrt.Step")
@Label("Step")
@Description("Steps of an op moved; the numbers are of all so far")
@Enabled(false)
@StackTrace(false)
public final class StepEvent extends ActiveOpEvent {
    static final StepEvent PROBE = new StepEvent();

    /** Send: given to the kernel; receive: asked of the network. */
    @Label("Posted")
    public long posted;

    /** Whose data came. */
    @Label("Received")
    public long received;

    /** Send: the network took; receive: given to the kernel. */
    @Label("Transmitted")
    public long transmitted;

    /** One that is not recorded yet. */
    public StepEvent() {
    }
}
